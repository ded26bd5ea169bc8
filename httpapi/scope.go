package httpapi

import (
	"context"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
)

// What an identity that is for some agents sees: of the others it learns
// nothing, not even that there is something. inScope holds every address that
// names a session, a request or an agent against it before the route is asked;
// what lists such things is filtered here.

// inScope refuses what the address names and the identity is not for, as if it
// were not there.
func (s *Server) inScope(c *call) error {
	if len(c.who.Agents) == 0 {
		return nil
	}
	_, path, _ := strings.Cut(c.route.Pattern, " ")
	id := c.r.PathValue("id")
	switch {
	case strings.HasPrefix(path, "/api/sessions/{id}"):
		return s.sessionInScope(c.r.Context(), c, id)
	case strings.HasPrefix(path, "/api/approvals/{id}"):
		row, err := s.Approvals.Get(c.r.Context(), id)
		if err == nil && !c.who.Covers(row.AgentID) {
			err = approval.ErrUnknown
		}
		return err
	case strings.HasPrefix(path, "/api/agents/{id}") && !c.who.Covers(id):
		return gate.ErrNoAgent
	}
	if sessionID := c.query("sessionId"); sessionID != "" {
		return s.sessionInScope(c.r.Context(), c, sessionID)
	}
	return nil
}

func (s *Server) sessionInScope(ctx context.Context, c *call, id string) error {
	if len(c.who.Agents) == 0 {
		return nil
	}
	found, err := s.Backend.Sessions.Get(ctx, id)
	if err == nil && !c.who.Covers(found.AgentID) {
		err = session.ErrUnknown
	}
	return err
}

// listSessions are the sessions that a call may know of, newest first.
func (s *Server) listSessions(ctx context.Context, c *call) ([]session.Session, error) {
	list, err := s.Backend.Sessions.List(ctx)
	return slices.DeleteFunc(list, func(found session.Session) bool { return !c.who.Covers(found.AgentID) }), err
}

// listAgents are the agents that a call may know of, by name.
func (s *Server) listAgents(c *call) []agent.Info {
	return slices.DeleteFunc(s.Backend.Agents.Agents(), func(a agent.Info) bool { return !c.who.Covers(a.AgentID) })
}
