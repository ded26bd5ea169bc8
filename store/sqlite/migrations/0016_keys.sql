-- +goose Up
CREATE INDEX approvals_key ON approvals (call_id, requested_at, id); -- a program looks its request up by its key
CREATE INDEX approvals_claimed ON approvals (requested_at, id) WHERE run = 'claimed';

-- +goose Down
DROP INDEX approvals_claimed;
DROP INDEX approvals_key;
