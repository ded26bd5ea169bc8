package config

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// durationPattern also takes what environment variables may still turn into a
// duration, so that an editor does not complain.
const durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$|\$\{`

const namePattern = `^[A-Za-z0-9][A-Za-z0-9._-]*$`

// Schema returns the JSON Schema of agents.yaml, for editors.
func Schema() ([]byte, error) {
	s, err := fileSchema()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(s, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("config: schema: %w", err)
	}
	return append(data, '\n'), nil
}

// fileSchema describes agents.yaml.
func fileSchema() (*jsonschema.Schema, error) {
	s, err := describe[file]("Lineclear: agents.yaml")
	if err != nil {
		return nil, err
	}
	s.Properties["agents"].MinProperties = jsonschema.Ptr(1)
	for _, price := range s.Properties["models"].AdditionalProperties.Properties["prices"].Properties {
		price.Minimum = jsonschema.Ptr(0.0)
	}
	s.Properties["agents"].AdditionalProperties.Properties["maxCost"].ExclusiveMinimum = jsonschema.Ptr(0.0)
	for _, named := range []string{"agents", "models"} {
		s.Properties[named].PropertyNames = &jsonschema.Schema{Type: "string", Pattern: namePattern}
	}
	s.Properties["mcpServers"].PropertyNames = &jsonschema.Schema{Type: "string", Pattern: "^[a-z][a-z0-9_-]{0,31}$"}
	tools := s.Properties["agents"].AdditionalProperties.Properties["clientTools"]
	tools.PropertyNames = &jsonschema.Schema{Type: "string", Pattern: namePattern}
	return s, nil
}

// describe makes the schema of a type of this package.
func describe[T any](title string) (*jsonschema.Schema, error) {
	text := func(pattern string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Pattern: pattern}
	}
	words := func(words ...any) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Enum: words}
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[duration]():     text(durationPattern),
		reflect.TypeFor[waiting]():      text(durationPattern + "|^none$"),
		reflect.TypeFor[count]():        {Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(1e9)},
		reflect.TypeFor[retries]():      {Type: "integer", Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(10.0)},
		reflect.TypeFor[mode]():         words("manual", "auto-approve", "auto-deny"),
		reflect.TypeFor[grantStorage](): words("storage", "memory"),
		reflect.TypeFor[location]():     words("server"),
		reflect.TypeFor[agentKind]():    words(string(external)),
		reflect.TypeFor[provider]():     words(providerNames()...),
		reflect.TypeFor[scope]():        words("once", "session", "always"),
		reflect.TypeFor[effect]():       words("allow", "ask", "deny"),
		reflect.TypeFor[noApprover]():   words("wait", "deny"),
		reflect.TypeFor[sandboxMode]():  words("off", "auto", "required"),
		reflect.TypeFor[secretKind]():   secretKinds(),
		reflect.TypeFor[fenceFile]():    fences(),
		reflect.TypeFor[pushSwitch]():   words("on", "off"),
		reflect.TypeFor[localKey]():     words(string(LocalKeyAsks), string(LocalKeyAnswers)),
		reflect.TypeFor[riskLevel]():    words("low", "medium", "high", "critical"),
		reflect.TypeFor[roleName]():     words("approver", "admin"),
		reflect.TypeFor[tool.JSON]():    {Types: []string{"string", "number", "boolean", "array", "object"}},
	}})
	if err != nil {
		return nil, fmt.Errorf("config: schema: %w", err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = title
	nothingEmpty(s)
	return s, nil
}

// fences is the schema of a rule's sandbox.
func fences() *jsonschema.Schema {
	list := func(what string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: what}
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "string", Enum: []any{readOnly}},
		{
			Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"read":    list("Folders and files that it reads, beside workdir. Relative ones start there, ~/ at home."),
				"writes":  list("Folders and files that it writes. Default: none."),
				"network": {Type: "boolean", Description: "Whether it has the machine's network. Default: false."},
			},
		},
	}}
}

// secretKinds are the kinds of secrets that are looked for.
func secretKinds() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, kind := range mask.SecretKinds() {
		s.Enum = append(s.Enum, string(kind))
	}
	return s
}

// mayBeEmpty are the keys whose text, or the texts below them, may be without a letter.
var mayBeEmpty = []string{"key", "pattern", "message", "env", "headers"}

// mayBeNames are the keys whose entries may be a name without a value.
var mayBeNames = []string{"tools", "mcp"}

// nothingEmpty refuses a key without a value and a text without a letter. Such a key is
// more likely a mistake than a way to leave it out.
func nothingEmpty(s *jsonschema.Schema, at ...string) {
	if s == nil {
		return
	}
	names := len(at) > 1 && slices.Contains(mayBeNames, at[len(at)-2])
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 && !names {
		s.Types, s.Type = nil, s.Types[1-i]
	}
	if slices.Equal(s.Types, []string{"null"}) {
		s.Types = nil // an optional value with several forms
	}
	if s.Type == "string" && len(s.Enum) == 0 && s.Pattern == "" && !slices.ContainsFunc(mayBeEmpty, func(key string) bool { return slices.Contains(at[max(0, len(at)-2):], key) }) {
		s.MinLength = new(1)
	}
	for name, inner := range s.Properties {
		nothingEmpty(inner, append(at, name)...)
	}
	for _, form := range s.AnyOf {
		nothingEmpty(form, at...)
	}
	nothingEmpty(s.Items, append(at, "[]")...)
	nothingEmpty(s.AdditionalProperties, append(at, "*")...)
}

// compiled is a schema in the form that checks a file.
func compiled(s *jsonschema.Schema) (*validation.Schema, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("config: schema: %w", err)
	}
	doc, err := validation.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("config: schema: %w", err)
	}
	c := validation.NewCompiler()
	if err := c.AddResource("agents.schema.json", doc); err != nil {
		return nil, fmt.Errorf("config: schema: %w", err)
	}
	v, err := c.Compile("agents.schema.json")
	if err != nil {
		return nil, fmt.Errorf("config: schema: %w", err)
	}
	return v, nil
}

// schemaAt finds the part of the schema that describes a place in the file.
func schemaAt(s *jsonschema.Schema, at []string) *jsonschema.Schema {
	for _, name := range at {
		switch {
		case s == nil:
			return nil
		case s.Properties[name] != nil:
			s = s.Properties[name]
		case s.Items != nil:
			s = s.Items
		default:
			s = s.AdditionalProperties
		}
	}
	return s
}
