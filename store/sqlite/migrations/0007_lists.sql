-- +goose Up
ALTER TABLE sessions ADD COLUMN agent_id TEXT GENERATED ALWAYS AS (json_extract(session, '$.agentId')) VIRTUAL;
ALTER TABLE sessions ADD COLUMN turn_open INTEGER NOT NULL DEFAULT 0; -- a turn has started, or a message waits for one
UPDATE sessions SET turn_open =
    coalesce((SELECT e.type = 'turn.started' FROM events e
        WHERE e.session_id = sessions.id AND e.type IN ('turn.started', 'turn.finished')
        ORDER BY e.seq DESC LIMIT 1), 0)
    OR coalesce((SELECT max(e.seq) FROM events e WHERE e.session_id = sessions.id AND e.type = 'message.user'), 0)
     > coalesce((SELECT json_extract(e.data, '$.heard') FROM events e
        WHERE e.session_id = sessions.id AND e.type = 'turn.finished'
        ORDER BY e.seq DESC LIMIT 1), 0);
CREATE INDEX sessions_open ON sessions (created_at, id) WHERE turn_open = 1;
CREATE INDEX sessions_agent ON sessions (agent_id, created_at, id);

-- +goose Down
DROP INDEX sessions_agent;
DROP INDEX sessions_open;
ALTER TABLE sessions DROP COLUMN turn_open;
ALTER TABLE sessions DROP COLUMN agent_id;
