package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is one difference between two files.
type Change struct {
	Place  string // such as agents.demo.toolConfirmation.mode
	Before string // as it stood in the file; empty where there was nothing
	After  string
	Live   bool // it can be taken over by a running gateway
}

// String words the change.
func (c Change) String() string {
	switch {
	case c.Before == "":
		return c.Place + " added: " + c.After
	case c.After == "":
		return c.Place + " removed: " + c.Before
	default:
		return c.Place + ": " + c.Before + " became " + c.After
	}
}

// Changes lists what next says differently, in the order of the places.
func (c *Config) Changes(next *Config) []Change {
	var changes []Change
	differ(c.doc, next.doc, nil, &changes)
	return changes
}

// differ descends both documents where they differ.
func differ(a, b *document, at []string, changes *[]Change) {
	before, after := a.at(at), b.at(at)
	if reflect.DeepEqual(before, after) {
		return
	}
	x, both := before.(map[string]any)
	y, ok := after.(map[string]any)
	if both && ok {
		names := maps.Clone(x)
		maps.Copy(names, y)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			inner := append(slices.Clone(at), name)
			_, was := x[name]
			_, is := y[name]
			switch {
			case was && is:
				differ(a, b, inner, changes)
			case was:
				*changes = append(*changes, Change{Place: words(inner), Before: a.shown(inner), Live: live(inner)})
			default:
				*changes = append(*changes, Change{Place: words(inner), After: b.shown(inner), Live: live(inner)})
			}
		}
		return
	}
	*changes = append(*changes, Change{
		Place: words(at), Before: a.shown(at), After: b.shown(at), Live: live(at),
	})
}

// live reports whether a running gateway can take over a change at a place:
// what is said about clearing calls, not what there is to be called.
func live(at []string) bool {
	switch {
	case at[len(at)-1] == "onNoApprover", at[len(at)-1] == "maxPending":
		return false
	case at[0] == "toolConfirmation":
		return true
	case at[0] != "agents" || len(at) < 3:
		return false
	case at[2] == "toolConfirmation", at[2] == "observeUntil":
		return true
	case len(at) < 5:
		return false
	case at[2] == "tools", at[2] == "clientTools":
		return at[4] == "approval"
	case at[2] == "mcp":
		return at[4] == "approval" || at[4] == "tools"
	default:
		return false
	}
}

// shown is a value as it stands in the file, shortened.
func (d *document) shown(at []string) string {
	switch v := d.at(at).(type) {
	case nil:
		return "nothing"
	case []any, map[string]any:
		return shortened(fmt.Sprint(d.written(v, at)))
	default:
		return d.given(at)
	}
}

// written is a value with the names of environment variables instead of what
// they hold.
func (d *document) written(v any, at []string) any {
	inner := func(name string) []string { return append(slices.Clone(at), name) }
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, value := range v {
			m[name] = d.written(value, inner(name))
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = d.written(value, inner(fmt.Sprint(i)))
		}
		return list
	case string:
		if p := d.places[id(at)].written; p != "" {
			return p
		}
	}
	return v
}

// shortened shortens a text that needs no quotes.
func shortened(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}
