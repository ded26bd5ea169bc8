-- +goose Up
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    session    TEXT    NOT NULL, -- JSON of session.Session as it was made
    created_at INTEGER NOT NULL, -- microseconds since 1970
    ended      TEXT    NOT NULL DEFAULT '',
    seq        INTEGER NOT NULL DEFAULT 0 -- the number of its newest event
) STRICT;
CREATE INDEX sessions_newest ON sessions (created_at, id);

CREATE TABLE events (
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    seq        INTEGER NOT NULL,
    type       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    data       TEXT    NOT NULL,
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_said ON events (session_id, seq) WHERE type = 'message.user';
CREATE INDEX events_turns ON events (session_id, seq) WHERE type IN ('turn.started', 'turn.finished');

CREATE TABLE approvals (
    id           TEXT PRIMARY KEY,
    session_id   TEXT    NOT NULL REFERENCES sessions (id),
    agent_id     TEXT    NOT NULL,
    tool_name    TEXT    NOT NULL,
    call_id      TEXT    NOT NULL,
    round        INTEGER NOT NULL,
    status       TEXT    NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'cancelled')),
    run          TEXT    NOT NULL CHECK (run IN ('none', 'claimed', 'finished', 'void')),
    told         INTEGER NOT NULL DEFAULT 0, -- the call's one result is in the journal
    requested_at INTEGER NOT NULL,
    expires_at   INTEGER,          -- NULL: waits without limit
    rev          INTEGER NOT NULL,
    request      TEXT    NOT NULL, -- JSON of approval.Request
    response     TEXT,             -- JSON of approval.Response; NULL while pending
    voided       TEXT,             -- the same, of who took an approved call back; NULL otherwise
    CHECK ((status = 'pending') = (response IS NULL))
) STRICT;
CREATE UNIQUE INDEX approvals_call ON approvals (session_id, call_id, round) WHERE call_id <> '';
CREATE INDEX approvals_session ON approvals (session_id, requested_at, id);
CREATE INDEX approvals_tool ON approvals (agent_id, tool_name, requested_at, id);
CREATE INDEX approvals_pending ON approvals (requested_at, id) WHERE status = 'pending';
CREATE INDEX approvals_waiting ON approvals (session_id, requested_at, id) WHERE status = 'pending';

CREATE TABLE grants (
    id         TEXT PRIMARY KEY,
    agent_id   TEXT    NOT NULL,
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    tool_name  TEXT    NOT NULL,
    ended      INTEGER NOT NULL DEFAULT 0,
    granted    TEXT    NOT NULL -- JSON of approval.Grant
) STRICT;
CREATE INDEX grants_session ON grants (session_id, id);
CREATE INDEX grants_held ON grants (session_id, agent_id, tool_name, id) WHERE ended = 0;

CREATE TABLE modes (
    agent_id TEXT PRIMARY KEY,
    setting  TEXT NOT NULL -- JSON of approval.ModeSetting
) STRICT;

CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    data    TEXT NOT NULL,
    prev    TEXT NOT NULL,
    hash    TEXT NOT NULL
) STRICT;

CREATE TABLE logins (
    fingerprint TEXT PRIMARY KEY, -- SHA-256 of the cookie's secret
    identity    TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE logins;
DROP TABLE audit;
DROP TABLE modes;
DROP TABLE grants;
DROP TABLE approvals;
DROP TABLE events;
DROP TABLE sessions;
