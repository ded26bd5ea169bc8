-- +goose Up
CREATE TABLE halts (
    agent_id TEXT PRIMARY KEY, -- empty: every agent
    halt     TEXT NOT NULL     -- JSON of approval.Halt
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE halts;
