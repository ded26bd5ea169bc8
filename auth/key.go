package auth

import (
	"crypto/subtle"
)

// Key is a secret that stands for one identity as long as the process lives;
// programs on the same machine send it as a bearer token.
type Key struct {
	fingerprint string
	identity    Identity
}

// NewKey makes a key, and the secret that opens it.
func NewKey(id Identity) (key *Key, secret string) {
	secret = newSecret()
	return &Key{fingerprint: Fingerprint(secret), identity: id}, secret
}

// Check returns whom the secret stands for, or ErrUnknown. A nil Key knows
// none.
func (k *Key) Check(secret string) (Identity, error) {
	if k == nil || subtle.ConstantTimeCompare([]byte(Fingerprint(secret)), []byte(k.fingerprint)) != 1 {
		return Identity{}, ErrUnknown
	}
	return k.identity, nil
}
