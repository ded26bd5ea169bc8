-- +goose Up
ALTER TABLE approvals ADD COLUMN touches TEXT NOT NULL DEFAULT '';      -- JSON; of a refusal: those that still hold
ALTER TABLE approvals ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;    -- a no that holds
CREATE INDEX approvals_refused ON approvals (session_id, id) WHERE refused = 1;

-- +goose Down
DROP INDEX approvals_refused;
ALTER TABLE approvals DROP COLUMN refused;
ALTER TABLE approvals DROP COLUMN touches;
