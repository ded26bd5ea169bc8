package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// checkStructure finds unknown and missing keys, wrong types and unknown
// words, and spoils what they stand at.
func checkStructure(doc *document, found *faultList, described *jsonschema.Schema) error {
	check, err := compiled(described)
	if err != nil {
		return err
	}
	var invalid *validation.ValidationError
	if err := check.Validate(doc.root); errors.As(err, &invalid) {
		structure{doc, found, described}.walk(invalid)
		return nil
	} else if err != nil {
		return fmt.Errorf("config: check: %w", err)
	}
	return nil
}

// structure words what the schema's check finds.
type structure struct {
	doc       *document
	found     *faultList
	described *jsonschema.Schema
}

func (s structure) walk(e *validation.ValidationError) {
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			s.unknown(at, name)
		}
	case *kind.PropertyNames:
		// The library lets the location of this kind of error be overwritten
		// by what it checks afterwards; the schema's own place is kept.
		inner := append(placeOf(e.SchemaURL), k.Property)
		s.fault(s.doc.keyAt(inner...), inner, "the name %q can't be used: use letters, digits, and . _ - between them", k.Property)
	case *kind.Required:
		for _, name := range k.Missing {
			s.missing(at, name)
		}
	default:
		if len(e.Causes) == 0 {
			s.value(at, e.ErrorKind)
		}
		for _, cause := range e.Causes {
			s.walk(cause)
		}
	}
}

// fault says nothing about a value that already has one.
func (s structure) fault(where position, at []string, format string, args ...any) {
	if !s.doc.spoilt[id(at)] {
		s.found.add(where, format, args...)
		s.doc.spoil(at)
	}
}

func (s structure) unknown(at []string, name string) {
	known := schemaAt(s.described, at).PropertyOrder
	inner := append(slices.Clone(at), name)
	what, in := "key", " in "+words(at)
	switch {
	case len(at) == 0:
		in = ""
	case at[len(at)-1] == "tools":
		what = "tool"
	}
	s.fault(s.doc.keyAt(inner...), inner, "unknown %s %q%s%s (known: %s)", what, name, in, meant(name, known), strings.Join(known, ", "))
}

func (s structure) missing(at []string, name string) {
	if s.doc.spoilt[id(at)] {
		return
	}
	where := "the file"
	if len(at) > 0 {
		where = words(at)
	}
	why := ""
	if described := schemaAt(s.described, append(slices.Clone(at), name)); described != nil && described.Description != "" {
		why = ": " + described.Description
	}
	s.found.add(s.doc.keyAt(at...), "%s has no %s, and needs one%s", where, name, why)
}

// placeOf is where in a file a part of the schema is about: the names of the
// properties on the way to it.
func placeOf(schemaURL string) []string {
	var at []string
	_, pointer, _ := strings.Cut(schemaURL, "#/")
	parts := strings.Split(pointer, "/")
	for i := 0; i+1 < len(parts); i++ {
		if parts[i] == "properties" {
			at = append(at, parts[i+1])
			i++
		}
	}
	return at
}

// value is about a single value that is of the wrong kind or out of range.
func (s structure) value(at []string, k validation.ErrorKind) {
	what := words(at)
	if what == "" {
		what = "the file"
	}
	given := s.doc.given(at)
	where := s.doc.valueAt(at...)
	switch k := k.(type) {
	case *kind.Type:
		s.fault(where, at, "%s: want %s, found %s", what, typeWords(k.Want), s.doc.found(at))
	case *kind.Enum:
		s.fault(where, at, "%s: %s", what, unknownWord(at, given, k))
	case *kind.Pattern:
		s.fault(where, at, "%s: %s is no duration: write it like 500ms, 30s, 2m or 1h30m%s", what, given, s.orNone(at))
	case *kind.Minimum:
		s.fault(where, at, "%s: want %s or more, found %s", what, k.Want.RatString(), given)
	case *kind.Maximum:
		s.fault(where, at, "%s: want %s or less, found %s", what, k.Want.RatString(), given)
	case *kind.MinLength:
		s.fault(where, at, "%s is empty: write something, or leave it out", what)
	case *kind.MinProperties:
		s.fault(where, at, "%s is empty: it needs at least one entry, as in demo: {model: demo}", what)
	default:
		s.fault(where, at, "%s: %s can't stand here", what, given)
	}
}

func (s structure) orNone(at []string) string {
	if strings.Contains(schemaAt(s.described, at).Pattern, string(noTimeout)) {
		return ", or none to wait without limit"
	}
	return ""
}

// unknownWord is about a text that is not one of the allowed ones.
func unknownWord(at []string, given string, k *kind.Enum) string {
	var allowed []string
	for _, w := range k.Want {
		allowed = append(allowed, fmt.Sprint(w))
	}
	name, text := at[len(at)-1], fmt.Sprint(k.Got)
	switch {
	case name == "mode" && text == "event-based":
		return "event-based was renamed to manual"
	case name == "location" && text == "client":
		return "tools that a client runs stand under clientTools; the only location here is server"
	default:
		return fmt.Sprintf("%s is not known%s (allowed: %s)", given, meant(text, allowed), strings.Join(allowed, ", "))
	}
}

func typeWords(types []string) string {
	var out []string
	for _, t := range types {
		switch t {
		case "object":
			out = append(out, "a mapping (key: value)")
		case "array":
			out = append(out, "a list")
		case "string":
			out = append(out, "a text")
		case "boolean":
			out = append(out, "true or false")
		case "integer":
			out = append(out, "a whole number")
		}
	}
	return strings.Join(out, " or ")
}
