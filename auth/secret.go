package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

// ErrUnknown is returned for a link, ticket or login that was never given out,
// has been used, or is past its time; which of these is not told.
var ErrUnknown = errors.New("not valid, already used or expired")

// newSecret is 256 bits that nobody can guess, safe in URLs and headers.
func newSecret() string {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand does not fail on any supported system
	}
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Fingerprint is the form in which a secret is kept: its SHA-256 in hex.
// The secrets are 256 random bits, so that no slow hash is needed.
func Fingerprint(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// OneTime gives out secrets that work once, within a time, and lives in
// memory: after a restart none of them is valid. Login links and WebSocket
// tickets are both made by it.
type OneTime struct {
	life time.Duration

	mu    sync.Mutex
	known map[string]oneTimeEntry
}

type oneTimeEntry struct {
	identity Identity
	expires  time.Time
}

// NewOneTime makes secrets that are valid for life.
func NewOneTime(life time.Duration) *OneTime {
	return &OneTime{life: life, known: map[string]oneTimeEntry{}}
}

// Issue makes a secret that stands for id.
func (o *OneTime) Issue(id Identity) string {
	secret := newSecret()
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	for fp, e := range o.known {
		if !now.Before(e.expires) {
			delete(o.known, fp)
		}
	}
	o.known[Fingerprint(secret)] = oneTimeEntry{identity: id, expires: now.Add(o.life)}
	return secret
}

// Redeem uses the secret up and returns whom it stands for, or ErrUnknown.
func (o *OneTime) Redeem(secret string) (Identity, error) {
	fp := Fingerprint(secret)
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.known[fp]
	delete(o.known, fp)
	if !ok || !time.Now().Before(e.expires) {
		return Identity{}, ErrUnknown
	}
	return e.identity, nil
}
