package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
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
	if entries(a, b, at, changes) {
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

// entries compares two lists entry by entry, such as rules. It reports whether that says all: not
// where entries have only changed places.
func entries(a, b *document, at []string, changes *[]Change) bool {
	x, both := a.at(at).([]any)
	y, ok := b.at(at).([]any)
	if !both || !ok {
		return false
	}
	gone, came := lacking(x, y), lacking(y, x)
	differs := len(gone)+len(came) > 0
	for _, i := range gone {
		inner := append(slices.Clone(at), fmt.Sprint(i))
		c := Change{Place: words(inner), Before: a.shown(inner), Live: live(at)}
		if n := slices.Index(came, i); n >= 0 {
			c.After, came = b.shown(inner), slices.Delete(came, n, n+1)
		}
		*changes = append(*changes, c)
	}
	for _, i := range came {
		inner := append(slices.Clone(at), fmt.Sprint(i))
		*changes = append(*changes, Change{Place: words(inner), After: b.shown(inner), Live: live(at)})
	}
	return differs
}

// lacking are the places of the entries of x that y does not have, as often as it has them.
func lacking(x, y []any) (places []int) {
	left := slices.Clone(y)
	for i, entry := range x {
		n := slices.IndexFunc(left, func(other any) bool { return reflect.DeepEqual(entry, other) })
		if n < 0 {
			places = append(places, i)
			continue
		}
		left = slices.Delete(left, n, n+1)
	}
	return places
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
		text, err := json.Marshal(d.written(v, at), json.Deterministic(true))
		if err != nil {
			return "not readable: " + err.Error() // which YAML can't hold
		}
		return shortened(string(text))
	default:
		return d.given(at)
	}
}

// digestOf is the SHA-256 of all that the file says about an agent, with the names of environment variables: what differs from
// machine to machine stands in those.
func (d *document) digestOf(agent string) string {
	said := map[string]any{}
	if root, ok := d.root.(map[string]any); ok {
		for name, value := range root {
			switch name {
			case "gateway", "cluster":
			case "agents":
				said[name] = d.written(d.at([]string{name, agent}), []string{name, agent})
			default:
				said[name] = d.written(value, []string{name})
			}
		}
	}
	text, err := json.Marshal(said, json.Deterministic(true))
	if err != nil {
		text = []byte(err.Error()) // of what YAML can't hold, which is refused elsewhere
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
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
