package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// toolsets are an agent's MCP servers as toolsets. They are started when they are
// needed.
func (g *Gateway) toolsets(a config.Agent, b *bus.Bus) ([]agent.Toolset, error) {
	var sets []agent.Toolset
	for _, c := range a.MCP {
		if c.Sandbox != nil {
			c.Sandbox.Hide = Folders(g.settings())
		}
		made, err := mcp.New(c.Config, mcp.Options{
			Owner: g.programs, Ask: g.askForServer, Logins: g.logins,
			Progress: func(call tool.Call, p mcp.Progress) {
				session.Progresses.Publish(b, session.Progress{
					SessionID: call.SessionID, CallID: call.ID, Done: p.Done, Total: p.Total, Message: p.Message,
				})
			},
			Log: func(sessionID, level, text string) {
				g.log.Log(severity(level), "an MCP server says", zap.String("server", c.Name), zap.String("agent", a.ID),
					zap.String("session", sessionID), zap.String("level", level), zap.String("text", text))
			},
		})
		if err != nil {
			return nil, err
		}
		g.servers = append(g.servers, made)
		sets = append(sets, agent.Toolset{
			Name: setName(c), Server: c.Name, Prefix: c.Name + "__", Terms: setTerms(c),
			Tools: func(ctx context.Context, sessionID string) ([]tool.Tool, error) {
				tools, err := made.Tools(ctx, sessionID)
				if failed := (*mcp.Error)(nil); errors.As(err, &failed) && failed.Again.IsZero() && ctx.Err() == nil {
					g.log.Warn("an MCP server can't be used", zap.String("agent", a.ID), zap.String("session", sessionID), zap.Error(err))
				}
				if err == nil {
					g.logMisfits(a.ID, c.Name, tools)
				}
				return tools, err
			},
		})
	}
	return sets, nil
}

// setName names a server's tools, for people and the model.
func setName(c config.MCPServer) string { return "the MCP server " + c.Name }

// setTerms are the terms of a server's tools.
func setTerms(c config.MCPServer) gate.SetTerms {
	terms := gate.SetTerms{All: c.Terms, Tools: map[string]approval.Terms{}}
	for name, t := range c.Tools {
		terms.Tools[c.Name+"__"+name] = t
	}
	return terms
}

// logMisfits logs, once for each place until the file is taken over again, which of its
// terms don't fit the tools that a server has.
func (g *Gateway) logMisfits(agentID, server string, tools []tool.Tool) {
	specs := make([]tool.Spec, len(tools))
	for i, t := range tools {
		specs[i] = t.Spec()
	}
	for _, a := range g.settings().Agents {
		for _, c := range a.MCP {
			if a.ID != agentID || c.Name != server {
				continue
			}
			for _, text := range c.Misfits(specs) {
				place, why, _ := strings.Cut("agents."+a.ID+"."+text, ": ")
				// Not by the fault, which names the server's own tools: they change as it likes.
				if _, said := g.misfits.LoadOrStore(place, true); !said {
					g.log.Warn("the configuration does not fit an MCP server", zap.String("place", place), zap.String("fault", why))
				}
			}
		}
	}
}

// severity is the level at which a line of a server is logged.
func severity(level string) zapcore.Level {
	switch level {
	case "debug":
		return zapcore.DebugLevel
	case "warning":
		return zapcore.WarnLevel
	case "error", "critical", "alert", "emergency":
		return zapcore.ErrorLevel
	default:
		return zapcore.InfoLevel
	}
}

// askForServer puts a server's question to the people who can answer.
func (g *Gateway) askForServer(ctx context.Context, q mcp.Question) (mcp.Answer, error) {
	r := approval.Request{
		Type: approval.Elicitation, SessionID: q.SessionID, AgentID: q.AgentID, ToolCallID: uuid.NewString(),
		WorkingDirectory: q.WorkingDirectory, Message: q.Message, Schema: q.Schema,
		Origin: approval.Origin{Kind: approval.OriginServer, Client: q.Server},
	}
	if q.ToolCallID != "" {
		r.ToolCallID = q.ToolCallID + "/" + r.ToolCallID
	}
	if q.URL != "" {
		r.Message = fmt.Sprintf("%s\n\nOpen this page, and accept when you have done what it asks: %s", q.Message, q.URL)
	} else if err := approval.CheckForm(q.Schema); err != nil {
		return mcp.Answer{}, fmt.Errorf("the form of MCP server %s can't be shown: %w", q.Server, err)
	}
	row, err := g.manager.AskWithin(ctx, r)
	switch {
	case err != nil:
		return mcp.Answer{}, err
	case row.Status == approval.Approved:
		return mcp.Answer{Action: mcp.Accept, Content: row.Response.FormData}, nil
	case row.Response.Reason == approval.UserDenied:
		return mcp.Answer{Action: mcp.Decline}, nil
	default:
		return mcp.Answer{Action: mcp.Cancel}, nil
	}
}

// endLeftovers ends what an earlier process has left running. The data folder is
// ours alone: what still runs in its name is left over.
func (g *Gateway) endLeftovers() {
	if had, failed := mcp.EndLeftovers(g.programs); failed != nil {
		g.log.Warn("programs of MCP servers are left over and can't be ended", zap.Error(failed))
	} else if had {
		g.log.Info("programs of MCP servers that an earlier process had left running were ended")
	}
}
