-- +goose Up
ALTER TABLE credentials ADD COLUMN proof TEXT NOT NULL DEFAULT ''; -- SHA-256 of a login's second proof

-- +goose Down
ALTER TABLE credentials DROP COLUMN proof;
