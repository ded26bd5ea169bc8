package approval

import (
	"context"
	"time"
)

// Grant is a remembered approval: it answers the same question in the same
// session. It covers exactly what was shown, by digest, and is given in the
// transaction that settles the approval it comes from.
type Grant struct {
	ID         string    `json:"grantId"`
	Scope      Scope     `json:"scope"`
	AgentID    string    `json:"agentId"`
	SessionID  string    `json:"sessionId"`
	ToolName   string    `json:"toolName"`
	Digest     string    `json:"argsDigest"`
	ApprovalID string    `json:"approvalId"` // where it was given
	GivenBy    By        `json:"givenBy"`
	GivenAt    time.Time `json:"givenAt"`
}

// Grants finds remembered approvals.
type Grants interface {
	// Granted returns the newest grant that covers the request, and false when
	// none does.
	Granted(ctx context.Context, r Request) (Grant, bool, error)
}

// Covers reports whether the grant answers r.
func (g Grant) Covers(r Request) bool {
	return g.Scope == Session && r.Type == ToolConfirmation &&
		g.AgentID == r.AgentID && g.SessionID == r.SessionID &&
		g.ToolName == r.ToolName && g.Digest == r.ArgsDigest
}
