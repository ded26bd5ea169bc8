package httpapi

import (
	"slices"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/session"
)

const (
	pageSize = 100
	maxPage  = 500
)

type agentsBody struct {
	Agents []agent.Info `json:"agents"`
}

func (s *Server) agents(c *call, _ none) (agentsBody, error) {
	return agentsBody{s.listAgents(c)}, nil
}

type sessionsBody struct {
	Sessions []session.Session `json:"sessions"`
	Next     string            `json:"next,omitempty"` // before of the next page; left out on the last
}

func (s *Server) sessions(c *call, _ none) (sessionsBody, error) {
	limit, err := c.number("limit", pageSize, 1, maxPage)
	if err != nil {
		return sessionsBody{}, err
	}
	list, err := s.listSessions(c.r.Context(), c)
	if err != nil {
		return sessionsBody{}, err
	}
	if before := c.query("before"); before != "" {
		i := slices.IndexFunc(list, func(s session.Session) bool { return s.ID == before })
		if i < 0 {
			return sessionsBody{}, invalid("before: there is no session %q", before)
		}
		list = list[i+1:]
	}
	for i := range list {
		list[i] = list[i].Masked(s.Secrets)
	}
	body := sessionsBody{Sessions: list}
	if int64(len(list)) > limit {
		body.Sessions = list[:limit]
		body.Next = list[limit-1].ID
	}
	return body, nil
}

func (s *Server) session(c *call, _ none) (session.Session, error) {
	found, err := s.Backend.Sessions.Get(c.r.Context(), c.r.PathValue("id"))
	return found.Masked(s.Secrets), err
}

type newSessionBody struct {
	AgentID string `json:"agentId"`
	Title   string `json:"title,omitempty"`
}

func (s *Server) newSession(c *call, in newSessionBody) (session.Session, error) {
	if in.AgentID == "" {
		return session.Session{}, invalid("agentId: missing; GET /api/agents lists the agents")
	}
	return s.Backend.Agents.NewSession(c.r.Context(), c.who, in.AgentID, in.Title)
}

type eventsBody struct {
	Events []session.Event `json:"events"`
	Next   int64           `json:"next,omitzero"` // after of the next page; left out on the last
}

func (s *Server) events(c *call, _ none) (eventsBody, error) {
	after, err := c.number("after", 0, 0, 1<<53)
	if err != nil {
		return eventsBody{}, err
	}
	limit, err := c.number("limit", pageSize, 1, maxPage)
	if err != nil {
		return eventsBody{}, err
	}
	list, err := s.Backend.Sessions.Events(c.r.Context(), c.r.PathValue("id"), after)
	if err != nil {
		return eventsBody{}, err
	}
	for i := range list {
		list[i] = list[i].Masked(s.Secrets)
	}
	body := eventsBody{Events: list}
	if int64(len(list)) > limit {
		body.Events = list[:limit]
		body.Next = list[limit-1].Seq
	}
	return body, nil
}

// interrupt answers when nothing of the turn runs any more.
func (s *Server) interrupt(c *call, _ none) (none, error) {
	over, err := s.Backend.Agents.Interrupt(c.r.Context(), c.who, door, c.r.PathValue("id"))
	if err != nil {
		return none{}, err
	}
	select {
	case <-over:
	case <-c.r.Context().Done():
	}
	return none{}, nil
}

// cancelSession ends a session for good, and answers with it.
func (s *Server) cancelSession(c *call, in none) (session.Session, error) {
	if err := s.Backend.Agents.End(c.r.Context(), c.who, door, c.r.PathValue("id")); err != nil {
		return session.Session{}, err
	}
	return s.session(c, in)
}
