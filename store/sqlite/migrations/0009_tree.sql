-- +goose Up
ALTER TABLE sessions ADD COLUMN parent_id TEXT GENERATED ALWAYS AS (json_extract(session, '$.parentId')) VIRTUAL;
CREATE INDEX sessions_below ON sessions (parent_id) WHERE parent_id IS NOT NULL;

-- What waits in a session or below it, by the event that announced it there.
CREATE TABLE waiting (
    session_id  TEXT    NOT NULL REFERENCES sessions (id),
    seq         INTEGER NOT NULL,
    approval_id TEXT    NOT NULL REFERENCES approvals (id),
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_approval ON waiting (approval_id);
INSERT INTO waiting (session_id, seq, approval_id)
    SELECT a.session_id, e.seq, a.id FROM approvals a JOIN events e
        ON e.session_id = a.session_id AND e.type = 'approval.requested' AND e.data ->> 'approvalId' = a.id
    WHERE a.status = 'pending';
DROP INDEX approvals_waiting;

-- +goose Down
CREATE INDEX approvals_waiting ON approvals (session_id, requested_at, id) WHERE status = 'pending';
DROP TABLE waiting;
DROP INDEX sessions_below;
ALTER TABLE sessions DROP COLUMN parent_id;
