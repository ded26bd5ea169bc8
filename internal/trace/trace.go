// Package trace has the ids of traces (W3C Trace Context). Ids of spans are derived from what is stored, so
// that a span that outlives a restart is the same one afterwards.
package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Span identifies a span of a trace. The zero value identifies none.
type Span struct {
	Trace    [16]byte
	ID       [8]byte
	Unwanted bool // not sampled: the caller that began the trace does not record it
}

// Kind says what a span measures.
type Kind string

// The kinds of spans.
const (
	Turn    Kind = "turn"    // by its id: a turn of an agent
	Chat    Kind = "chat"    // by its message's id: one reply of a model
	Waiting Kind = "waiting" // by the approval's id: from the request to its answer
	Running Kind = "running" // by the approval's id: from the claim to the result
)

// Of returns the span of a kind and id. It belongs to the parent's trace, or to a new one if parent is not valid.
func Of(parent string, kind Kind, id string) Span {
	s, ok := Parse(parent)
	if !ok {
		sum := sha256.Sum256([]byte("trace " + id))
		copy(s.Trace[:], sum[:])
	}
	sum := sha256.Sum256([]byte(string(kind) + " " + id))
	copy(s.ID[:], sum[:])
	return s
}

// String returns the span as a traceparent.
func (s Span) String() string {
	if s == (Span{}) {
		return ""
	}
	flags := "01"
	if s.Unwanted {
		flags = "00"
	}
	return "00-" + hex.EncodeToString(s.Trace[:]) + "-" + hex.EncodeToString(s.ID[:]) + "-" + flags
}

// Parse reads a traceparent (W3C Trace Context, section 3.2). Of later versions it reads the fields of version 00. It
// reports false if the text is not valid.
func Parse(text string) (s Span, ok bool) {
	const length = len("00-00000000000000000000000000000000-0000000000000000-00")
	if len(text) < length || text[:3] == "00-" && len(text) > length || len(text) > length && text[length] != '-' || len(text) > 512 {
		return s, false
	}
	parts := strings.Split(text[:length], "-")
	if len(parts) != 4 || strings.ToLower(text) != text || parts[0] == "ff" {
		return s, false
	}
	var raw [4][]byte
	for i, n := range []int{1, 16, 8, 1} {
		part, err := hex.DecodeString(parts[i])
		if err != nil || len(part) != n {
			return s, false
		}
		raw[i] = part
	}
	copy(s.Trace[:], raw[1])
	copy(s.ID[:], raw[2])
	s.Unwanted = raw[3][0]&1 == 0
	return s, s.Trace != [16]byte{} && s.ID != [8]byte{}
}

// Clean returns a traceparent as version 00 writes it, or an empty string if the text is not valid.
func Clean(text string) string {
	s, ok := Parse(text)
	if !ok {
		return ""
	}
	return s.String()
}
