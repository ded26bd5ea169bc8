-- +goose Up
CREATE INDEX approvals_newest ON approvals (requested_at, id);
CREATE INDEX approvals_open ON approvals (requested_at, id) WHERE status = 'pending' OR status = 'approved' AND run = 'none';
DROP INDEX approvals_pending; -- what waits is found by the one of what is open

-- +goose Down
CREATE INDEX approvals_pending ON approvals (requested_at, id) WHERE status = 'pending';
DROP INDEX approvals_open;
DROP INDEX approvals_newest;
