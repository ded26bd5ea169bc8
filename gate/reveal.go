package gate

import (
	"context"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// Reveal returns a request with its secrets, to whoever may answer it. That
// they were looked at is written down first.
func (m *Manager) Reveal(ctx context.Context, id auth.Identity, via, approvalID string) (approval.Request, error) {
	row, err := m.lookedUp(ctx, id, approvalID, auth.Answer)
	if err != nil {
		return approval.Request{}, err
	}
	if err := m.store.Revealed(ctx, approvalID, approval.By{Subject: id.Subject, Via: via}); err != nil {
		return approval.Request{}, err
	}
	return row.Request, nil
}
