package approval

import (
	"context"

	"github.com/lineclear/lineclear/auth"
)

// Reveal returns a request with its secrets, to whoever may answer it. That
// they were looked at is written down first.
func (m *Manager) Reveal(ctx context.Context, id auth.Identity, via, approvalID string) (Request, error) {
	row, err := m.lookedUp(ctx, id, approvalID, auth.Answer)
	if err != nil {
		return Request{}, err
	}
	if err := m.store.Revealed(ctx, approvalID, By{Subject: id.Subject, Via: via}); err != nil {
		return Request{}, err
	}
	return row.Request, nil
}
