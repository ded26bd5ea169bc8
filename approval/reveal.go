package approval

import (
	"context"

	"github.com/lineclear/lineclear/auth"
)

// Reveal returns a request with its secrets, to whoever may answer it. That
// they were looked at is written down first.
func (m *Manager) Reveal(ctx context.Context, id auth.Identity, via, approvalID string) (Request, error) {
	if !id.May(auth.Answer) {
		return Request{}, auth.ErrForbidden
	}
	if err := m.store.Revealed(ctx, approvalID, By{Subject: id.Subject, Via: via}); err != nil {
		return Request{}, err
	}
	row, err := m.store.Get(ctx, approvalID)
	return row.Request, err
}
