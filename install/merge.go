package install

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnreadable is returned for settings that can't be changed without losing something.
var ErrUnreadable = errors.New("it is not plain JSON (it may have comments), so nothing was changed")

// with is a file's text with our entries at the ends of their lists.
func with(text string, a Agent, d Definition) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	at := place{0, unit(text)}
	text, err := versioned(text, at, a)
	if err != nil {
		return "", err
	}
	add := func(events []string, h handler) {
		for _, event := range events {
			if err == nil {
				text, err = put(text, at, []string{"hooks", event}, a.entry(h))
			}
		}
	}
	add(a.before, d.before(a))
	add(a.after, d.after(a))
	return text, err
}

// versioned has a version where the agent wants one.
func versioned(text string, at place, a Agent) (string, error) {
	t, err := object(text)
	if err != nil {
		return "", err
	}
	for _, p := range t.parts {
		if p.name == "version" {
			return text, nil
		}
	}
	if a.version {
		t.push(at, part{label: string(label("version")), value: "1"})
	}
	return t.String(), nil
}

func object(text string) (tree, error) {
	if err := json.Unmarshal([]byte(text), new(jsontext.Value)); err != nil {
		return tree{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	t, kind, err := cut(text)
	if err == nil && kind != '{' {
		err = fmt.Errorf("%w: it is no object", ErrUnreadable)
	}
	return t, err
}

// without is a file's text without our entries, and what those were. Lists and objects that only held
// them go with them.
func without(text string, ours func(line string) bool) (rest string, found []string, err error) {
	if strings.TrimSpace(text) == "" {
		return text, nil, nil
	}
	t, err := object(text)
	if err != nil {
		return "", nil, err
	}
	gone := make([]bool, len(t.parts))
	for i, p := range t.parts {
		if p.name == "hooks" {
			t.parts[i].value, gone[i], found = strip(p.value, ours)
		}
	}
	t.drop(gone)
	return t.String(), found, nil
}

// strip takes our entries out of a value. gone says that nothing else was in it.
func strip(text string, ours func(line string) bool) (rest string, gone bool, found []string) {
	t, kind, err := cut(text)
	if err != nil || kind != '{' && kind != '[' {
		return text, false, nil
	}
	for _, p := range t.parts {
		if p.name == "command" || p.name == "bash" {
			line, _ := jsontext.AppendUnquote(nil, p.value) // what is no text is not ours
			if ours(string(line)) {
				return text, true, []string{compact(text)}
			}
		}
	}
	drop, left := make([]bool, len(t.parts)), len(t.parts)
	for i, p := range t.parts {
		var inner []string
		t.parts[i].value, drop[i], inner = strip(p.value, ours)
		if drop[i] {
			left--
		}
		if p.name == "hooks" && len(inner) > 0 { // a group: its matcher counts as well
			inner, gone = []string{compact(text)}, drop[i]
		}
		for _, f := range inner {
			found = append(found, p.name+" "+f)
		}
	}
	if gone || len(found) > 0 && left == 0 {
		return text, true, found
	}
	t.drop(drop)
	return t.String(), false, found
}

// compact is a value without spaces, and its names sorted, to be compared.
func compact(text string) string {
	v := jsontext.Value(text)
	if v.Canonicalize() != nil {
		return text
	}
	return string(v)
}

// empty reports whether a file has nothing but the version that we have put there.
func empty(text string) bool {
	t, err := object(text)
	return err == nil && (len(t.parts) == 0 || len(t.parts) == 1 && t.parts[0].name == "version")
}
