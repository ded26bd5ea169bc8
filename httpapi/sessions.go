package httpapi

import (
	"errors"
	"strings"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
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
	return agentsBody{s.Door.Agents(c.who)}, nil
}

type sessionsBody struct {
	Sessions []door.Session `json:"sessions"`
	Next     string         `json:"next,omitempty"` // before of the next page; left out on the last
}

func (s *Server) sessions(c *call, _ none) (sessionsBody, error) {
	limit, err := c.number("limit", pageSize, 1, maxPage)
	if err != nil {
		return sessionsBody{}, err
	}
	list, err := s.Door.Sessions(c.r.Context(), c.who, session.Query{Before: c.query("before"), Limit: int(limit) + 1})
	if errors.Is(err, session.ErrUnknown) {
		return sessionsBody{}, invalid("before: there is no session %q", c.query("before"))
	}
	if err != nil {
		return sessionsBody{}, err
	}
	body := sessionsBody{Sessions: list}
	if int64(len(list)) > limit {
		body.Sessions = list[:limit]
		body.Next = list[limit-1].ID
	}
	return body, nil
}

func (s *Server) session(c *call, _ none) (door.Session, error) {
	return s.Door.Session(c.r.Context(), c.r.PathValue("id"))
}

type newSessionBody struct {
	AgentID string `json:"agentId"`
	Title   string `json:"title,omitempty"` // one line, for people
}

func (s *Server) newSession(c *call, in newSessionBody) (door.Session, error) {
	if in.AgentID == "" {
		return door.Session{}, invalid("agentId: missing; GET /api/agents lists the agents")
	}
	if strings.ContainsAny(in.Title, "\n\t") || len(mask.HiddenIn(in.Title)) > 0 {
		return door.Session{}, invalid("title: %q has invisible characters: write one line of text", in.Title)
	}
	return s.Door.NewSession(c.r.Context(), c.who, in.AgentID, in.Title)
}

type eventsBody struct {
	Events []door.Event `json:"events"`
	Next   int64        `json:"next,omitzero"` // after of the next page; left out on the last
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
	over, err := s.read(c)
	if err != nil {
		return eventsBody{}, err
	}
	defer over()
	list, err := s.Door.Events(c.r.Context(), c.r.PathValue("id"), after, int(limit))
	if err != nil || len(list) == 0 {
		return eventsBody{Events: list}, err
	}
	last := list[len(list)-1].Seq
	if more, err := s.Door.Events(c.r.Context(), c.r.PathValue("id"), last, 1); err != nil || len(more) > 0 {
		return eventsBody{list, last}, err
	}
	return eventsBody{Events: list}, nil
}

// interruptBody says that a program stops a turn, and no person. A person gives no reason.
type interruptBody struct {
	Reason string `json:"reason,omitempty" enum:"system_cancelled"` // system_cancelled: such as that a program's time is up
}

// interrupt answers when nothing of the turn runs any more.
func (s *Server) interrupt(c *call, in interruptBody) (none, error) {
	through := s.Door
	switch approval.Reason(in.Reason) {
	case approval.SystemCancelled:
		through = through.As(approval.ViaSystem)
	case "":
	default:
		return none{}, invalid("reason: use system_cancelled or leave it out; %q is not for a program to give", in.Reason)
	}
	over, err := through.Interrupt(c.r.Context(), c.who, c.r.PathValue("id"))
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
func (s *Server) cancelSession(c *call, in none) (door.Session, error) {
	if err := s.Door.End(c.r.Context(), c.who, c.r.PathValue("id")); err != nil {
		return door.Session{}, err
	}
	return s.session(c, in)
}
