package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"
)

// ErrUnknown is returned for a link, ticket or login that was never given out,
// has been used, or is past its time; which of these is not told.
var ErrUnknown = errors.New("not valid, already used or expired")

// Secret is a kind of secret. Each begins with the prefix of its kind, and is taken
// in that kind's place alone.
type Secret string

// The kinds of secrets.
const (
	TokenSecret    Secret = "lct_" // in Authorization
	TerminalSecret Secret = "lcs_" // in Authorization
	LocalSecret    Secret = "lck_" // in Authorization
	LoginSecret    Secret = "lcl_" // in the login cookie
	ProofSecret    Secret = "lcp_" // in X-Lineclear-Csrf
	LinkSecret     Secret = "lci_" // at POST /api/login
	TicketSecret   Secret = "lcw_" // in the WebSocket's subprotocol
	DeviceSecret   Secret = "lcd_" // at POST /api/device-logins/collect
)

// secretOf is the kind of secret that a credential is presented by.
var secretOf = map[Kind]Secret{KindToken: TokenSecret, KindTerminal: TerminalSecret, KindLocal: LocalSecret, KindLogin: LoginSecret}

// Is reports whether a text is a secret of the kind, by its prefix.
func (kind Secret) Is(text string) bool { return strings.HasPrefix(text, string(kind)) }

// fresh is a secret of the kind: 256 bits that nobody can guess, safe in URLs and headers.
func (kind Secret) fresh() string {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand does not fail on any supported system
	}
	return string(kind) + base64.RawURLEncoding.EncodeToString(b[:])
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
	kind Secret
	life time.Duration

	mu    sync.Mutex
	known map[string]oneTimeEntry
}

type oneTimeEntry struct {
	identity Identity
	expires  time.Time
}

// NewOneTime makes secrets of a kind that are valid for life.
func NewOneTime(kind Secret, life time.Duration) *OneTime {
	return &OneTime{kind: kind, life: life, known: map[string]oneTimeEntry{}}
}

// Issue makes a secret that stands for id.
func (o *OneTime) Issue(id Identity) string {
	secret := o.kind.fresh()
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
	o.mu.Lock()
	defer o.mu.Unlock()
	id, err := o.look(secret)
	delete(o.known, Fingerprint(secret))
	return id, err
}

// Look returns whom the secret stands for without using it up, or ErrUnknown.
func (o *OneTime) Look(secret string) (Identity, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.look(secret)
}

func (o *OneTime) look(secret string) (Identity, error) {
	e, ok := o.known[Fingerprint(secret)]
	if !ok || !o.kind.Is(secret) || !time.Now().Before(e.expires) {
		return Identity{}, ErrUnknown
	}
	return e.identity, nil
}
