-- +goose Up
-- The run of a program's session; sessions from before have none.
ALTER TABLE sessions ADD COLUMN run TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_run ON sessions (run) WHERE run <> '' AND ended = '';
CREATE INDEX approvals_running ON approvals (session_id) WHERE run = 'claimed';

-- +goose Down
DROP INDEX approvals_running;
DROP INDEX sessions_run;
ALTER TABLE sessions DROP COLUMN run;
