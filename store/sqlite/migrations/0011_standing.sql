-- +goose Up
ALTER TABLE grants ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;   -- holds in every session of its agent
ALTER TABLE grants ADD COLUMN credential TEXT NOT NULL DEFAULT '';   -- of a standing one: what its giver was let in by
CREATE INDEX grants_standing ON grants (agent_id, id) WHERE standing = 1 AND ended = 0;
CREATE INDEX grants_giver ON grants (credential) WHERE standing = 1 AND ended = 0;

-- +goose Down
DROP INDEX grants_giver;
DROP INDEX grants_standing;
ALTER TABLE grants DROP COLUMN credential;
ALTER TABLE grants DROP COLUMN standing;
