package auth

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Memory is a CredentialStore for tests and programs that embed the gateway and
// need not remember anybody.
type Memory struct {
	mu          sync.Mutex
	all         []Credential
	invitations map[string]Invitation
	ends        map[string]EndedLogin
}

var _ CredentialStore = (*Memory)(nil)

// ListCredentials implements CredentialStore.
func (m *Memory) ListCredentials(context.Context) ([]Credential, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all), nil
}

// SaveCredentials implements CredentialStore.
func (m *Memory) SaveCredentials(_ context.Context, _ string, saved ...Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range saved {
		m.all = append(slices.DeleteFunc(m.all, func(other Credential) bool { return other.ID == c.ID }), c)
	}
	return nil
}

// SaveUses implements CredentialStore.
func (m *Memory) SaveUses(_ context.Context, used ...Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range used {
		if at := slices.IndexFunc(m.all, func(other Credential) bool { return other.ID == c.ID }); at >= 0 {
			m.all[at].UsedAt, m.all[at].Address = c.UsedAt, c.Address
		}
	}
	return nil
}

// Invited implements CredentialStore.
func (*Memory) Invited(context.Context, Credential, string) error { return nil }

// DropCredentials implements CredentialStore.
func (m *Memory) DropCredentials(_ context.Context, _ string, why LoginEnd, dropped ...Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range dropped {
		m.all = slices.DeleteFunc(m.all, func(other Credential) bool { return other.ID == c.ID })
		if ended, ok := c.Ended(why); ok {
			m.ends = with(m.ends, ended.ID, ended)
		}
	}
	return nil
}

// ListInvitations implements InvitationStore.
func (m *Memory) ListInvitations(context.Context) ([]Invitation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.invitations)), nil
}

// SaveInvitations implements InvitationStore.
func (m *Memory) SaveInvitations(_ context.Context, _ string, saved ...Invitation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range saved {
		m.invitations = with(m.invitations, i.ID, i)
	}
	return nil
}

// ListEnds implements InvitationStore.
func (m *Memory) ListEnds(context.Context) ([]EndedLogin, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.ends)), nil
}

// Forget implements InvitationStore.
func (m *Memory) Forget(_ context.Context, ids ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.invitations, id)
		delete(m.ends, id)
	}
	return nil
}

// with adds an entry to a map. It makes the map first if need be, since the zero Memory has none.
func with[T any](all map[string]T, id string, one T) map[string]T {
	if all == nil {
		all = map[string]T{}
	}
	all[id] = one
	return all
}
