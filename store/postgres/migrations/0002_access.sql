-- +goose Up
-- Each change of who has access rests on the one before it: a node that has not heard of that is refused.
CREATE TABLE access (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    changes BIGINT NOT NULL, -- of credentials, invitations and ended logins, counted
    admins  BIGINT NOT NULL  -- logins of admins, counted
);
INSERT INTO access (one, changes, admins) VALUES (1, 0, 0);

-- Tickets and login links that work once, on whichever node they are shown.
CREATE TABLE one_time (
    fingerprint word PRIMARY KEY,     -- SHA-256 of the secret
    node        word        NOT NULL, -- that has made it
    kind        word        NOT NULL, -- auth.Secret
    identity    TEXT        NOT NULL, -- JSON: whom it stands for
    until       TIMESTAMPTZ NOT NULL
);
CREATE INDEX one_time_until ON one_time (until);

-- Terminals that are waiting to log in.
CREATE TABLE device_logins (
    code      word PRIMARY KEY,            -- SHA-256 of the device code
    user_code word        NOT NULL UNIQUE, -- what people compare
    name      TEXT        NOT NULL,
    address   TEXT        NOT NULL,
    asked     TIMESTAMPTZ NOT NULL,
    until     TIMESTAMPTZ NOT NULL,
    answer    TEXT                         -- JSON: the login that was allowed, or null; NULL: nobody has answered
);
CREATE INDEX device_logins_until ON device_logins (until);

-- +goose Down
DROP TABLE device_logins, one_time, access;
