-- +goose Up
-- What counts of an agent: the digest of what a file says of it.
CREATE TABLE agents (
    agent_id word PRIMARY KEY,
    digest   TEXT NOT NULL
);
-- What the file of each node says.
CREATE TABLE node_agents (
    turn     BIGINT NOT NULL,
    agent_id word   NOT NULL,
    digest   TEXT   NOT NULL,
    PRIMARY KEY (turn, agent_id)
);

-- +goose Down
DROP TABLE node_agents, agents;
