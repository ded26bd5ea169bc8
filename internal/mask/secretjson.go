package mask

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON is Text for every string in v, at any depth. Values under a secret's
// name are masked whole: strings and numbers become a Mark, objects and lists
// keep their form. So are values beside a secret's name, as in
// {"name": "DB_PASSWORD", "value": …}, and after a secret's flag in a list.
// Names and everything else stay as they are, byte by byte. What is not JSON
// comes back as a JSON string, masked as text.
func (s *Secrets) JSON(v []byte) (masked []byte, found bool) {
	if s == nil || len(v) == 0 {
		return v, false
	}
	w := walk{secrets: s, in: v}
	if err := w.run(); err != nil {
		text, found := s.Text(string(v))
		quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
		return quoted, found
	}
	return w.edited()
}

// walk goes through a JSON text once and notes what is to be replaced.
type walk struct {
	secrets *Secrets
	in      jsontext.Value
	stack   []level
	edits   []edit
}

// level is an object or a list that the walk is in.
type level struct {
	object   bool
	secret   bool   // everything within is secret
	name     string // of the member that comes next
	naming   bool   // that name has been read, its value not
	named    bool   // a member called name holds a secret's name
	value    edit   // the member called value
	hasValue bool
	argv     argv
}

// edit replaces a part of the text.
type edit struct {
	span
	text string
}

func (w *walk) run() error {
	d := jsontext.NewDecoder(bytes.NewReader(w.in), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for values := 0; ; {
		kind := d.PeekKind()
		switch kind {
		case '{', '[', '}', ']':
			if _, err := d.ReadToken(); err != nil {
				return err
			}
			w.bracket(kind)
		default:
			raw, err := d.ReadValue()
			if errors.Is(err, io.EOF) && values == 1 {
				return nil
			}
			if err != nil {
				return err
			}
			end := int(d.InputOffset())
			w.scalar(raw, span{end - len(raw), end})
		}
		if len(w.stack) == 0 {
			if values++; values > 1 {
				return errors.New("mask: more than one JSON value")
			}
		}
	}
}

func (w *walk) bracket(kind jsontext.Kind) {
	if kind == '{' || kind == '[' {
		inside := level{object: kind == '{'}
		if top := w.top(); top != nil {
			inside.secret = top.secret || top.object && w.secrets.secretField(top.name)
			top.naming, top.argv.previous = false, ""
		}
		inside.argv = argv{all: w.secrets.uses, names: w.secrets.names}
		w.stack = append(w.stack, inside)
		return
	}
	if top := w.top(); top != nil && top.named && top.hasValue {
		w.edits = append(w.edits, top.value)
	}
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *walk) top() *level {
	if len(w.stack) == 0 {
		return nil
	}
	return &w.stack[len(w.stack)-1]
}

func (w *walk) scalar(raw jsontext.Value, at span) {
	top := w.top()
	text := ""
	if raw.Kind() == '"' {
		unquoted, _ := jsontext.AppendUnquote(nil, raw) // invalid UTF-8 comes as U+FFFD
		text = string(unquoted)
	}
	if top != nil && top.object && !top.naming {
		top.name, top.naming = text, true
		return
	}
	whole := top != nil && (top.secret || top.object && w.secrets.secretField(top.name))
	if top != nil && top.object {
		top.naming = false
		w.pair(top, raw, text, at)
	}
	switch raw.Kind() {
	case '0':
		if whole {
			w.edits = append(w.edits, edit{at, Mark})
		}
	case '"':
		if masked, ok := w.masked(top, text, whole); ok {
			w.edits = append(w.edits, edit{at, masked})
		}
	}
}

// pair notes the two members of {"name": …, "value": …}.
func (w *walk) pair(top *level, raw jsontext.Value, text string, at span) {
	switch strings.ToLower(top.name) {
	case "name", "key", "header":
		top.named = top.named || raw.Kind() == '"' && w.secrets.secretField(text)
	case "value":
		if raw.Kind() == '0' || text != "" && text != Mark && !refers(text) {
			top.value, top.hasValue = edit{at, Mark}, true
		}
	}
}

// masked is a string's text with marks, if it is to have any.
func (w *walk) masked(top *level, text string, whole bool) (string, bool) {
	if whole {
		return Mark, text != "" && text != Mark
	}
	var spans []span
	if top != nil && !top.object {
		spans = top.argv.secrets(text)
	}
	spans = apart(text, spans)
	masked, found := w.secrets.Text(cover(text, spans))
	return masked, found || len(spans) > 0
}

func (s *Secrets) secretField(name string) bool { return s.fields && s.names.secret(name) }

// edited is the text with the replacements. Of two in one place, the first in
// order of their extent stands, which are those that mask the whole value.
func (w *walk) edited() ([]byte, bool) {
	if len(w.edits) == 0 {
		return w.in, false
	}
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return len(a.text) - len(b.text)
	})
	var out []byte
	at := 0
	for _, e := range w.edits {
		if e.start < at {
			continue
		}
		out = append(out, w.in[at:e.start]...)
		out, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(e.text, "\uFFFD"))
		at = e.end
	}
	return append(out, w.in[at:]...), true
}
