package webpush

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
)

// signedFor is how long a push service may take a signature; RFC 8292 allows a day.
const signedFor = 12 * time.Hour

// contact is whom a push service can ask about messages. It is the project's address: a
// gateway's own is nobody's business.
const contact = "https://github.com/lineclear/lineclear"

var encoding = base64.RawURLEncoding

type claims struct {
	Audience string `json:"aud"`
	Expires  int64  `json:"exp"`
	Contact  string `json:"sub"`
}

// authorization says to a push service who sends (RFC 8292).
func authorization(key *ecdsa.PrivateKey, public []byte, endpoint *url.URL, now time.Time) (string, error) {
	said, err := json.Marshal(claims{Audience: endpoint.Scheme + "://" + endpoint.Host, Expires: now.Add(signedFor).Unix(), Contact: contact})
	if err != nil {
		return "", fmt.Errorf("webpush: claims: %w", err)
	}
	text := encoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encoding.EncodeToString(said)
	hash := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
	if err != nil {
		return "", fmt.Errorf("webpush: sign: %w", err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "vapid t=" + text + "." + encoding.EncodeToString(signature) + ", k=" + encoding.EncodeToString(public), nil
}
