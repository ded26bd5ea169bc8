package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// Agent is an agent in the configuration of a node.
type Agent struct {
	Digest string // of what the node's file says about it
	Runs   bool   // the node may work in its sessions
}

// agreed is the result of this node's last Agree.
type agreed struct {
	agents map[string]Agent
	behind map[string]string // see Agree
}

// serves reports whether this node may work in an agent's sessions.
func (s *Store) serves(agentID string) bool {
	a := s.agents.Load()
	return a == nil || a.agents[agentID].Runs && a.behind[agentID] == ""
}

// servesAll reports whether this node serves all its agents.
func (s *Store) servesAll() bool {
	a := s.agents.Load()
	if a == nil {
		return true
	}
	for id := range a.agents {
		if !s.serves(id) {
			return false
		}
	}
	return true
}

// Agree registers this node's agents. For each agent one digest counts: the one that was set first, as long as
// another live node has it; else, or with insist, this node's. Agree returns the agents for which another digest
// counts, with that digest: until the nodes agree, this node claims nothing for them and works in none of their
// sessions.
func (s *Store) Agree(ctx context.Context, agents map[string]Agent, insist bool) (behind map[string]string, err error) {
	if s.others == nil {
		return nil, nil
	}
	behind, err = write(ctx, s, "agree", func(c *change) (map[string]string, error) {
		err := c.exec("DELETE FROM node_agents WHERE turn = ? OR turn NOT IN "+liveTurns, s.node())
		if err != nil {
			return nil, err
		}
		behind, changed := map[string]string{}, false
		for id, a := range agents {
			counts, set, err := c.agree(id, a.Digest, insist)
			if err != nil {
				return nil, err
			}
			if counts != a.Digest {
				behind[id] = counts
			}
			changed = changed || set
		}
		if changed {
			c.tell(news{Of: newNodes}, func() {})
		}
		return behind, nil
	})
	if err == nil {
		s.agents.Store(&agreed{maps.Clone(agents), behind})
	}
	return behind, err
}

// agree registers this node's digest of an agent. It returns the digest that counts, and whether this call set it.
func (c *change) agree(agentID, digest string, insist bool) (counts string, set bool, err error) {
	if err := c.exec("INSERT INTO node_agents (turn, agent_id, digest) VALUES (?, ?, ?)", c.store.node(), agentID, digest); err != nil {
		return "", false, err
	}
	var held bool
	err = c.row("SELECT digest, EXISTS (SELECT 1 FROM node_agents n WHERE n.agent_id = a.agent_id AND n.digest = a.digest AND n.turn <> ?) FROM agents a WHERE agent_id = ?",
		c.store.node(), agentID).Scan(&counts, &held)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", false, fmt.Errorf("store: agent %s: %w", agentID, err)
	}
	if err == nil && (counts == digest || held && !insist) {
		return counts, false, nil
	}
	return digest, true, c.exec("INSERT INTO agents (agent_id, digest) VALUES (?, ?) ON CONFLICT (agent_id) DO UPDATE SET digest = excluded.digest", agentID, digest)
}

// mayClaim refuses a claim while this node's digest of the agent is not the one that counts, or while this node has
// not yet read every commit that changes what calls are judged by.
func (c *change) mayClaim(agentID string) error {
	if c.store.others == nil {
		return nil
	}
	var judged int64
	var counts string
	err := c.row("SELECT judged, coalesce((SELECT digest FROM agents WHERE agent_id = ?), '') FROM head", agentID).Scan(&judged, &counts)
	mine := c.store.agents.Load()
	switch {
	case err != nil:
		return err
	case mine != nil && counts != "" && counts != mine.agents[agentID].Digest:
		return session.ErrBehind
	case judged > c.store.seen.Load():
		return approval.ErrOutdated
	}
	return nil
}
