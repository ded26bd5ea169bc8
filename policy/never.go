package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// checkEmpty refuses a condition that is there and holds nothing: left to
// itself it would hold always.
func (c *compiler) checkEmpty() {
	for _, list := range []struct {
		name  string
		empty bool
	}{
		{"args", c.rule.Args != nil && len(c.rule.Args) == 0},
		{"command", c.rule.Command != nil && len(c.rule.Command) == 0},
		{"paths", c.rule.Paths != nil && len(c.rule.Paths) == 0},
	} {
		if list.empty {
			c.fault(fmt.Sprintf("nothing is in it: say what the rule is about, or leave %s out if it is about every call", list.name), list.name)
		}
	}
}

// checkPossible refuses an argument that no tool of the rule can have, or that a schema which
// names arguments does not name.
func (c *compiler) checkPossible(path argPath, at ...string) bool {
	step := ""
	for _, spec := range c.tools {
		impossible, no := readSchema(spec.Schema).impossible(path)
		if _, lacks := Lacks(spec.Schema, path[0]); !no && lacks {
			impossible, no = path[0], true
		}
		if !no {
			return true
		}
		step = impossible
	}
	if len(c.tools) == 0 {
		return true
	}
	properties := readSchema(c.tools[0].Schema).properties()
	text := fmt.Sprintf("%s has no argument %s", c.toolNames(), step)
	if name := strings.Join(path, "."); len(path) > 1 && properties[name] != nil {
		text += fmt.Sprintf("; a name with a dot in it is written /%s", strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	} else if len(properties) > 0 {
		text += "; there are " + strings.Join(slices.Sorted(maps.Keys(properties)), ", ")
	}
	c.fault(text, at...)
	return false
}

// checkFits refuses a matcher that none of the values can match which the
// tools of the rule take there.
func (c *compiler) checkFits(name string, path argPath, m matcher) {
	var never schema
	var of tool.Spec
	for _, spec := range c.tools {
		s := readSchema(spec.Schema)
		if _, no := s.impossible(path); no {
			continue
		}
		leaf := s.at(path)
		if leaf == nil || !m.never(leaf) {
			return
		}
		never, of = leaf, spec
	}
	if never == nil {
		return
	}
	text := fmt.Sprintf("%s's %s is %s, so that this never matches", of.Name, strings.Join(path, "."), never.describe())
	if m.kind != "equals" {
		text += "; " + m.kind + " is for texts"
	}
	c.fault(text, "args", name, m.kind)
}

// never reports whether no value that a schema describes matches. What it does
// not understand may.
func (m matcher) never(s schema) bool {
	if s == nil || s["$ref"] != nil || s["$dynamicRef"] != nil {
		return false
	}
	if values, ok := s.values(); ok {
		return !slices.ContainsFunc(values, m.may)
	}
	if branches, ok := s.branches(); ok && !slices.ContainsFunc(branches, func(b schema) bool { return !m.never(b) }) {
		return true
	}
	types := s.types()
	return len(types) > 0 && !slices.ContainsFunc(types, func(name string) bool { return m.mayBe(name, s) })
}

// mayBe reports whether a value of a type can match.
func (m matcher) mayBe(name string, s schema) bool {
	switch {
	case name == "array" && !m.list:
		items := asSchema(s["items"])
		return items == nil || s["prefixItems"] != nil || !m.never(items)
	case m.kind != "equals":
		return name == "string"
	}
	whole := !strings.ContainsAny(string(m.equals), ".eE")
	switch strictjson.Kind(m.equals) {
	case '"':
		return name == "string"
	case '0':
		return name == "number" || name == "integer" && whole
	case 't', 'f':
		return name == "boolean"
	case 'n':
		return name == "null"
	case '{':
		return name == "object"
	case '[':
		return name == "array"
	}
	return true
}

// may reports whether a value can match, as far as that can be told without a
// call.
func (m matcher) may(value any) bool {
	if list, ok := value.([]any); ok && !m.list {
		return slices.ContainsFunc(list, m.may)
	}
	if m.kind == "equals" {
		return m.equal(value)
	}
	text, ok := value.(string)
	if !ok {
		return false
	}
	switch m.kind {
	case "glob":
		return Covers(m.text, text)
	case "prefix":
		return strings.HasPrefix(text, m.text)
	case "regex":
		return m.regex.Covers(text)
	}
	return true
}
