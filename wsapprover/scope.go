package wsapprover

import (
	"context"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
)

// A tab whose identity is for some agents learns nothing of the others.

// maxScopes bounds the sessions whose agents are remembered.
const maxScopes = 10_000

// scopes knows with which agents sessions are. It belongs to one goroutine.
type scopes struct {
	sessions Sessions
	agents   map[string]string
}

// of is the agent that an event is about; empty where it can't be known, which
// nobody's scope covers.
func (s *scopes) of(ctx context.Context, e bus.Event) string {
	if r, ok := approval.Requests.From(e); ok {
		return r.AgentID
	}
	if m, ok := approval.Modes.From(e); ok {
		return m.AgentID
	}
	if r, ok := approval.Responses.From(e); ok {
		return s.ofSession(ctx, r.SessionID)
	}
	if j, ok := session.Events.From(e); ok {
		return s.ofSession(ctx, j.SessionID)
	}
	if d, ok := session.Deltas.From(e); ok {
		return s.ofSession(ctx, d.SessionID)
	}
	if p, ok := session.Progresses.From(e); ok {
		return s.ofSession(ctx, p.SessionID)
	}
	return ""
}

func (s *scopes) ofSession(ctx context.Context, id string) string {
	if known := s.agents[id]; known != "" {
		return known
	}
	found, err := s.sessions.Get(ctx, id)
	if err != nil {
		return ""
	}
	if len(s.agents) >= maxScopes {
		clear(s.agents)
	}
	s.agents[id] = found.AgentID
	return found.AgentID
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

// inScope refuses to follow a session that the tab may not know of, as if there
// were none.
func (t *tab) inScope(ctx context.Context, sessionID string) error {
	if len(t.who.Agents) == 0 {
		return nil
	}
	found, err := t.hub.Sessions.Get(ctx, sessionID)
	if err == nil && !t.who.Covers(found.AgentID) {
		err = fmt.Errorf("%w: %q", session.ErrUnknown, sessionID)
	}
	return err
}

// scoped is what a tab may know of a snapshot.
func (t *tab) scoped(all snapshot) snapshot {
	all.Pending = slices.DeleteFunc(all.Pending, func(r approval.Request) bool { return !t.who.Covers(r.AgentID) })
	all.Sessions = slices.DeleteFunc(all.Sessions, func(s session.Session) bool { return !t.who.Covers(s.AgentID) })
	return all
}
