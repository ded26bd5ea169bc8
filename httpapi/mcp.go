package httpapi

import (
	"net/http"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// MCPDoor is where MCP clients reach the servers that the gateway offers; *mcpgate.Door is it.
type MCPDoor interface {
	Serve(w http.ResponseWriter, r *http.Request, server string, who auth.Identity)
}

// mcpRoutes are the methods of streamable HTTP. They are no part of the API: their bodies
// are those of the Model Context Protocol.
func (s *Server) mcpRoutes() []Route {
	var routes []Route
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		routes = append(routes, Route{
			Pattern: method + " /mcp/{server}", Right: auth.Ask, Hidden: true, Large: true, Free: method == http.MethodDelete, serve: s.mcp,
		})
	}
	return routes
}

func (s *Server) mcp(c *call) error {
	switch {
	case s.MCP == nil:
		return &fault{http.StatusNotFound, "no MCP server is offered here: name one under mcp of an external agent in agents.yaml"}
	case c.r.Header.Get("Authorization") == "":
		return &fault{http.StatusUnauthorized, "MCP clients need a token: make one with gateway tokens create NAME --role agent, and send it as Authorization: Bearer TOKEN"}
	case c.who.May(auth.Answer):
		return &fault{http.StatusForbidden, "this token may answer requests, and an agent could use it to approve its own calls: make one with the role agent"}
	}
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Time{}) // the client may wait as long as a person takes
	s.MCP.Serve(c.w, c.r, c.r.PathValue("server"), c.who)
	return nil
}
