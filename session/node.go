package session

import "time"

// Node is one of the gateways of a cluster.
type Node struct {
	Name     string    `json:"name"`              // as configured in cluster.node
	Here     bool      `json:"here,omitzero"`     // it is the node that answers this request
	State    NodeState `json:"state"`             // what it does
	Since    time.Time `json:"since"`             // when it began to work, or to stand by
	Version  string    `json:"version,omitempty"` // of its program; absent: not known
	Sessions int       `json:"sessions"`          // how many sessions with an open turn it works in
	Behind   int64     `json:"behind"`            // how many commits older than two seconds it has not taken in
	Silent   int64     `json:"silentSeconds"`     // since its last sign of life; a node gives one a second

	Differs []Differing `json:"differs,omitempty"` // agents for which nothing runs there, since another version counts
}

// Differing is an agent for which a node's file differs from the version that counts.
type Differing struct {
	AgentID string `json:"agentId"`
	Digest  string `json:"digest"` // of what the node's file says about it
	Counts  string `json:"counts"` // the digest that counts
}

// NodeState is what a node does.
type NodeState string

// The states. A node that is gone has not said so: it was killed, hangs, or can't reach the database.
const (
	NodeWorks    NodeState = "works"
	NodeStandsBy NodeState = "stands_by" // until no gateway of an older version works
	NodeGone     NodeState = "gone"
)
