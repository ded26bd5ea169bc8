package audit

import (
	"crypto/ed25519"
	"strings"
)

// Keys is a flag that can be given several times, of public keys.
type Keys []ed25519.PublicKey

// Set adds a key in base64 or hex.
func (k *Keys) Set(text string) error {
	key, err := ParseKey(text)
	if err == nil {
		*k = append(*k, key)
	}
	return err
}

// String lists the keys.
func (k *Keys) String() string {
	var all []string
	for _, key := range *k {
		all = append(all, KeyText(key))
	}
	return strings.Join(all, ", ")
}

// Type is what a help text calls the value.
func (k *Keys) Type() string { return "PUBLICKEY" }

// Heads is a flag that can be given several times, of heads.
type Heads []Head

// Set adds a SEQ:HASH.
func (h *Heads) Set(text string) error {
	head, err := ParseHead(text)
	if err == nil {
		*h = append(*h, head)
	}
	return err
}

// String lists the heads.
func (h *Heads) String() string {
	var all []string
	for _, head := range *h {
		all = append(all, head.String())
	}
	return strings.Join(all, ", ")
}

// Type is what a help text calls the value.
func (h *Heads) Type() string { return "SEQ:HASH" }

// Set makes a head a flag.
func (h *Head) Set(text string) (err error) {
	*h, err = ParseHead(text)
	return err
}

// Type is what a help text calls the value.
func (h *Head) Type() string { return "SEQ:HASH" }
