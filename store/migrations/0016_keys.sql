-- +goose Up
CREATE INDEX approvals_key ON approvals (call_id, requested_at, id); -- a program looks its request up by its key

-- +goose Down
DROP INDEX approvals_key;
