package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// schema is one level of a tool's JSON Schema, as far as it says which
// arguments there can't be.
type schema map[string]any

func readSchema(text tool.JSON) schema {
	var s schema
	if len(text) == 0 || json.Unmarshal(text, &s) != nil {
		return nil
	}
	return s
}

// Lacks reports whether a tool's schema names arguments and not this one; known are
// those that it names. One that says of itself that there may be others lacks none.
func Lacks(text tool.JSON, argument string) (known []string, lacks bool) {
	s := readSchema(text)
	properties := s.properties()
	_, lacks = s.impossible(argPath{argument})
	if _, named := properties[argument]; !lacks && !named && properties != nil {
		lacks = !slices.ContainsFunc([]string{
			"additionalProperties", "patternProperties", "unevaluatedProperties", "$ref", "$dynamicRef",
			"allOf", "anyOf", "oneOf", "if", "dependentSchemas",
		}, func(name string) bool { return s[name] != nil })
	}
	return slices.Sorted(maps.Keys(properties)), lacks
}

func (s schema) properties() map[string]any {
	properties, _ := s["properties"].(map[string]any)
	return properties
}

// impossible reports whether no valid arguments can have a value at the path;
// at is the step that can't be. What it does not understand is possible. What
// stands beside the properties (if, allOf, anyOf and the like) can only take
// more away.
func (s schema) impossible(path argPath) (at string, no bool) {
	if len(path) == 0 || s == nil || s["$ref"] != nil || s["$dynamicRef"] != nil {
		return "", false
	}
	step := path[0]
	inner, known := s.properties()[step]
	if known && inner == false {
		return step, true
	}
	if known {
		return asSchema(inner).impossible(path[1:])
	}
	if branches, ok := s.branches(); ok {
		closed := func(b schema) bool { _, no := b.impossible(path); return no }
		if !slices.ContainsFunc(branches, func(b schema) bool { return !closed(b) }) {
			return step, true
		}
	}
	types := s.types()
	for _, name := range types {
		switch name {
		case "object":
			if s["additionalProperties"] != false || s["patternProperties"] != nil {
				return "", false
			}
		case "array":
			if !s.noElement(path) {
				return "", false
			}
		}
	}
	if len(types) == 1 && types[0] == "array" {
		return s.element().impossible(s.inElement(path))
	}
	return step, len(types) > 0
}

// noElement reports whether no element of a list can have a value at the path.
func (s schema) noElement(path argPath) bool {
	if s["prefixItems"] != nil {
		return false
	}
	_, no := s.element().impossible(s.inElement(path))
	return no
}

func (s schema) element() schema { return asSchema(s["items"]) }

// inElement is the path from an element on.
func (s schema) inElement(path argPath) argPath {
	if _, err := strconv.Atoi(path[0]); err == nil {
		return path[1:]
	}
	return path
}

// at is the schema of what stands at the path; nil where that is not plain.
func (s schema) at(path argPath) schema {
	switch {
	case s == nil || s["$ref"] != nil || s["$dynamicRef"] != nil:
		return nil
	case len(path) == 0:
		return s
	}
	if inner, ok := s.properties()[path[0]]; ok {
		return asSchema(inner).at(path[1:])
	}
	if types := s.types(); len(types) == 1 && types[0] == "array" && s["prefixItems"] == nil {
		return s.element().at(s.inElement(path))
	}
	return nil
}

// types are those that the values may have; none where that is open.
func (s schema) types() []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		names := make([]string, 0, len(t))
		for _, name := range t {
			text, _ := name.(string)
			names = append(names, text)
		}
		return names
	}
	if s["properties"] != nil {
		return []string{"object"}
	}
	return nil
}

// branches are the schemas of a choice.
func (s schema) branches() ([]schema, bool) {
	for _, name := range []string{"anyOf", "oneOf"} {
		list, _ := s[name].([]any)
		branches := make([]schema, 0, len(list))
		for _, b := range list {
			branches = append(branches, asSchema(b))
		}
		if len(branches) > 0 {
			return branches, true
		}
	}
	return nil, false
}

// values are all that there can be.
func (s schema) values() ([]any, bool) {
	if value, ok := s["const"]; ok {
		return []any{value}, true
	}
	list, ok := s["enum"].([]any)
	return list, ok
}

// describe says for people what the values are.
func (s schema) describe() string {
	if values, ok := s.values(); ok {
		texts := make([]string, 0, len(values))
		for _, v := range values {
			if text, err := json.Marshal(v, json.Deterministic(true)); err == nil {
				texts = append(texts, string(text))
			}
		}
		return "one of " + strings.Join(texts, ", ")
	}
	types := s.types()
	if branches, ok := s.branches(); ok && len(types) == 0 {
		for _, b := range branches {
			types = append(types, b.types()...)
		}
	}
	text := strings.Join(types, " or ")
	if text != "" && strings.ContainsRune("aeiou", rune(text[0])) {
		return "an " + text
	}
	return "a " + text
}

func asSchema(value any) schema {
	s, _ := value.(map[string]any)
	return s
}
