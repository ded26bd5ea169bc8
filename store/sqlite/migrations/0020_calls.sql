-- +goose Up
-- What became of the calls of an agent's newest turn, or of all in a program's session.
ALTER TABLE sessions ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN denied INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
WITH begun AS MATERIALIZED (
    SELECT session_id, max(seq) AS seq FROM events WHERE type IN ('turn.started', 'turn.finished') AND type = 'turn.started' GROUP BY session_id
), counted AS (
    SELECT e.session_id AS id, count(*) AS calls,
        sum(coalesce(e.data ->> 'reason', '') IN ('timeout', 'no_handler', 'handler_failed', 'too_many_pending')) AS unanswered,
        sum(e.data ->> 'status' = 'denied' AND coalesce(e.data ->> 'reason', '') NOT IN ('timeout', 'no_handler', 'handler_failed', 'too_many_pending')) AS denied
    FROM events e CROSS JOIN approvals a ON a.id = e.data ->> 'approvalId' LEFT JOIN begun b ON b.session_id = e.session_id
    WHERE e.type = 'approval.resolved' AND a.request ->> 'type' = 'tool_confirmation' AND e.seq > coalesce(b.seq, 0)
    GROUP BY e.session_id
)
UPDATE sessions SET calls = counted.calls, unanswered = counted.unanswered, denied = counted.denied FROM counted WHERE counted.id = sessions.id;

-- +goose Down
ALTER TABLE sessions DROP COLUMN unanswered;
ALTER TABLE sessions DROP COLUMN denied;
ALTER TABLE sessions DROP COLUMN calls;
