package httpapi

import (
	"net/http"

	"github.com/lineclear/lineclear/session"
)

type nodesBody struct {
	Nodes []session.Node `json:"nodes"` // none where there is no cluster
}

// nodes tells what the gateways do for all agents together: who is for some of them is not to learn that
// there are others.
func (s *Server) nodes(c *call, _ none) (nodesBody, error) {
	if len(c.who.Agents) > 0 {
		return nodesBody{}, &fault{http.StatusForbidden, "the gateways are about all agents, and you are let in for some"}
	}
	if s.Nodes == nil {
		return nodesBody{[]session.Node{}}, nil
	}
	list, err := s.Nodes(c.r.Context())
	return nodesBody{list}, err
}
