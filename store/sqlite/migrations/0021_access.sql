-- +goose Up
ALTER TABLE credentials ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;  -- microseconds since 1970; 0: not used yet
ALTER TABLE credentials ADD COLUMN address TEXT NOT NULL DEFAULT '';    -- from where it was used last

CREATE TABLE invitations (
    id          TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL, -- SHA-256 of the link's secret
    maker       TEXT NOT NULL, -- the id of what its maker was let in by
    invitation  TEXT NOT NULL  -- JSON of auth.Invitation
) STRICT, WITHOUT ROWID;

CREATE TABLE login_ends (
    id    TEXT PRIMARY KEY, -- of the login
    proof TEXT NOT NULL,    -- as of credentials: only its own page is told why
    ended TEXT NOT NULL     -- JSON of auth.End
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE login_ends;
DROP TABLE invitations;
ALTER TABLE credentials DROP COLUMN address;
ALTER TABLE credentials DROP COLUMN used_at;
