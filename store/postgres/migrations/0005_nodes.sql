-- +goose Up
ALTER TABLE nodes ADD COLUMN seen BIGINT NOT NULL DEFAULT 0; -- the newest commit that it has put on its bus, as it said last
ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT ''; -- of its program; empty: not said yet

-- +goose Down
ALTER TABLE nodes DROP COLUMN version;
ALTER TABLE nodes DROP COLUMN seen;
