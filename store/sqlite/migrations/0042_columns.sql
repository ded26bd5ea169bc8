-- +goose Up
-- What is looked for has a column of its own, so that no query reads JSON.
DROP INDEX sessions_agent;
DROP INDEX sessions_below;
DROP INDEX approvals_pending_asker;
DROP INDEX grants_limited;
ALTER TABLE sessions DROP COLUMN agent_id;
ALTER TABLE sessions DROP COLUMN parent_id;
ALTER TABLE approvals DROP COLUMN asker;
ALTER TABLE sessions ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN parent_id TEXT; -- NULL: none
ALTER TABLE approvals ADD COLUMN asker TEXT NOT NULL DEFAULT ''; -- the program that asks, so that each one's pending requests are counted separately
ALTER TABLE approvals ADD COLUMN answered_at INTEGER; -- NULL while pending
ALTER TABLE grants ADD COLUMN limited INTEGER NOT NULL DEFAULT 0; -- ends by itself: at a time or after so many calls
UPDATE sessions SET agent_id = coalesce(session ->> 'agentId', ''), parent_id = session ->> 'parentId';
UPDATE approvals SET asker = coalesce(request ->> '$.origin.subject', ''), answered_at = unixepoch(response ->> 'at') * 1000000;
UPDATE grants SET limited = granted ->> 'expiresAt' IS NOT NULL OR granted ->> 'maxUses' IS NOT NULL;
CREATE INDEX sessions_agent ON sessions (agent_id, created_at, id);
CREATE INDEX sessions_below ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX approvals_pending_asker ON approvals (agent_id, asker) WHERE status = 'pending';
CREATE INDEX grants_limited ON grants (id) WHERE ended = 0 AND limited = 1;

-- +goose Down
DROP INDEX sessions_agent;
DROP INDEX sessions_below;
DROP INDEX approvals_pending_asker;
DROP INDEX grants_limited;
ALTER TABLE grants DROP COLUMN limited;
ALTER TABLE approvals DROP COLUMN answered_at;
ALTER TABLE approvals DROP COLUMN asker;
ALTER TABLE sessions DROP COLUMN parent_id;
ALTER TABLE sessions DROP COLUMN agent_id;
ALTER TABLE sessions ADD COLUMN agent_id TEXT GENERATED ALWAYS AS (json_extract(session, '$.agentId')) VIRTUAL;
ALTER TABLE sessions ADD COLUMN parent_id TEXT GENERATED ALWAYS AS (json_extract(session, '$.parentId')) VIRTUAL;
ALTER TABLE approvals ADD COLUMN asker TEXT GENERATED ALWAYS AS (coalesce(json_extract(request, '$.origin.subject'), '')) VIRTUAL;
CREATE INDEX sessions_agent ON sessions (agent_id, created_at, id);
CREATE INDEX sessions_below ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX approvals_pending_asker ON approvals (agent_id, asker) WHERE status = 'pending';
CREATE INDEX grants_limited ON grants (id)
    WHERE ended = 0 AND (granted ->> 'expiresAt' IS NOT NULL OR granted ->> 'maxUses' IS NOT NULL);
