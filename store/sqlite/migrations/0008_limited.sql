-- +goose Up
CREATE INDEX grants_limited ON grants (id)
    WHERE ended = 0 AND (granted ->> 'expiresAt' IS NOT NULL OR granted ->> 'maxUses' IS NOT NULL);

-- +goose Down
DROP INDEX grants_limited;
