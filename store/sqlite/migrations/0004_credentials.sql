-- +goose Up
CREATE TABLE credentials (
    id          TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE, -- SHA-256 of the secret
    credential  TEXT NOT NULL         -- JSON of auth.Credential
) STRICT;
INSERT INTO credentials (id, fingerprint, credential)
SELECT substr(fingerprint, 1, 32), fingerprint, json_object(
    'id', substr(fingerprint, 1, 32), 'kind', 'login',
    'subject', json_extract(identity, '$.subject'), 'roles', json(json_extract(identity, '$.roles')),
    'createdAt', strftime('%Y-%m-%dT%H:%M:%SZ', created_at / 1000000, 'unixepoch'),
    'expiresAt', strftime('%Y-%m-%dT%H:%M:%SZ', expires_at / 1000000, 'unixepoch')
) FROM logins;
DROP TABLE logins;

-- +goose Down
CREATE TABLE logins (
    fingerprint TEXT PRIMARY KEY,
    identity    TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;
DROP TABLE credentials;
