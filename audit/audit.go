// Package audit chains records of what was asked, decided and changed, and
// verifies such a chain.
//
// # What it promises
//
//   - Each Record carries the hash of the one before, so that none can be
//     changed, removed from the middle or put elsewhere without Verify saying
//     where.
//   - Checkpoints are records of the chain that are signed. Whoever has not the
//     key can't rewrite what stands before one, not even with hashes recomputed.
//   - A chain that begins in the middle holds only if a signed record of it says that
//     what is before was exported and cut off.
//   - A line of an export has exactly one form. What Lines takes is byte by byte
//     what Line wrote.
//
// What it can't show: that records after the last checkpoint, or after the last
// head that is kept elsewhere, were not cut off; and anything at all against
// whoever holds the signing key, beyond the heads that are kept elsewhere.
//
// # How to use it
//
// A store makes records with Sealed and Signed, keeps them and reads them back.
// Expected.Verify reads a chain and returns a Report or a *Fault; Check does the
// same for a program, with words and an exit code. Joined reads a chain that is in parts. The kinds of records, and
// what each has, are in kinds.go.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// ErrHead is returned by ParseHead.
var ErrHead = errors.New("audit: want SEQ:HASH, as `gateway audit head` prints it")

// Record is one link. At has microseconds.
type Record struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Subject string    `json:"subject"`       // who
	Via     string    `json:"via,omitempty"` // through which door; older records have none
	Data    tool.JSON `json:"data"`          // one of the structs in kinds.go
	Prev    string    `json:"prev"`          // the hash of the record before; empty in the first
	Hash    string    `json:"hash"`
}

// Sealed returns the record as the successor of prev, which is the zero Head
// for the first one.
func (r Record) Sealed(prev Head) (Record, error) {
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

// Head names a record, and by its hash all before it.
func (r Record) Head() Head { return Head{Seq: r.Seq, Hash: r.Hash} }

// Head is the number and the hash of a record. Kept elsewhere, it shows later
// that the chain up to there is the one it was.
type Head struct {
	Seq  int64
	Hash string
}

// String is SEQ:HASH; empty of the zero Head, which names no record.
func (h Head) String() string {
	if h == (Head{}) {
		return ""
	}
	return strconv.FormatInt(h.Seq, 10) + ":" + h.Hash
}

// ParseHead reads SEQ:HASH.
func ParseHead(text string) (Head, error) {
	number, hash, _ := strings.Cut(strings.TrimSpace(text), ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil || seq < 1 {
		return Head{}, fmt.Errorf("%w, not %q", ErrHead, text)
	}
	hash = strings.ToLower(hash)
	if raw, err := hex.DecodeString(hash); err != nil || len(raw) != sha256.Size {
		return Head{}, fmt.Errorf("%w, not %q", ErrHead, text)
	}
	return Head{Seq: seq, Hash: hash}, nil
}
