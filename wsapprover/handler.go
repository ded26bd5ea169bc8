package wsapprover

import (
	"context"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
)

// Handler is the approval.Handler of requests that people answer through the
// gateway: in a tab, a terminal, a program. It keeps the promise and the timer of
// each that waits, and says whether anybody is there who could answer.
type Handler struct {
	promises *gate.Promises
	attended func(agentID string) bool
}

var _ gate.Keeper = (*Handler)(nil)

// NewHandler makes a handler that keeps its promises in a set that the bus resolves.
// attended reports whether anybody is there who could answer for an agent.
func NewHandler(promises *gate.Promises, attended func(agentID string) bool) *Handler {
	return &Handler{promises: promises, attended: attended}
}

// Expect makes the promise of an answer before its request exists. The caller must
// call forget.
func (h *Handler) Expect(approvalID string) (forget func()) { return h.promises.Expect(approvalID) }

// Ask returns the answer as it was recorded, or context.DeadlineExceeded at the
// request's deadline.
func (h *Handler) Ask(ctx context.Context, r approval.Request) (approval.Response, error) {
	return h.promises.Await(ctx, r.ApprovalID, r.ExpiresAt)
}

// Attended reports whether anybody is there who could answer for the agent.
func (h *Handler) Attended(agentID string) bool { return h.attended(agentID) }
