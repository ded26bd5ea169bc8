-- +goose Up
ALTER TABLE sessions ADD COLUMN removed INTEGER NOT NULL DEFAULT 0; -- nobody finds it any more; what is in it is being removed
CREATE INDEX sessions_removed ON sessions (id) WHERE removed = 1;

-- The cut of the audit log that is under way; at most one row.
CREATE TABLE audit_cut (
    last INTEGER PRIMARY KEY, -- the last record to be cut off
    said INTEGER NOT NULL    -- the chain says so: the export is there
) STRICT;

-- +goose Down
DROP TABLE audit_cut;
DROP INDEX sessions_removed;
ALTER TABLE sessions DROP COLUMN removed;
