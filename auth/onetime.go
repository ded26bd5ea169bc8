package auth

import (
	"context"
	"sync"
	"time"
)

// OneTime issues secrets that work once, within a time: login links and WebSocket tickets.
type OneTime struct {
	kind    Secret
	life    time.Duration
	entries OneTimeEntries
}

// OneTimeEntries keeps whom the unused secrets stand for, by their fingerprints.
type OneTimeEntries interface {
	// Add keeps an entry for life.
	Add(ctx context.Context, kind Secret, fingerprint string, id Identity, life time.Duration) error
	// Take removes an entry and returns it, once; ErrUnknown if there is none, or it has expired.
	Take(ctx context.Context, kind Secret, fingerprint string) (Identity, error)
	// Look is Take without removing it.
	Look(ctx context.Context, kind Secret, fingerprint string) (Identity, error)
}

// NewOneTime makes secrets of a kind that are valid for life. They are kept in memory: after a restart
// none of them is valid.
func NewOneTime(kind Secret, life time.Duration) *OneTime {
	return NewOneTimeIn(kind, life, &oneTimeMemory{known: map[string]oneTimeEntry{}})
}

// NewOneTimeIn is NewOneTime for secrets that are kept elsewhere.
func NewOneTimeIn(kind Secret, life time.Duration, entries OneTimeEntries) *OneTime {
	return &OneTime{kind, life, entries}
}

// Issue makes a secret that stands for id.
func (o *OneTime) Issue(ctx context.Context, id Identity) (string, error) {
	secret := o.kind.fresh()
	if err := o.entries.Add(ctx, o.kind, Fingerprint(secret), id, o.life); err != nil {
		return "", err
	}
	return secret, nil
}

// Redeem uses the secret up and returns whom it stands for, or ErrUnknown.
func (o *OneTime) Redeem(ctx context.Context, secret string) (Identity, error) {
	if !o.kind.Is(secret) {
		return Identity{}, ErrUnknown
	}
	return o.entries.Take(ctx, o.kind, Fingerprint(secret))
}

// Look returns whom the secret stands for without using it up, or ErrUnknown.
func (o *OneTime) Look(ctx context.Context, secret string) (Identity, error) {
	if !o.kind.Is(secret) {
		return Identity{}, ErrUnknown
	}
	return o.entries.Look(ctx, o.kind, Fingerprint(secret))
}

// oneTimeMemory keeps the entries of one OneTime, which are all of its kind.
type oneTimeMemory struct {
	mu    sync.Mutex
	known map[string]oneTimeEntry
}

type oneTimeEntry struct {
	identity Identity
	expires  time.Time
}

func (m *oneTimeMemory) Add(_ context.Context, _ Secret, fingerprint string, id Identity, life time.Duration) error {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for fp, e := range m.known {
		if !now.Before(e.expires) {
			delete(m.known, fp)
		}
	}
	m.known[fingerprint] = oneTimeEntry{identity: id, expires: now.Add(life)}
	return nil
}

func (m *oneTimeMemory) Take(_ context.Context, _ Secret, fingerprint string) (Identity, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, err := m.look(fingerprint)
	delete(m.known, fingerprint)
	return id, err
}

func (m *oneTimeMemory) Look(_ context.Context, _ Secret, fingerprint string) (Identity, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.look(fingerprint)
}

func (m *oneTimeMemory) look(fingerprint string) (Identity, error) {
	e, ok := m.known[fingerprint]
	if !ok || !time.Now().Before(e.expires) {
		return Identity{}, ErrUnknown
	}
	return e.identity, nil
}
