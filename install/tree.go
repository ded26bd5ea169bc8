package install

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tree is the text of an object or a list, cut into its members, so that one can be put in or taken
// out and all else stays as it was written.
type tree struct {
	parts []part
	tail  string // from the last member on; all of it, where there is none
}

type part struct {
	gap   string // what stands before it; of the first, also the bracket
	label string // a name with its colon, as it is written
	name  string
	value string
}

// cut cuts a text that is one JSON object or list.
func cut(text string) (t tree, kind jsontext.Kind, err error) {
	dec := jsontext.NewDecoder(strings.NewReader(text))
	open, err := dec.ReadToken()
	if err != nil {
		return t, 0, err
	}
	kind = open.Kind()
	if kind != '{' && kind != '[' {
		return t, kind, nil
	}
	at := 0
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		var p part
		begin := -1
		if kind == '{' {
			raw, err := dec.ReadValue()
			if err != nil {
				return t, kind, err
			}
			begin = int(dec.InputOffset()) - len(raw)
			if err := json.Unmarshal(raw, &p.name); err != nil {
				return t, kind, err
			}
		}
		value, err := dec.ReadValue()
		if err != nil {
			return t, kind, err
		}
		p.value = string(value)
		end := int(dec.InputOffset())
		start := end - len(value)
		if begin < 0 {
			begin = start
		}
		p.gap, p.label = text[at:begin], text[begin:start]
		t.parts = append(t.parts, p)
		at = end
	}
	t.tail = text[at:]
	return t, kind, nil
}

func (t tree) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.gap + p.label + p.value)
	}
	return b.String() + t.tail
}

// place is how deep a text stands in its file, and how the file is indented.
type place struct {
	depth int
	unit  string
}

func (p place) deeper() place { return place{p.depth + 1, p.unit} }

func (p place) line() string { return "\n" + strings.Repeat(p.unit, p.depth) }

// push puts a member at the end.
func (t *tree) push(at place, p part) {
	p.gap = "," + at.deeper().line()
	if len(t.parts) == 0 {
		open, end := strings.IndexAny(t.tail, "{["), strings.LastIndexAny(t.tail, "}]")
		p.gap = t.tail[:open+1] + at.deeper().line()
		t.tail = at.line() + t.tail[end:]
	}
	t.parts = append(t.parts, p)
}

// drop takes the members out that are marked.
func (t *tree) drop(gone []bool) {
	var kept []part
	for i, p := range t.parts {
		if gone[i] {
			continue
		}
		if len(kept) == 0 {
			p.gap = t.parts[0].gap
		}
		kept = append(kept, p)
	}
	if len(kept) == 0 && len(t.parts) > 0 {
		first := t.parts[0].gap
		t.tail = first[:strings.IndexAny(first, "{[")+1] + t.tail[strings.LastIndexAny(t.tail, "}]"):]
	}
	t.parts = kept
}

// put puts an item at the end of the list that stands under the names, which are made where they
// are missing.
func put(text string, at place, names []string, item any) (string, error) {
	t, kind, err := cut(text)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		if kind != '[' {
			return "", fmt.Errorf("it is no list")
		}
		value, err := written(at.deeper(), item)
		t.push(at, part{value: value})
		return t.String(), err
	}
	if kind != '{' {
		return "", fmt.Errorf("it is no object")
	}
	for i, p := range t.parts {
		if p.name == names[0] {
			if t.parts[i].value, err = put(p.value, at.deeper(), names[1:], item); err != nil {
				return "", fmt.Errorf("%s: %w", p.name, err)
			}
			return t.String(), nil
		}
	}
	empty := "{}"
	if len(names) == 1 {
		empty = "[]"
	}
	value, err := put(empty, at.deeper(), names[1:], item)
	t.push(at, part{label: string(label(names[0])), value: value})
	return t.String(), err
}

func label(name string) []byte {
	raw, _ := jsontext.AppendQuote(nil, name) // a name of ours
	return append(raw, ": "...)
}

func written(at place, item any) (string, error) {
	prefix := strings.Repeat(at.unit, at.depth)
	raw, err := json.Marshal(item, jsontext.WithIndentPrefix(prefix), jsontext.WithIndent(at.unit))
	return string(raw), err
}

var indented = regexp.MustCompile(`\A\s*\{[^\S\n]*\r?\n([ \t]+)"`)

// unit is one step of a file's indentation.
func unit(text string) string {
	if m := indented.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "  "
}
