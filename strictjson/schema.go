package strictjson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema checks values against a JSON Schema (draft 2020-12). The zero value
// takes every value that has a canonical form.
type Schema struct{ compiled *jsonschema.Schema }

// CompileSchema reads a schema from outside; an empty one is the zero Schema.
// References out of the schema are not followed. One that is longer than
// MaxSchema, or that could keep Check busy for ever, is refused. Its errors are
// one line.
func CompileSchema(data []byte) (Schema, error) { return compile(data, jsonschema.NewCompiler()) }

// CompileForm is CompileSchema for what people fill in: a format, such as email or
// date, is a rule there and no remark.
func CompileForm(data []byte) (Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return compile(data, c)
}

func compile(data []byte, c *jsonschema.Compiler) (Schema, error) {
	if len(data) == 0 {
		return Schema{}, nil
	}
	if len(data) > MaxSchema {
		return Schema{}, fmt.Errorf("the schema has %d bytes, more than %d", len(data), MaxSchema)
	}
	doc, err := plain(data)
	if err != nil {
		return Schema{}, err
	}
	c.UseLoader(noLoader{})
	if err := c.AddResource("schema.json", doc); err != nil {
		return Schema{}, plainest(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return Schema{}, plainest(err)
	}
	if err := bounded(compiled); err != nil {
		return Schema{}, err
	}
	return Schema{compiled: compiled}, nil
}

// maxFaults is how many faults of a value are told.
const maxFaults = 50

// Check says in one line what is wrong with a value, each fault with its place;
// nil where nothing is. It takes no more steps than a value of its length may
// take: one that a schema fans out on is ErrTooManySteps.
func (s Schema) Check(data []byte) error {
	doc, err := plain(data)
	if err != nil || s.compiled == nil {
		return err
	}
	count := &steps{limit: maxSteps + stepsPerByte*len(data)}
	if _, err := count.of(s.compiled, newPart(doc)); err != nil {
		return err
	}
	err = s.compiled.Validate(doc)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	all := faults(invalid)
	if n := len(all); n > maxFaults {
		all = append(all[:maxFaults], fmt.Sprintf("and %d more", n-maxFaults))
	}
	return errors.New(strings.Join(all, "; "))
}

// plain is a value as the schema library reads it. The library computes with
// exact fractions, in which a number of ten characters can fill the memory; one
// that Canonicalize takes is no larger than a double.
func plain(data []byte) (any, error) {
	if _, err := Canonicalize(data); err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(data))
}

// noLoader keeps a schema's $ref from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("references outside the schema are not followed: " + url)
}

// plainest is the last leaf of the tree that the library tells of a schema.
func plainest(err error) error {
	lines := strings.Split(err.Error(), "\n")
	return errors.New(strings.TrimLeft(lines[len(lines)-1], " -"))
}

// faults lists the leaves of a validation error.
func faults(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		if f, ok := e.ErrorKind.(*kind.Format); ok {
			text = "want " + cmp.Or(formats[f.Want], "the format "+f.Want)
		}
		if place := strings.Join(e.InstanceLocation, "."); place != "" {
			text = fmt.Sprintf("%s: %s", place, text)
		}
		return []string{text}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, faults(cause)...)
	}
	return all
}

// formats are in words; those of MCP's forms, and such as are much like them.
var formats = map[string]string{
	"email": "an email address, such as ada@example.com", "uri": "a whole address, such as https://example.com",
	"date": "a date that there is, as YYYY-MM-DD", "date-time": "a date and time with its zone, such as 2026-11-27T12:30:00Z",
	"time": "a time with its zone, such as 12:30:00Z",
}

// placeOf is a schema's place in the document.
func placeOf(s *jsonschema.Schema) string {
	_, pointer, _ := strings.Cut(s.Location, "#")
	if pointer == "" {
		return "its top"
	}
	return pointer
}

// CheckObject says what is wrong with a call's arguments or a form's data: they
// are an object, and fit the schema.
func (s Schema) CheckObject(data []byte) error {
	if _, err := Object(data); err != nil {
		return err
	}
	return s.Check(data)
}
