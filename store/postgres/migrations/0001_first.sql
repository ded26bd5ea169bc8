-- +goose Up
-- Names and ids are in the order of their bytes, whatever the database's language is.
CREATE DOMAIN word AS TEXT COLLATE "C";

-- Whoever writes holds this row to the end of the transaction: the transactions of the cluster are one after the other,
-- and so are the positions of what they have to tell.
CREATE TABLE head (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position BIGINT NOT NULL, -- of the newest commit
    turn     BIGINT NOT NULL  -- of the node that began to work last
);
INSERT INTO head (one, position, turn) VALUES (1, 0, 0);

CREATE TABLE nodes (
    name    word PRIMARY KEY,
    process UUID        NOT NULL, -- one run of the program
    since   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    until   TIMESTAMPTZ NOT NULL, -- when its lease ends, unless it is renewed
    turn    BIGINT      NOT NULL DEFAULT 0 -- the one in which it works; 0: it stands by, or was taken over
);

-- Takes the head for a node that works, and returns the position of the commit to come; 0 for a node that was taken
-- over. Each statement of a function sees what was committed before it: the node's row as it is once the head is held.
-- +goose StatementBegin
CREATE FUNCTION take_head(of_node word, of_process UUID, of_turn BIGINT) RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
DECLARE taken BIGINT;
BEGIN
    UPDATE head SET position = position + 1 RETURNING position INTO taken;
    IF EXISTS (SELECT 1 FROM nodes WHERE name = of_node AND process = of_process AND turn = of_turn) THEN
        RETURN taken;
    END IF;
    RETURN 0;
END $$;
-- +goose StatementEnd

CREATE TABLE keys (
    name word PRIMARY KEY,
    pem  TEXT NOT NULL
);

CREATE TABLE commits (
    position BIGINT PRIMARY KEY,
    id       UUID        NOT NULL UNIQUE,
    node     word        NOT NULL,
    at       TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    news     TEXT        NOT NULL -- JSON: what it has to tell, by its ids
);

CREATE TABLE sessions (
    id         word PRIMARY KEY,
    agent_id   word   NOT NULL,
    parent_id  word,            -- NULL: none
    session    TEXT   NOT NULL, -- JSON of session.Session as it was made
    created_at BIGINT NOT NULL, -- microseconds since 1970
    run        word   NOT NULL, -- the run of a program's session
    ended      word   NOT NULL DEFAULT '',
    removed    BIGINT NOT NULL DEFAULT 0, -- nobody finds it any more; what is in it is being removed
    seq        BIGINT NOT NULL DEFAULT 0, -- the number of its newest event
    turn_open  BIGINT NOT NULL DEFAULT 0, -- a turn has started, or a message waits for one
    usage      TEXT   NOT NULL DEFAULT '{}', -- JSON of session.Usage: of all its replies
    -- What became of the calls of an agent's newest turn, or of all in a program's session.
    calls      BIGINT NOT NULL DEFAULT 0,
    denied     BIGINT NOT NULL DEFAULT 0,
    unanswered BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX sessions_newest ON sessions (created_at, id);
CREATE INDEX sessions_agent ON sessions (agent_id, created_at, id);
CREATE INDEX sessions_below ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_open ON sessions (created_at, id) WHERE turn_open = 1;
CREATE INDEX sessions_run ON sessions (run) WHERE run <> '' AND ended = '';
CREATE INDEX sessions_removed ON sessions (id) WHERE removed = 1;

CREATE TABLE events (
    session_id word   NOT NULL REFERENCES sessions (id),
    seq        BIGINT NOT NULL,
    type       word   NOT NULL,
    at         BIGINT NOT NULL,
    data       TEXT   NOT NULL,
    PRIMARY KEY (session_id, seq)
);
CREATE INDEX events_said ON events (session_id, seq) WHERE type = 'message.user';
CREATE INDEX events_turns ON events (session_id, seq) WHERE type IN ('turn.started', 'turn.finished');

CREATE TABLE approvals (
    id           word PRIMARY KEY,
    session_id   word   NOT NULL REFERENCES sessions (id),
    agent_id     word   NOT NULL,
    asker        word   NOT NULL, -- the program that asks
    tool_name    word   NOT NULL,
    call_id      word   NOT NULL,
    round        BIGINT NOT NULL,
    status       word   NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'cancelled')),
    run          word   NOT NULL CHECK (run IN ('none', 'claimed', 'finished', 'void')),
    told         BIGINT NOT NULL DEFAULT 0, -- the call's one result is in the journal
    refused      BIGINT NOT NULL DEFAULT 0, -- a no that holds
    requested_at BIGINT NOT NULL,
    expires_at   BIGINT,          -- NULL: waits without limit
    answered_at  BIGINT,          -- NULL while pending
    claimed_at   BIGINT,          -- NULL: not started
    rev          BIGINT NOT NULL,
    result_seq   BIGINT NOT NULL DEFAULT 0, -- the event with the call's result
    request      TEXT   NOT NULL, -- JSON of approval.Request
    response     TEXT,            -- JSON of approval.Response; NULL while pending
    voided       TEXT,            -- the same, of who took an approved call back; NULL otherwise
    touches      TEXT   NOT NULL, -- JSON; of a refusal: those that still hold
    CHECK ((status = 'pending') = (response IS NULL))
);
CREATE UNIQUE INDEX approvals_call ON approvals (session_id, call_id, round) WHERE call_id <> '';
CREATE INDEX approvals_session ON approvals (session_id, requested_at, id);
CREATE INDEX approvals_tool ON approvals (agent_id, tool_name, requested_at, id);
CREATE INDEX approvals_key ON approvals (call_id, requested_at, id);
CREATE INDEX approvals_open ON approvals (requested_at, id) WHERE status = 'pending' OR status = 'approved' AND run = 'none';
CREATE INDEX approvals_pending_asker ON approvals (agent_id, asker) WHERE status = 'pending';
CREATE INDEX approvals_claimed ON approvals (requested_at, id) WHERE run = 'claimed';
CREATE INDEX approvals_running ON approvals (session_id) WHERE run = 'claimed';
CREATE INDEX approvals_refused ON approvals (session_id, id) WHERE refused = 1;

-- What waits in a session or below it, by the event that announced it there.
CREATE TABLE waiting (
    session_id  word   NOT NULL REFERENCES sessions (id),
    seq         BIGINT NOT NULL,
    approval_id word   NOT NULL REFERENCES approvals (id),
    PRIMARY KEY (session_id, seq)
);
CREATE INDEX waiting_approval ON waiting (approval_id);

-- What the diff of a request leaves out.
CREATE TABLE diffs (
    approval_id word PRIMARY KEY REFERENCES approvals (id),
    rest        TEXT NOT NULL
);

-- What a search looks through of each approval, in the order in which they are listed.
CREATE TABLE history (
    requested_at BIGINT NOT NULL,
    id           word   NOT NULL,
    agent_id     word   NOT NULL,
    tool_name    word   NOT NULL,
    status       word   NOT NULL,
    outcome      word   NOT NULL,
    risk         word   NOT NULL,
    answered_by  word   NOT NULL,
    words        TEXT   NOT NULL, -- as people are shown them: masked
    PRIMARY KEY (requested_at, id)
);
CREATE INDEX history_agent ON history (agent_id, requested_at, id);
-- +goose StatementBegin
CREATE FUNCTION approval_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM history WHERE requested_at = old.requested_at AND id = old.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER approvals_ended AFTER DELETE ON approvals FOR EACH ROW EXECUTE FUNCTION approval_ended();

CREATE TABLE grants (
    id         word PRIMARY KEY,
    agent_id   word   NOT NULL,
    session_id word REFERENCES sessions (id), -- NULL: given before any call was made
    tool_name  word   NOT NULL,
    ended      BIGINT NOT NULL DEFAULT 0,
    standing   BIGINT NOT NULL, -- holds in every session of its agent
    limited    BIGINT NOT NULL, -- ends by itself: at a time or after so many calls
    credential word   NOT NULL, -- of a standing one: what its giver was let in by
    granted    TEXT   NOT NULL  -- JSON of approval.Grant
);
CREATE INDEX grants_session ON grants (session_id, id);
CREATE INDEX grants_held ON grants (session_id, agent_id, tool_name, id) WHERE ended = 0;
CREATE INDEX grants_limited ON grants (id) WHERE ended = 0 AND limited = 1;
CREATE INDEX grants_standing ON grants (agent_id, id) WHERE standing = 1 AND ended = 0;
CREATE INDEX grants_giver ON grants (credential) WHERE standing = 1 AND ended = 0;

CREATE TABLE modes (
    agent_id word PRIMARY KEY,
    setting  TEXT NOT NULL -- JSON of approval.ModeSetting
);

CREATE TABLE halts (
    agent_id word PRIMARY KEY, -- empty: every agent
    halt     TEXT NOT NULL     -- JSON of approval.Halt
);

CREATE TABLE audit (
    seq     BIGINT PRIMARY KEY,
    at      BIGINT NOT NULL,
    kind    word   NOT NULL,
    subject TEXT   NOT NULL,
    via     TEXT   NOT NULL,
    data    TEXT   NOT NULL,
    prev    TEXT   NOT NULL,
    hash    TEXT   NOT NULL
);
CREATE INDEX audit_signed ON audit (seq) WHERE kind = 'checkpoint';

-- The cut of the audit log that is under way; at most one row.
CREATE TABLE audit_cut (
    last BIGINT PRIMARY KEY, -- the last record to be cut off
    said BIGINT NOT NULL     -- the chain says so: the export is there
);

CREATE TABLE credentials (
    id          word PRIMARY KEY,
    fingerprint word   NOT NULL UNIQUE,     -- SHA-256 of the secret
    proof       word   NOT NULL DEFAULT '', -- SHA-256 of a login's second proof
    credential  TEXT   NOT NULL,            -- JSON of auth.Credential
    used_at     BIGINT NOT NULL DEFAULT 0,  -- microseconds since 1970; 0: not used yet
    address     TEXT   NOT NULL DEFAULT ''  -- from where it was used last
);

CREATE TABLE invitations (
    id          word PRIMARY KEY,
    fingerprint word NOT NULL, -- SHA-256 of the link's secret
    maker       word NOT NULL, -- the id of what its maker was let in by
    invitation  TEXT NOT NULL  -- JSON of auth.Invitation
);

CREATE TABLE login_ends (
    id    word PRIMARY KEY, -- of the login
    proof word NOT NULL,    -- as of credentials: only its own page is told why
    ended TEXT NOT NULL     -- JSON of auth.LoginEnd
);

CREATE TABLE push_subscriptions (
    login_id     word PRIMARY KEY REFERENCES credentials (id) ON DELETE CASCADE,
    endpoint     TEXT   NOT NULL UNIQUE,
    public_key   BYTEA  NOT NULL,
    secret       BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL,
    last_success BIGINT,          -- NULL: none yet
    refused      BIGINT NOT NULL  -- messages in a row
);

-- +goose Down
DROP TABLE push_subscriptions, login_ends, invitations, credentials, audit_cut, audit, halts, modes, grants, history, diffs, waiting, approvals, events, sessions, commits, keys, nodes, head;
DROP FUNCTION approval_ended, take_head;
DROP DOMAIN word;
