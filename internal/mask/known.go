package mask

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// minKnown is how long a secret has to be, in bytes, to be looked for where nothing but
// itself tells that it is one.
const minKnown = 5

// Knowing returns a Secrets that masks as well, wherever it stands, what this one finds in
// a JSON value and in texts. It is for what was made of them, such as a reason, which may
// show a secret without what told that it is one; and for nothing that could run, since
// whoever writes a command could hide a part of it by calling it a password elsewhere.
func (s *Secrets) Knowing(v []byte, texts ...string) *Secrets {
	if s == nil {
		return nil
	}
	var known []string
	if len(v) > 0 {
		if w := (walk{secrets: s, in: v}); w.run() == nil {
			known = w.hidden()
		} else {
			texts = append(texts, string(v))
		}
	}
	for _, text := range texts {
		masked, _ := s.Text(text)
		known = append(known, takenOut(text, masked)...)
	}
	return s.with(known)
}

// with is the Secrets knowing some more, also as they are spelled out; see Mixed.
func (s *Secrets) with(known []string) *Secrets {
	known = slices.DeleteFunc(known, func(one string) bool { return len(one) < minKnown || refers(one) })
	if len(known) == 0 {
		return s
	}
	more := *s
	more.known = slices.Clone(s.known)
	slices.Sort(known)
	for _, one := range slices.Compact(known) {
		more.known = append(append(more.known, one), Mixed(one)...)
	}
	return &more
}

// places are where the known secrets stand in a text.
func (s *Secrets) places(text string) []span {
	var all []span
	for _, one := range s.known {
		for at := 0; ; {
			i := strings.Index(text[at:], one)
			if i < 0 {
				break
			}
			at += i + len(one)
			all = append(all, span{at - len(one), at})
		}
	}
	return all
}

// takenOut are the parts of a text that have Marks in their place in what was masked.
func takenOut(text, masked string) []string {
	var parts []string
	kept := strings.Split(masked, Mark)
	at := len(kept[0])
	if len(kept) == 1 || at > len(text) {
		return nil
	}
	for i, next := range kept[1:] {
		end := strings.Index(text[at:], next)
		if i == len(kept)-2 { // the last reaches to what the text ends with
			end = len(text) - at - len(next)
		}
		if end < 0 {
			break
		}
		parts = append(parts, text[at:at+end])
		at += end + len(next)
	}
	return parts
}

// hidden are the secrets that the walk has found.
func (w *walk) hidden() []string {
	var all []string
	for _, e := range w.edits {
		raw := jsontext.Value(w.in[e.start:e.end])
		text := string(raw)
		if raw.Kind() == '"' {
			unquoted, _ := jsontext.AppendUnquote(nil, raw)
			text = string(unquoted)
		}
		all = append(all, takenOut(text, e.text)...)
	}
	return all
}
