package httpapi

import (
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
)

type withdrawnBody struct {
	Withdrawn []door.Approval `json:"withdrawn"`
}

// cancelWaiting withdraws what waits and lets turns go on.
func (s *Server) cancelWaiting(c *call, in approval.Which) (withdrawnBody, error) {
	rows, err := s.Door.CancelWaiting(c.r.Context(), c.who, in)
	return withdrawnBody{rows}, err
}

type haltBody struct {
	AgentID string `json:"agentId,omitempty"`
	All     bool   `json:"all,omitempty"` // all agents
}

func (in haltBody) agent() (string, error) {
	if in.All == (in.AgentID != "") {
		return "", invalid("name an agentId, or all")
	}
	return in.AgentID, nil
}

func (s *Server) halt(c *call, in haltBody) (approval.Halt, error) {
	agentID, err := in.agent()
	if err != nil {
		return approval.Halt{}, err
	}
	return s.Door.Halt(c.r.Context(), c.who, agentID)
}

func (s *Server) lift(c *call, in haltBody) (approval.Halt, error) {
	agentID, err := in.agent()
	if err != nil {
		return approval.Halt{}, err
	}
	return s.Door.Lift(c.r.Context(), c.who, agentID)
}

type haltsBody struct {
	Halts []approval.Halt `json:"halts"`
}

func (s *Server) halts(c *call, _ none) (haltsBody, error) {
	return haltsBody{append([]approval.Halt{}, s.Door.Halts(c.who)...)}, nil
}
