package approval

import "context"

// maxPast is how many past calls a suggestion is tried on, the newest.
const maxPast = 1000

// Suggestion is a rule that would have cleared a request, with what it would
// have done to past calls.
type Suggestion struct {
	Covers  Coverage `json:"covers"`
	Rule    string   `json:"rule"`    // as YAML, for agents.yaml
	Matched int      `json:"matched"` // past calls that it takes in
	Denied  int      `json:"denied"`  // of those: how many were denied
}

// Past returns the case of a request, as it would be judged now, and what was
// decided before about the same agent's calls of the same tool, oldest first.
func (m *Manager) Past(ctx context.Context, approvalID string) (Case, []Approval, error) {
	row, err := m.store.Get(ctx, approvalID)
	if err != nil {
		return Case{}, nil, err
	}
	c := Case{Request: row.Request}
	if gate := m.gate(row.AgentID); gate != nil {
		c = gate.about(row.Request, gate.terms(row.SessionID, row.ToolName))
	}
	past, err := m.store.Find(ctx, Query{AgentID: row.AgentID, ToolName: row.ToolName, Settled: true, Newest: maxPast})
	return c, past, err
}
