package mask

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// minKnown is the length in bytes from which a secret is masked by its value alone.
// Shorter ones would be found by chance.
const minKnown = 5

// Knowing returns a Secrets that also masks, wherever they appear, the secrets found in a
// JSON value. It is for texts derived from that value, such as a reason, which may repeat
// a secret without the name that gave it away. It must not be used for text that could
// run: whoever writes a command could hide part of it by calling it a password elsewhere.
func (s *Secrets) Knowing(v []byte) *Secrets {
	if s == nil || len(v) == 0 {
		return s
	}
	if w := (walk{secrets: s, in: v}); w.run() == nil {
		return s.with(w.hidden())
	}
	masked, _ := s.Text(string(v))
	return s.with(takenOut(string(v), masked))
}

// with adds known secrets, and how Mixed spells them out.
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

// places are where the known secrets appear in a text.
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

// takenOut are the parts of a text that were replaced by Marks.
func takenOut(text, masked string) []string {
	var parts []string
	kept := strings.Split(masked, Mark)
	at := len(kept[0])
	if len(kept) == 1 || at > len(text) {
		return nil
	}
	for i, next := range kept[1:] {
		end := strings.Index(text[at:], next)
		if i == len(kept)-2 { // the last secret ends where the rest of the text is left
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

// hidden are the secrets that the walk found.
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
