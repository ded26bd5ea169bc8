package transcript

import (
	"context"
	"errors"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// ErrNotTool refuses to take a message of another role than tool as an answer.
var ErrNotTool = errors.New("transcript: only a message with the role tool is an answer; to say something, send its text")

// Approvals is what the door does with requests; *gate.Manager is it.
type Approvals interface {
	Get(ctx context.Context, approvalID string) (approval.Approval, error)
	Find(ctx context.Context, q approval.Query) ([]approval.Approval, error)
	Decide(ctx context.Context, who auth.Identity, r approval.Response) (approval.Approval, error)
}

// Sessions is what the door reads; every session.Log is it.
type Sessions interface {
	Get(ctx context.Context, id string) (session.Session, error)
}

// Agents is to whom the door passes on what is no answer; *agent.Roster is it.
type Agents interface {
	Send(ctx context.Context, who auth.Identity, sessionID, text string) (int64, error)
}

// Backend is what a door leads to; all of it is required.
type Backend struct {
	Approvals Approvals
	Sessions  Sessions
	Agents    Agents
}

// Door takes chat messages: as answers, or as talk for an agent.
type Door struct{ Backend }

// New makes a door.
func New(b Backend) *Door { return &Door{Backend: b} }

// Post takes a tool message as the answer to a request of the session. The
// message alone says what is answered; no history is looked at. What the
// message says of the call has to be true of the request.
//
// The same answer again is acknowledged with the row that stands; any other
// answer to what is decided gets what Desk.Decide says, beside the row.
func (d *Door) Post(ctx context.Context, who auth.Identity, via approval.Via, sessionID string, m Message) (approval.Approval, error) {
	return d.post(ctx, who, via, sessionID, m, "")
}

// post is Post of a message that may say which agent asks.
func (d *Door) post(
	ctx context.Context, who auth.Identity, via approval.Via, sessionID string, m Message, agentID string,
) (approval.Approval, error) {
	if !who.May(auth.Answer) {
		return approval.Approval{}, auth.ErrForbidden
	}
	if m.Role != Tool {
		return approval.Approval{}, ErrNotTool
	}
	said, err := ParseToolAnswer(m)
	if err != nil {
		return approval.Approval{}, err
	}
	said.AgentID = agentID
	answer, err := said.Answer()
	if err != nil {
		return approval.Approval{}, err
	}
	row, err := d.Approvals.Get(ctx, answer.ApprovalID)
	if err != nil {
		return approval.Approval{}, err
	}
	if !row.In(sessionID) {
		return approval.Approval{}, approval.ErrForeign
	}
	if err := said.About(row.Request); err != nil {
		return approval.Approval{}, err
	}
	return d.decide(ctx, who, via, row, answer)
}

// decide hands an answer to a row in, with the name that the row's request has
// for a session's scope.
func (d *Door) decide(
	ctx context.Context, who auth.Identity, via approval.Via, row approval.Approval, a approval.Answer,
) (approval.Approval, error) {
	a.ApprovalID, a.SessionID, a.ArgsDigest = row.ApprovalID, row.SessionID, row.ArgsDigest
	if scope, ok := sessionScope(row.Request); ok && a.Scope == approval.Session {
		a.Scope = scope
	}
	return d.Approvals.Decide(ctx, who, a.Response(via))
}
