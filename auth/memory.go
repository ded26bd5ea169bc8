package auth

import (
	"context"
	"slices"
	"sync"
)

// Memory is a CredentialStore for tests and programs that embed the gateway and
// need not remember anybody.
type Memory struct {
	mu  sync.Mutex
	all []Credential
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

// Invited implements CredentialStore.
func (*Memory) Invited(context.Context, Credential, string) error { return nil }

// DropCredentials implements CredentialStore.
func (m *Memory) DropCredentials(_ context.Context, _ string, dropped ...Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range dropped {
		m.all = slices.DeleteFunc(m.all, func(other Credential) bool { return other.ID == c.ID })
	}
	return nil
}
