-- +goose Up
-- People's logins at MCP servers, which all nodes use.
CREATE TABLE mcp_logins (
    name   word PRIMARY KEY,         -- of the server
    login  TEXT,                     -- NULL: nobody is logged in
    holder word NOT NULL DEFAULT '', -- who has locked it; empty: nobody
    until  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp() -- when the lock ends by itself
);

-- Who is connected to a node, as far as the others need to know.
CREATE TABLE clients (
    node    word PRIMARY KEY REFERENCES nodes (name) ON DELETE CASCADE,
    turn    BIGINT NOT NULL, -- of the node, as it said so
    clients TEXT   NOT NULL  -- JSON of session.Clients
);

-- Calls of client tools that one node has handed to another one. Nodes are known by their turns.
CREATE TABLE client_calls (
    id         word PRIMARY KEY,
    runner     BIGINT NOT NULL, -- that runs the call's session
    node       BIGINT NOT NULL, -- whose clients have it
    state      word   NOT NULL CHECK (state IN ('handed', 'started', 'returned', 'finished')),
    expires_at BIGINT NOT NULL, -- microseconds since 1970
    call       TEXT   NOT NULL, -- JSON of session.ClientCall
    result     TEXT,            -- JSON of tool.Result; NULL until it is finished
    CHECK ((state = 'finished') = (result IS NOT NULL))
);

-- +goose Down
DROP TABLE client_calls, clients, mcp_logins;
