-- +goose Up
CREATE INDEX approvals_pending_agent ON approvals (agent_id) WHERE status = 'pending';

-- +goose Down
DROP INDEX approvals_pending_agent;
