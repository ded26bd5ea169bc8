package wsapprover

import (
	"context"

	"github.com/lineclear/lineclear/door"
)

// A tab whose identity is for some agents learns nothing of the others.

// maxScopes bounds the sessions whose agents are remembered.
const maxScopes = 10_000

// scopes knows with which agents sessions are. It belongs to one goroutine.
type scopes struct {
	door   *door.Door
	agents map[string]string
}

// of is the agent that some news is about; empty where it can't be determined: no
// narrow scope covers that.
func (s *scopes) of(ctx context.Context, news door.News) string {
	if news.AgentID != "" || news.SessionID == "" {
		return news.AgentID
	}
	if known := s.agents[news.SessionID]; known != "" {
		return known
	}
	agentID, err := s.door.AgentOf(ctx, news.SessionID)
	if err != nil {
		return ""
	}
	if len(s.agents) >= maxScopes {
		clear(s.agents)
	}
	s.agents[news.SessionID] = agentID
	return agentID
}

// anyScoped reports whether there is a tab that may not learn of everything.
func (h *Hub) anyScoped() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.tabs {
		if len(t.who.Agents) > 0 {
			return true
		}
	}
	return false
}
