package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// A browser sends the login cookie to every port of a host. So a login has a second
// proof, which only pages of its own origin have: of a page with WebCrypto a key that
// can't be read out, for which it is given short-lived proofs; of another client a secret.

// keylessLife bounds a login whose proof is a secret: whoever can read it has it for good.
const keylessLife = 12 * time.Hour

// Lives of proofs and challenges.
const (
	proofLife     = 10 * time.Minute
	challengeLife = time.Minute
)

// Proof is what a client sends beside the login cookie.
type Proof struct {
	Text      string    `json:"proof"` // of the header X-Lineclear-Csrf
	ExpiresAt time.Time `json:"expiresAt"`
}

// keyMark begins the Proof of a credential that is a key, and no fingerprint.
const keyMark = "key:"

// CheckKey returns an error if a page's key is not valid. No key is valid.
func CheckKey(text string) error {
	if text == "" {
		return nil
	}
	_, err := readKey(text)
	return err
}

// readKey takes a P-256 public key (SubjectPublicKeyInfo, base64url).
func readKey(text string) (string, error) {
	if _, err := parseKey(text); err != nil {
		return "", fmt.Errorf("%w: key: %w", ErrInvalid, err)
	}
	return keyMark + text, nil
}

func parseKey(text string) (*ecdsa.PublicKey, error) {
	der, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("want an ECDSA key on P-256")
	}
	return key, nil
}

// LoginOf is the id of the login that a proof says it is of; empty: it is no proof.
func LoginOf(proof string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(proof, string(ProofSecret)), ".")
	if !ProofSecret.Is(proof) {
		return ""
	}
	return id
}

// Proven reports whether proof is that of a login. Logins of earlier versions have none.
func (k *Keyring) Proven(credentialID, proof string) bool {
	c := k.get(credentialID)
	return c != nil && k.proven(c.Proof, credentialID, proof)
}

// proven reports whether proof proves the login with the id. by is the login's Credential.Proof.
func (k *Keyring) proven(by, credentialID, proof string) bool {
	rest, found := strings.CutPrefix(proof, string(ProofSecret)+credentialID+".")
	switch {
	case by == "" || !found:
		return false
	case strings.HasPrefix(by, keyMark):
		return k.signed(rest, "proof "+credentialID)
	}
	return subtle.ConstantTimeCompare([]byte(by), []byte(Fingerprint(rest))) == 1
}

// Challenge is what a page signs to be given a proof. It is good for a minute.
func (k *Keyring) Challenge() string {
	return k.sign("challenge", time.Now().Add(challengeLife))
}

// Prove gives the proof of a login whose page has signed a challenge: SignedText, by ECDSA
// with SHA-256; the signature is r and s, of 32 bytes each, base64url.
func (k *Keyring) Prove(credentialID, challenge, signed string) (Proof, error) {
	c := k.get(credentialID)
	if c == nil || !k.verified(c.Proof, credentialID, challenge, signed) {
		return Proof{}, ErrUnknown
	}
	return k.proofOf(*c), nil
}

// verified reports whether the page of the login with the id has signed the challenge. by is the login's
// Credential.Proof.
func (k *Keyring) verified(by, credentialID, challenge, signed string) bool {
	signature, err := base64.RawURLEncoding.DecodeString(signed)
	text, found := strings.CutPrefix(by, keyMark)
	if err != nil || len(signature) != 64 || !found || !k.signed(challenge, "challenge") {
		return false
	}
	key, err := parseKey(text)
	if err != nil {
		return false
	}
	digest := sha256.Sum256([]byte(SignedText(credentialID, challenge)))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	return ecdsa.Verify(key, digest[:], r, s)
}

// SignedText is what a page signs to prove that a login is its own.
func SignedText(credentialID, challenge string) string {
	return "lineclear login " + credentialID + " " + challenge
}

// proofOf is a fresh proof of a login with a key.
func (k *Keyring) proofOf(c Credential) Proof {
	expires := time.Now().Add(proofLife).Truncate(time.Second).UTC()
	return newProof(c, k.sign("proof "+c.ID, expires), expires)
}

func newProof(c Credential, rest string, expires time.Time) Proof {
	return Proof{Text: string(ProofSecret) + c.ID + "." + rest, ExpiresAt: expires}
}

// sign makes a text that this process knows again until expires.
func (k *Keyring) sign(what string, expires time.Time) string {
	until := strconv.FormatInt(expires.Unix(), 10)
	return until + "." + k.mac(what, until)
}

// signed reports whether a text comes from sign, and its time is not over.
func (k *Keyring) signed(text, what string) bool {
	until, mac, _ := strings.Cut(text, ".")
	at, err := strconv.ParseInt(until, 10, 64)
	return err == nil && time.Now().Before(time.Unix(at, 0)) && hmac.Equal([]byte(mac), []byte(k.mac(what, until)))
}

func (k *Keyring) mac(what, until string) string {
	h := hmac.New(sha256.New, k.proofs)
	h.Write([]byte(what + " " + until))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
