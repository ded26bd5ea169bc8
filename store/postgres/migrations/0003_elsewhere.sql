-- +goose Up
-- People's logins at MCP servers, which all nodes use.
CREATE TABLE mcp_logins (
    name   word PRIMARY KEY,         -- of the server
    login  TEXT,                     -- NULL: nobody is logged in
    holder word NOT NULL DEFAULT '', -- who has locked it; empty: nobody
    until  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp() -- when the lock ends by itself
);

-- +goose Down
DROP TABLE mcp_logins;
