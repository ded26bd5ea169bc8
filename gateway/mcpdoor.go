package gateway

import (
	"context"
	"net/http"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/mcpgate"
	"github.com/lineclear/lineclear/tool/mcp"
)

// openMCP opens the door to the MCP servers that external agents offer.
func (g *Gateway) openMCP(closing context.Context, c *config.Config) {
	offers := map[string]mcpgate.Offer{}
	for _, a := range c.Programs {
		for _, s := range a.MCP {
			if s.Sandbox != nil {
				s.Sandbox.Hide = Folders(c)
			}
			offers[s.Name] = g.offer(a.ID, s.Config)
		}
	}
	var inside http.Handler
	door := mcpgate.NewDoor(closing, offers, g.keyring, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inside.ServeHTTP(w, r) }))
	g.server.MCP = door
	inside = g.server.Handler()
	g.closers = append(g.closers, door.Close)
}

func (g *Gateway) offer(agentID string, c mcp.Config) mcpgate.Offer {
	log := g.log.With(zap.String("server", c.Name), zap.String("agent", agentID))
	return mcpgate.Offer{
		Options: mcpgate.Options{
			Server: c.Name, AgentID: agentID, Folder: c.WorkingDirectory, Arguments: c.Arguments, Takes: c.Takes,
			Note: func(text string) { log.Info("between an MCP client and its server", zap.String("text", text)) },
		},
		Connect: func(ctx context.Context) (mcpgate.Conn, func(), error) {
			server, err := mcp.Transport(c, mcp.Options{Owner: g.programs, Logins: g.logins}, func(level, text string) {
				log.Log(severity(level), "an MCP server says", zap.String("level", level), zap.String("text", text))
			})
			if err != nil {
				return nil, nil, err
			}
			conn, err := server.Raw(ctx)
			end := func() { server.Shutdown(func() {}) }
			if err != nil {
				end()
				return nil, nil, err
			}
			return conn, end, nil
		},
	}
}
