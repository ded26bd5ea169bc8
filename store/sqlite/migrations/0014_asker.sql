-- +goose Up
-- Which program asks, so that each program's pending requests are counted separately.
ALTER TABLE approvals ADD COLUMN asker TEXT GENERATED ALWAYS AS (coalesce(json_extract(request, '$.origin.subject'), '')) VIRTUAL;
DROP INDEX approvals_pending_agent;
CREATE INDEX approvals_pending_asker ON approvals (agent_id, asker) WHERE status = 'pending';

-- +goose Down
DROP INDEX approvals_pending_asker;
CREATE INDEX approvals_pending_agent ON approvals (agent_id) WHERE status = 'pending';
ALTER TABLE approvals DROP COLUMN asker;
