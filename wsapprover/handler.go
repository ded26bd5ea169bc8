package wsapprover

import (
	"context"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
)

// Handler is the approval.Handler of requests that people answer elsewhere:
// in a tab, a terminal, a program. It waits for whoever is first, and for the
// deadline.
type Handler struct{ waiters *gate.Waiters }

var _ approval.Handler = (*Handler)(nil)

// NewHandler makes a handler whose promises are resolved through waiters.
func NewHandler(waiters *gate.Waiters) *Handler { return &Handler{waiters: waiters} }

// Ask returns the answer as it was recorded, or context.DeadlineExceeded at the
// deadline. If the answer came before Ask was called, ctx has ended already.
func (h *Handler) Ask(ctx context.Context, r approval.Request) (approval.Response, error) {
	promise := h.waiters.Register(r.ApprovalID)
	defer promise.Close()
	var deadline <-chan time.Time
	if !r.ExpiresAt.IsZero() {
		timer := time.NewTimer(time.Until(r.ExpiresAt))
		defer timer.Stop()
		deadline = timer.C
	}
	select {
	case <-promise.Done():
		return promise.Response(), nil
	case <-deadline:
		return approval.Response{}, context.DeadlineExceeded // the manager's clock settles it
	case <-ctx.Done():
		return approval.Response{}, ctx.Err()
	}
}
