// Package audit chains records of what was asked and decided: each carries the
// hash of the one before, so that none can be changed, removed from the middle
// or put elsewhere without Verify saying where. The records themselves are
// kept, and numbered, by a store.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrBroken is returned for a chain that was tampered with.
var ErrBroken = errors.New("audit: the chain is broken")

// Record is one link. At has microseconds.
type Record struct {
	Seq     int64          `json:"seq"`
	At      time.Time      `json:"at"`
	Kind    string         `json:"kind"`
	Subject string         `json:"subject"`
	Data    jsontext.Value `json:"data"`
	Prev    string         `json:"prev"` // the hash of the record before; empty in the first
	Hash    string         `json:"hash"`
}

// Sealed returns the record as the successor of prev, which is the zero Record
// for the first one.
func (r Record) Sealed(prev Record) (Record, error) {
	r.Seq, r.Prev, r.At = prev.Seq+1, prev.Hash, r.At.UTC().Truncate(time.Microsecond)
	hash, err := r.sum()
	r.Hash = hash
	return r, err
}

// sum is SHA-256 in hex over the record's JSON without its hash. Data enters
// as the bytes it was written with.
func (r Record) sum() (string, error) {
	r.Hash = ""
	data, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("audit: record %d: %w", r.Seq, err)
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:]), nil
}

// Verify reads a whole chain and returns its last record, or an ErrBroken that
// names the first link that does not hold.
func Verify(records iter.Seq2[Record, error]) (Record, error) {
	var last Record
	for r, err := range records {
		if err != nil {
			return last, err
		}
		want, err := r.Sealed(last)
		if err != nil {
			return last, err
		}
		switch {
		case r.Seq != want.Seq:
			return last, fmt.Errorf("%w: record %d follows record %d", ErrBroken, r.Seq, last.Seq)
		case r.Prev != want.Prev:
			return last, fmt.Errorf("%w: record %d does not name the one before it", ErrBroken, r.Seq)
		case r.Hash != want.Hash:
			return last, fmt.Errorf("%w: record %d was changed", ErrBroken, r.Seq)
		}
		last = r
	}
	return last, nil
}
