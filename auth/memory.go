package auth

import (
	"context"
	"slices"
	"sync"
)

// Memory is a CredentialStore for tests and programs that embed the gateway and
// need not remember anybody.
type Memory struct {
	mu          sync.Mutex
	version     Version
	all         []Credential
	invitations map[string]Invitation
	ends        map[string]EndedLogin
}

var _ CredentialStore = (*Memory)(nil)

// ReadAccess implements CredentialStore.
func (m *Memory) ReadAccess(_ context.Context, ids ...string) (Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := Kept{Version: m.version}
	wanted := func(id string) bool { return len(ids) == 0 || slices.Contains(ids, id) }
	for _, c := range m.all {
		if wanted(c.ID) {
			kept.Credentials = append(kept.Credentials, c)
		}
	}
	for id, i := range m.invitations {
		if wanted(id) {
			kept.Invitations = append(kept.Invitations, i)
		}
	}
	for id, ended := range m.ends {
		if wanted(id) {
			kept.Ends = append(kept.Ends, ended)
		}
	}
	return kept, nil
}

// Behind implements CredentialStore.
func (m *Memory) Behind(_ context.Context, seen Version) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return seen != m.version, nil
}

// ProofKey implements CredentialStore. Each keyring has its own.
func (m *Memory) ProofKey(_ context.Context, make func() string) (string, error) { return make(), nil }

// change makes a change that rests on a version.
func (m *Memory) change(seen Version, do func() (added []Credential)) (Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seen != m.version {
		return seen, ErrBehind
	}
	m.version = m.version.After(do()...)
	return m.version, nil
}

// SaveCredentials implements CredentialStore.
func (m *Memory) SaveCredentials(_ context.Context, seen Version, _ string, saved ...Credential) (Version, error) {
	return m.change(seen, func() (added []Credential) {
		for _, c := range saved {
			is := func(other Credential) bool { return other.ID == c.ID }
			if !slices.ContainsFunc(m.all, is) {
				added = append(added, c)
			}
			m.all = append(slices.DeleteFunc(m.all, is), c)
		}
		return added
	})
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
func (m *Memory) DropCredentials(_ context.Context, seen Version, _ string, why LoginEnd, dropped ...Credential) (Version, error) {
	return m.change(seen, func() []Credential {
		for _, c := range dropped {
			m.all = slices.DeleteFunc(m.all, func(other Credential) bool { return other.ID == c.ID })
			if ended, ok := c.Ended(why); ok {
				m.ends = with(m.ends, ended.ID, ended)
			}
		}
		return nil
	})
}

// SaveInvitations implements InvitationStore.
func (m *Memory) SaveInvitations(_ context.Context, seen Version, _ string, saved ...Invitation) (Version, error) {
	return m.change(seen, func() []Credential {
		for _, i := range saved {
			m.invitations = with(m.invitations, i.ID, i)
		}
		return nil
	})
}

// Forget implements InvitationStore.
func (m *Memory) Forget(_ context.Context, seen Version, ids ...string) (Version, error) {
	return m.change(seen, func() []Credential {
		for _, id := range ids {
			delete(m.invitations, id)
			delete(m.ends, id)
		}
		return nil
	})
}

// with adds an entry to a map. It makes the map first if need be, since the zero Memory has none.
func with[T any](all map[string]T, id string, one T) map[string]T {
	if all == nil {
		all = map[string]T{}
	}
	all[id] = one
	return all
}
