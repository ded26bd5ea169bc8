-- +goose Up
-- What the diff of a request leaves out. It has a table of its own, since lists and snapshots read requests.
CREATE TABLE diffs (
    approval_id TEXT PRIMARY KEY REFERENCES approvals (id),
    rest        TEXT NOT NULL
) STRICT;

-- +goose Down
DROP TABLE diffs;
