-- +goose Up
ALTER TABLE sessions ADD COLUMN usage TEXT NOT NULL DEFAULT '{}'; -- JSON of session.Usage: of all its replies

-- +goose Down
ALTER TABLE sessions DROP COLUMN usage;
