-- +goose Up
CREATE TABLE push_subscriptions (
    login_id     TEXT PRIMARY KEY REFERENCES credentials (id) ON DELETE CASCADE,
    endpoint     TEXT    NOT NULL UNIQUE,
    public_key   BLOB    NOT NULL,
    secret       BLOB    NOT NULL,
    created_at   INTEGER NOT NULL,
    last_success INTEGER,          -- NULL: none yet
    refused      INTEGER NOT NULL  -- messages in a row
) STRICT;

-- +goose Down
DROP TABLE push_subscriptions;
