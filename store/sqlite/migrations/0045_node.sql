-- +goose Up
ALTER TABLE approvals ADD COLUMN node INTEGER NOT NULL DEFAULT 0; -- of a cluster: see store/postgres

-- +goose Down
ALTER TABLE approvals DROP COLUMN node;
