package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
)

// ErrKey is returned by ParseKey.
var ErrKey = errors.New("audit: want an Ed25519 public key in base64 or hex, as `gateway audit key` prints it")

// Every is how often there is a checkpoint at least: a record whose number it
// divides is one.
const Every = 1000

// signed is what a signature begins with, so that it is good for nothing else.
const signed = "lineclear audit checkpoint 1\n"

// ThenSigned reports whether a record of this kind is followed by a checkpoint
// directly, so that what was done by then can't be rewritten later.
func (k Kind) ThenSigned() bool {
	return k == GatewayStarted || k == GatewayStopped || k == AuditCut
}

// Signed returns the checkpoint that follows prev. The signature is over the
// record's own hash as it is without it, and so over all that it says, and by
// its Prev over all before.
func Signed(prev Head, at time.Time, key ed25519.PrivateKey) (Record, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return Record{}, ErrKey
	}
	unsigned, err := checkpoint(prev, at, Checkpoint{PublicKey: public})
	if err != nil {
		return Record{}, err
	}
	signature := ed25519.Sign(key, []byte(signed+unsigned.Hash))
	return checkpoint(prev, at, Checkpoint{PublicKey: public, Signature: signature})
}

func checkpoint(prev Head, at time.Time, c Checkpoint) (Record, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return Record{}, fmt.Errorf("audit: checkpoint: %w", err)
	}
	return Record{At: at, Kind: Checkpointed, Subject: "system", Via: "system", Data: data}.Sealed(prev)
}

// signer returns who has signed a checkpoint, and whether it was signed as it
// stands here.
func (r Record) signer() (ed25519.PublicKey, bool) {
	var c Checkpoint
	if strictjson.Decode(r.Data, &c) != nil || len(c.PublicKey) != ed25519.PublicKeySize {
		return nil, false
	}
	prev := Head{Seq: r.Seq - 1, Hash: r.Prev}
	again, err := checkpoint(prev, r.At, c)
	if err != nil || again.Hash != r.Hash {
		return c.PublicKey, false // it says more than what is signed
	}
	unsigned, err := checkpoint(prev, r.At, Checkpoint{PublicKey: c.PublicKey})
	return c.PublicKey, err == nil && ed25519.Verify(c.PublicKey, []byte(signed+unsigned.Hash), c.Signature)
}

// KeyText is a public key as it is printed.
func KeyText(key ed25519.PublicKey) string { return base64.StdEncoding.EncodeToString(key) }

// ParseKey reads a public key in base64 or hex.
func ParseKey(text string) (ed25519.PublicKey, error) {
	text = strings.TrimSpace(text)
	raw, err := hex.DecodeString(text)
	for _, form := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if err == nil && len(raw) == ed25519.PublicKeySize {
			return raw, nil
		}
		raw, err = form.DecodeString(text)
	}
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%w, not %q", ErrKey, text)
	}
	return raw, nil
}
