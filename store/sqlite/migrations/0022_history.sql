-- +goose Up
-- What a search looks through of each approval, in the order in which they are listed. Words of rows from before are filled
-- in at the next start.
CREATE TABLE history (
    requested_at INTEGER NOT NULL,
    id           TEXT    NOT NULL,
    agent_id     TEXT    NOT NULL,
    tool_name    TEXT    NOT NULL,
    status       TEXT    NOT NULL,
    outcome      TEXT    NOT NULL,
    risk         TEXT    NOT NULL,
    answered_by  TEXT    NOT NULL,
    words        TEXT    NOT NULL, -- as people are shown them: masked
    PRIMARY KEY (requested_at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_agent ON history (agent_id, requested_at, id);
-- +goose StatementBegin
CREATE TRIGGER approvals_ended AFTER DELETE ON approvals BEGIN
    DELETE FROM history WHERE requested_at = old.requested_at AND id = old.id;
END;
-- +goose StatementEnd
DROP INDEX approvals_newest;

ALTER TABLE approvals ADD COLUMN claimed_at INTEGER; -- NULL: not started
ALTER TABLE approvals ADD COLUMN result_seq INTEGER NOT NULL DEFAULT 0; -- the event with the call's result
UPDATE approvals SET claimed_at = r.at
    FROM (SELECT at, data ->> 'approvalId' AS id FROM audit WHERE kind = 'call.claimed') r WHERE approvals.id = r.id;
UPDATE approvals SET result_seq = e.seq
    FROM (SELECT seq, data ->> 'approvalId' AS id FROM events WHERE type = 'tool.result') e WHERE approvals.id = e.id;

-- +goose Down
ALTER TABLE approvals DROP COLUMN result_seq;
ALTER TABLE approvals DROP COLUMN claimed_at;
CREATE INDEX approvals_newest ON approvals (requested_at, id);
DROP TRIGGER approvals_ended;
DROP TABLE history;
