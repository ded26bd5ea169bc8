package approval

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/lineclear/lineclear/strictjson"
)

// MergePatch applies a JSON merge patch (RFC 7396) to a JSON object.
func MergePatch(target, patch jsontext.Value) (jsontext.Value, error) {
	if patch.Kind() != '{' {
		return patch.Clone(), nil
	}
	members := map[string]jsontext.Value{}
	if target.Kind() == '{' {
		if err := json.Unmarshal(target, &members); err != nil {
			return nil, fmt.Errorf("approval: merge patch target: %w", err)
		}
	}
	var changes map[string]jsontext.Value
	if err := json.Unmarshal(patch, &changes); err != nil {
		return nil, fmt.Errorf("approval: merge patch: %w", err)
	}
	for name, change := range changes {
		if change.Kind() == 'n' {
			delete(members, name)
			continue
		}
		merged, err := MergePatch(members[name], change)
		if err != nil {
			return nil, err
		}
		members[name] = merged
	}
	return json.Marshal(members, json.Deterministic(true))
}

// argsSchema checks a tool's arguments; the zero value takes any object.
type argsSchema struct{ compiled *jsonschema.Schema }

// compileSchema reads a tool's JSON Schema. A schema that does not compile is
// an error: a tool whose arguments can't be checked is not offered.
func compileSchema(toolName string, schema jsontext.Value) (argsSchema, error) {
	if len(schema) == 0 {
		return argsSchema{}, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return argsSchema{}, fmt.Errorf("approval: schema of tool %s: %w", toolName, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("tool.json", doc); err != nil {
		return argsSchema{}, fmt.Errorf("approval: schema of tool %s: %w", toolName, err)
	}
	compiled, err := c.Compile("tool.json")
	if err != nil {
		return argsSchema{}, fmt.Errorf("approval: schema of tool %s: %w", toolName, err)
	}
	return argsSchema{compiled: compiled}, nil
}

// CheckSchema says in one line what is wrong with a JSON Schema; nil where
// nothing is, or none is given.
func CheckSchema(schema jsontext.Value) error {
	_, err := compileSchema("", schema)
	if err == nil {
		return nil
	}
	lines := strings.Split(err.Error(), "\n") // the library tells a tree, whose last leaf is the plainest
	return errors.New(strings.TrimLeft(lines[len(lines)-1], " -"))
}

// CheckForm says what is wrong with the JSON Schema of a form: it has to
// describe an object.
func CheckForm(schema jsontext.Value) error {
	var form struct {
		Type       jsontext.Value `json:"type"`
		Properties jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return err
	}
	if string(form.Type) != `"object"` || form.Properties.Kind() != '{' {
		return errors.New("want an object with properties")
	}
	_, err := compileSchema("of the form", schema)
	return err
}

// noLoader keeps a schema's $ref from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("references outside the schema are not followed: " + url)
}

// check returns what is wrong with args in one line, nil when nothing is.
func (s argsSchema) check(args jsontext.Value) error {
	if _, err := strictjson.Object(args); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	if _, err := strictjson.Canonical(args); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	if s.compiled == nil {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(doc); errors.As(err, &invalid) {
		return fmt.Errorf("arguments: %s", strings.Join(faults(invalid), "; "))
	} else if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}

// faults lists the leaves of a validation error, each with its place.
func faults(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		text := e.ErrorKind.LocalizedString(printer())
		if place := strings.Join(e.InstanceLocation, "."); place != "" {
			return []string{place + ": " + text}
		}
		return []string{text}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, faults(cause)...)
	}
	return all
}

// printer words the schema library's messages in English.
func printer() *message.Printer { return message.NewPrinter(language.English) }
