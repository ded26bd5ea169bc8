package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ErrNoTool is returned for the tool of a request whose agent does not have it.
var ErrNoTool = errors.New("gate: the agent does not have this tool now")

// maxPast is how many past calls a suggestion is tried on, the newest.
const maxPast = 1000

// Foresee says what would be decided about a call, were an agent to make it now:
// the request names the agent, the tool, and what it is about. Nothing is asked
// and nothing is kept.
func (m *Manager) Foresee(ctx context.Context, r approval.Request) (approval.Verdict, error) {
	gate := m.gate(r.AgentID)
	if gate == nil {
		return approval.Verdict{}, fmt.Errorf("%w: %q", ErrNoAgent, r.AgentID)
	}
	r.Type = approval.ToolConfirmation
	if err := (strictjson.Schema{}).CheckObject(strictjson.OrEmptyObject(r.Args)); err != nil {
		return approval.Verdict{}, fmt.Errorf("%w: args: %w", approval.ErrRequest, err)
	}
	var err error
	if r.ArgsDigest, err = approval.Digest(r); err != nil {
		return approval.Verdict{}, fmt.Errorf("%w: args: %w", approval.ErrRequest, err)
	}
	return m.verdict(ctx, gate.about(r, gate.terms(r.SessionID, r.ToolName))), nil
}

// Tool is the tool that a request is about, as it is now; ErrNoTool if the agent
// does not have it now.
func (m *Manager) Tool(ctx context.Context, approvalID string) (tool.Spec, error) {
	row, err := m.store.Get(ctx, approvalID)
	if err != nil {
		return tool.Spec{}, err
	}
	gated := m.gated(row.AgentID, row.SessionID, row.ToolName)
	if gated == nil {
		return tool.Spec{}, fmt.Errorf("%w: %q", ErrNoTool, row.ToolName)
	}
	return gated.spec, nil
}

// Past returns the case of a request, as it would be judged now, and what was
// decided before about the same agent's calls of the same tool, oldest first.
func (m *Manager) Past(ctx context.Context, approvalID string) (approval.Case, []approval.Approval, error) {
	row, err := m.store.Get(ctx, approvalID)
	if err != nil {
		return approval.Case{}, nil, err
	}
	c := approval.Case{Request: row.Request}
	if gate := m.gate(row.AgentID); gate != nil {
		c = gate.about(row.Request, gate.terms(row.SessionID, row.ToolName))
	}
	past, err := m.store.Find(ctx, approval.Query{AgentID: row.AgentID, ToolName: row.ToolName, Settled: true, Newest: maxPast})
	return c, past, err
}
