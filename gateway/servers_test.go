package gateway

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// named is a tool of which only the name matters.
type named string

// Spec implements tool.Tool.
func (n named) Spec() tool.Spec { return tool.Spec{Name: string(n)} }

// Run implements tool.Tool.
func (named) Run(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }

func TestAServerThatChangesItsToolsDoesNotFillTheLog(t *testing.T) {
	core, said := observer.New(zapcore.DebugLevel)
	g := &Gateway{log: zap.New(core)}
	g.current.Store(&config.Config{Agents: []config.Agent{{ID: "demo", MCP: []config.MCPServer{{
		Config: mcp.Config{Name: "notes"}, Tools: map[string]approval.Terms{"ad": {}, "delete": {}},
	}}}}})
	for i := range 5 {
		g.logMisfits("demo", "notes", []tool.Tool{named(fmt.Sprintf("notes__tool%d", i))})
	}
	var places []string
	for _, line := range said.All() {
		places = append(places, fmt.Sprint(line.ContextMap()["place"]))
	}
	if got, want := fmt.Sprint(places), "[agents.demo.mcp.notes.tools.ad agents.demo.mcp.notes.tools.delete]"; got != want {
		t.Errorf("logged were %s, want %s", got, want)
	}
}
