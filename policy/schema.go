package policy

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// schema is one level of a tool's JSON Schema, as far as it says which
// arguments there can't be.
type schema map[string]any

func readSchema(text jsontext.Value) schema {
	var s schema
	if len(text) == 0 || json.Unmarshal(text, &s) != nil {
		return nil
	}
	return s
}

func (s schema) properties() map[string]any {
	properties, _ := s["properties"].(map[string]any)
	return properties
}

// impossible reports whether no valid arguments can have a value at the path;
// at is the step that can't be. What it does not understand is possible.
func (s schema) impossible(path argPath) (at string, no bool) {
	if len(path) == 0 || s == nil || s.open() {
		return "", false
	}
	step := path[0]
	inner, known := s.properties()[step]
	switch {
	case known:
		return asSchema(inner).impossible(path[1:])
	case s.isA("object") && s["additionalProperties"] == false, s.scalar():
		return step, true
	case s.isA("array"):
		if _, err := strconv.Atoi(step); err == nil {
			path = path[1:]
		}
		return asSchema(s["items"]).impossible(path)
	}
	return "", false
}

// open reports whether something beside the plain members says what is allowed.
func (s schema) open() bool {
	for _, name := range []string{"$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "if", "not", "patternProperties", "prefixItems", "dependentSchemas"} {
		if _, ok := s[name]; ok {
			return true
		}
	}
	return false
}

// isA reports whether the values are of a type, and of no other.
func (s schema) isA(name string) bool {
	if s["type"] == name {
		return true
	}
	return name == "object" && s["type"] == nil && s["properties"] != nil
}

// scalar reports whether the values have nothing inside.
func (s schema) scalar() bool {
	switch s["type"] {
	case "string", "number", "integer", "boolean", "null":
		return true
	}
	return false
}

func asSchema(value any) schema {
	s, _ := value.(map[string]any)
	return s
}
