package gateway

import (
	"context"
	"slices"
	"time"

	"github.com/lineclear/lineclear/session"
)

// here adds who may answer requests at this gateway to what the other gateways are shown.
func (g *Gateway) here(c *session.Clients) {
	c.Answers = slices.Concat(g.hub.Answers(), g.server.Answers())
}

// lookWithin bounds how long a call waits to hear who is connected to other gateways.
const lookWithin = 5 * time.Second

// attended reports whether a tab or a stream of a person who may answer an agent's requests is connected to
// any gateway.
func (g *Gateway) attended(agentID string) bool {
	if g.hub.Attended(agentID) || g.server.Attended(agentID) {
		return true
	}
	ctx, stop := context.WithTimeout(context.Background(), lookWithin)
	defer stop()
	others, err := g.clients.Elsewhere(ctx)
	if err != nil {
		g.failed("who is connected", err)
	}
	return slices.ContainsFunc(others, func(c session.Clients) bool { return c.Attended(agentID) })
}
