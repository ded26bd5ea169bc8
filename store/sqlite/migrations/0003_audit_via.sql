-- +goose Up
ALTER TABLE audit ADD COLUMN via TEXT NOT NULL DEFAULT ''; -- the door; records from before have none

-- +goose Down
ALTER TABLE audit DROP COLUMN via;
