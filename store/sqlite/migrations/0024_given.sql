-- +goose Up
-- A standing grant may be given before any call was made: in no session.
CREATE TABLE given (
    id         TEXT PRIMARY KEY,
    agent_id   TEXT    NOT NULL,
    session_id TEXT REFERENCES sessions (id),
    tool_name  TEXT    NOT NULL,
    ended      INTEGER NOT NULL DEFAULT 0,
    granted    TEXT    NOT NULL, -- JSON of approval.Grant
    standing   INTEGER NOT NULL DEFAULT 0,
    credential TEXT    NOT NULL DEFAULT ''
) STRICT;
INSERT INTO given (id, agent_id, session_id, tool_name, ended, granted, standing, credential)
    SELECT id, agent_id, session_id, tool_name, ended, granted, standing, credential FROM grants;
DROP TABLE grants;
ALTER TABLE given RENAME TO grants;
CREATE INDEX grants_session ON grants (session_id, id);
CREATE INDEX grants_held ON grants (session_id, agent_id, tool_name, id) WHERE ended = 0;
CREATE INDEX grants_limited ON grants (id)
    WHERE ended = 0 AND (granted ->> 'expiresAt' IS NOT NULL OR granted ->> 'maxUses' IS NOT NULL);
CREATE INDEX grants_standing ON grants (agent_id, id) WHERE standing = 1 AND ended = 0;
CREATE INDEX grants_giver ON grants (credential) WHERE standing = 1 AND ended = 0;

-- +goose Down
DELETE FROM grants WHERE session_id IS NULL;
CREATE TABLE given (
    id         TEXT PRIMARY KEY,
    agent_id   TEXT    NOT NULL,
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    tool_name  TEXT    NOT NULL,
    ended      INTEGER NOT NULL DEFAULT 0,
    granted    TEXT    NOT NULL,
    standing   INTEGER NOT NULL DEFAULT 0,
    credential TEXT    NOT NULL DEFAULT ''
) STRICT;
INSERT INTO given (id, agent_id, session_id, tool_name, ended, granted, standing, credential)
    SELECT id, agent_id, session_id, tool_name, ended, granted, standing, credential FROM grants;
DROP TABLE grants;
ALTER TABLE given RENAME TO grants;
CREATE INDEX grants_session ON grants (session_id, id);
CREATE INDEX grants_held ON grants (session_id, agent_id, tool_name, id) WHERE ended = 0;
CREATE INDEX grants_limited ON grants (id)
    WHERE ended = 0 AND (granted ->> 'expiresAt' IS NOT NULL OR granted ->> 'maxUses' IS NOT NULL);
CREATE INDEX grants_standing ON grants (agent_id, id) WHERE standing = 1 AND ended = 0;
CREATE INDEX grants_giver ON grants (credential) WHERE standing = 1 AND ended = 0;
