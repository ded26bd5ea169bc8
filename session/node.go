package session

import "time"

// Node is one of several gateways that work together.
type Node struct {
	Name     string    `json:"name"`              // as cluster.node has it
	Here     bool      `json:"here,omitzero"`     // it is the one that answers
	State    NodeState `json:"state"`             // what it does
	Since    time.Time `json:"since"`             // when it began to work, or to stand by
	Version  string    `json:"version,omitempty"` // of its program; absent: not known
	Sessions int       `json:"sessions"`          // those with an open turn in which it works
	Behind   int64     `json:"behind"`            // how many commits older than two seconds it has not taken in
	Silent   int64     `json:"silentSeconds"`     // since its last sign of life, of which there is one a second

	Differs []Differing `json:"differs,omitempty"` // agents for which nothing runs there, since another file counts
}

// Differing is an agent of which a node's file says something else than the one that counts.
type Differing struct {
	AgentID string `json:"agentId"`
	Digest  string `json:"digest"` // of what the node's file says about it
	Counts  string `json:"counts"` // the digest that counts
}

// NodeState is what a node does.
type NodeState string

// The states. One that is gone has not said so: it was killed, hangs, or can't reach the database.
const (
	NodeWorks    NodeState = "works"
	NodeStandsBy NodeState = "stands_by" // until no gateway of an older version works
	NodeGone     NodeState = "gone"
)
