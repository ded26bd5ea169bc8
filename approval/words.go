package approval

import (
	"fmt"
	"slices"
	"strings"
)

// readWord takes text as one of the words of a closed list, letter by letter.
func readWord[T ~string](into *T, what string, text []byte, list ...T) error {
	if word := T(text); slices.Contains(list, word) {
		*into = word
		return nil
	}
	names := make([]string, len(list))
	for i, word := range list {
		names[i] = string(word)
	}
	last := len(names) - 1
	return fmt.Errorf("unknown %s %q: use %s or %s", what, text, strings.Join(names[:last], ", "), names[last])
}

// ParseWord reads the words that other systems and buttons use for an answer,
// and says what they mean here; see the table in docs/protocol.md.
func ParseWord(given string) (Status, Scope, error) {
	word := strings.ToLower(strings.TrimSpace(given)) // not EqualFold, which takes ſ for s
	for _, means := range otherWords {
		if slices.ContainsFunc(means.words, func(w Word) bool { return strings.ToLower(string(w)) == word }) {
			return means.status, means.scope, nil
		}
	}
	return "", "", fmt.Errorf("unknown word %q; use approve, once, session, deny or cancel", given)
}

// Word is an answer in other words. Case does not matter.
type Word string

// otherWords are all that there are, as other systems write them.
var otherWords = []struct {
	status Status
	scope  Scope
	words  []Word
}{
	{Approved, Once, []Word{"approve", "approved", "allow", "accept", "yes", "once", "Once", "allow_once", "approve_once"}},
	{Approved, Session, []Word{
		"session", "always", "Always", "allow_session", "approve_session", "allow_always", "acceptForSession", "unlimited", "rememberChoice",
	}},
	{Denied, "", []Word{"deny", "denied", "reject", "rejected", "decline", "no", "reject_once"}},
	{Cancelled, "", []Word{"cancel", "Cancel", "cancelled", "abort"}},
}

// Words are all words for an answer that other systems use.
func Words() []Word {
	var all []Word
	for _, means := range otherWords {
		all = append(all, means.words...)
	}
	return all
}

// scopeOf is the scope that a word of an approval says; false where it says none.
func scopeOf(word string) (Scope, bool) {
	status, scope, err := ParseWord(word)
	says := err == nil && status == Approved && (scope == Session || strings.Contains(strings.ToLower(word), string(Once)))
	return scope, says
}

// OtherWords are what other systems say an answer with; see the table in
// docs/protocol.md.
type OtherWords struct {
	Decision       Word     `json:"decision,omitempty"`      // approve, deny or another word
	Response       Word     `json:"response,omitempty"`      // the same as decision
	Approved       *bool    `json:"approved,omitzero"`       // true: approve; false: deny
	RememberChoice *bool    `json:"rememberChoice,omitzero"` // true: for the session
	Data           Remember `json:"data,omitzero"`
}

// Remember is where some clients say rememberChoice.
type Remember struct {
	RememberChoice *bool `json:"rememberChoice,omitzero"` // true: for the session
}

// Silent reports whether nothing is said that is an answer.
func (w OtherWords) Silent() bool { return w.Decision == "" && w.Response == "" && w.Approved == nil }

// Read says what the words mean beside a status and a scope, each of which may be
// left out. The scope is Session, or empty: once. What contradicts itself is refused,
// as ErrInvalid.
func (w OtherWords) Read(status Status, scope string) (Status, Scope, error) {
	if status == Pending {
		return "", "", fmt.Errorf("%w: status: pending is no answer; use approved, denied or cancelled", ErrInvalid)
	}
	said := reading{status: status, by: "status"}
	for _, word := range []struct{ name, text string }{{"decision", string(w.Decision)}, {"response", string(w.Response)}} {
		if word.text == "" {
			continue
		}
		means, _, err := ParseWord(word.text)
		if err != nil {
			return "", "", fmt.Errorf("%w: %s: %w", ErrInvalid, word.name, err)
		}
		said.says(word.name, means)
		if wide, is := scopeOf(word.text); is {
			said.covers(word.name, wide)
		}
	}
	if w.Approved != nil {
		said.says("approved", map[bool]Status{true: Approved, false: Denied}[*w.Approved])
	}
	if scope != "" {
		wide, is := scopeOf(scope)
		if !is {
			return "", "", fmt.Errorf("%w: scope: unknown scope %q; use once, session, always or unlimited", ErrInvalid, scope)
		}
		said.covers("scope", wide)
	}
	said.remembers("rememberChoice", w.RememberChoice)
	said.remembers("data.rememberChoice", w.Data.RememberChoice)
	return said.answer()
}

// reading is what was found in an answer so far, and in which fields.
type reading struct {
	status      Status
	scope       Scope
	by, scopeBy string
	err         error
}

func (r *reading) says(name string, status Status) {
	if r.status == "" {
		r.status, r.by = status, name
	}
	if r.status != status && r.err == nil {
		r.err = fmt.Errorf("%w: %s: contradicts %s: one of them says %s, the other %s", ErrInvalid, name, r.by, status, r.status)
	}
}

func (r *reading) covers(name string, scope Scope) {
	if r.scope == "" {
		r.scope, r.scopeBy = scope, name
	}
	if r.scope != scope && r.err == nil {
		r.err = fmt.Errorf("%w: %s: contradicts the %s: one of them says %s, the other %s", ErrInvalid, name, r.scopeBy, scope, r.scope)
	}
}

func (r *reading) remembers(name string, choice *bool) {
	switch {
	case choice == nil:
	case *choice:
		r.covers(name, Session)
	case r.status == Approved: // of a no, nothing is remembered in any case
		r.covers(name, Once)
	}
}

func (r *reading) answer() (Status, Scope, error) {
	switch {
	case r.err != nil:
		return "", "", r.err
	case r.status == "":
		return "", "", fmt.Errorf("%w: status: missing; use approved, denied or cancelled (or decision: approve, deny or cancel)", ErrInvalid)
	case r.status != Approved && r.scope != "":
		return "", "", fmt.Errorf("%w: %s: belongs to an approval only", ErrInvalid, r.scopeBy)
	case r.scope == Once:
		return r.status, "", nil
	}
	return r.status, r.scope, nil
}
