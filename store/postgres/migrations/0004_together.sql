-- +goose Up
ALTER TABLE head ADD COLUMN judged BIGINT NOT NULL DEFAULT 0; -- the newest commit that changed by what calls are judged
ALTER TABLE approvals ADD COLUMN node BIGINT NOT NULL DEFAULT 0; -- the turn of the node that was the last to write it: it runs the call, or the asker waits there

CREATE TABLE runners (
    session_id word   PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    turn       BIGINT NOT NULL,           -- of the node that works in it
    stop       TEXT   NOT NULL DEFAULT '' -- JSON of session.Stop: who wants its turn to end; empty: nobody
);

-- +goose Down
DROP TABLE runners;
ALTER TABLE approvals DROP COLUMN node;
ALTER TABLE head DROP COLUMN judged;
