-- +goose Up
-- Whose run a program's session is, while it lives; earlier ones are nobody's.
ALTER TABLE sessions ADD COLUMN run TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_run ON sessions (run) WHERE run <> '' AND ended = '';
CREATE INDEX approvals_running ON approvals (session_id) WHERE run = 'claimed';

-- +goose Down
DROP INDEX approvals_running;
DROP INDEX sessions_run;
ALTER TABLE sessions DROP COLUMN run;
