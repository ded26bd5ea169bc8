package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
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
