package terminal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

var errNoForm = errors.New("terminal: the schema is not that of a form")

// field is one member of a flat JSON Schema.
type field struct {
	name     string
	required bool
	choices  []choice

	Type        tool.JSON   `json:"type"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Default     tool.JSON   `json:"default"`
	Enum        []tool.JSON `json:"enum"`
	EnumNames   []string    `json:"enumNames"`
	OneOf       []option    `json:"oneOf"`
	Minimum     *float64    `json:"minimum"`
	Maximum     *float64    `json:"maximum"`
	MinLength   *int        `json:"minLength"`
	MaxLength   *int        `json:"maxLength"`
}

// option is a value with a title, another way to write an enum.
type option struct {
	Const tool.JSON `json:"const"`
	Title string    `json:"title"`
}

// choice is one of the values that a field can have.
type choice struct {
	value tool.JSON
	label string
}

// fieldsOf reads the members of an object's schema, in its order. No schema is
// a form without fields.
func fieldsOf(schema tool.JSON) ([]field, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	var object struct {
		Properties tool.JSON `json:"properties"`
		Required   []string  `json:"required"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoForm, err)
	}
	if len(object.Properties) == 0 {
		return nil, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(object.Properties))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, errors.Join(errNoForm, err)
	}
	var fields []field
	for d.PeekKind() == '"' {
		var f field
		if err := errors.Join(json.UnmarshalDecode(d, &f.name), json.UnmarshalDecode(d, &f)); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoForm, err)
		}
		f.required = slices.Contains(object.Required, f.name)
		f.list()
		fields = append(fields, f)
	}
	return fields, nil
}

// list fills in the choices.
func (f *field) list() {
	for i, value := range f.Enum {
		label := plain(value)
		if i < len(f.EnumNames) && f.EnumNames[i] != "" {
			label = f.EnumNames[i] + " (" + label + ")"
		}
		f.choices = append(f.choices, choice{value, label})
	}
	for _, o := range f.OneOf {
		if len(o.Const) == 0 { // alternatives of another kind
			f.choices = nil
			return
		}
		f.choices = append(f.choices, choice{o.Const, cmp.Or(o.Title, plain(o.Const))})
	}
}

// plain is a value as a person writes it: texts without quotes.
func plain(v tool.JSON) string {
	if strictjson.Kind(v) == '"' {
		return unquoted(v)
	}
	return string(v)
}

func (f *field) kind() string { return plain(f.Type) }

func (f *field) heading() string {
	words := f.name
	if f.Title != "" && f.Title != f.name {
		words = f.Title + " (" + f.name + ")"
	}
	return words
}

// wanted says what can be typed.
func (f *field) wanted() string {
	want := "JSON"
	switch {
	case len(f.choices) > 0:
		want = fmt.Sprintf("1 to %d", len(f.choices))
	case f.kind() == "string":
		want = "text"
	case f.kind() == "integer":
		want = "whole number"
	case f.kind() == "number":
		want = "number"
	case f.kind() == "boolean":
		want = "y/n"
	}
	switch {
	case len(f.Default) > 0:
		return want + "; Enter: " + strings.ReplaceAll(mask.Hidden(plain(f.Default)), "\n", "⟨U+000A⟩")
	case !f.required:
		return want + "; Enter: nothing"
	default:
		return want
	}
}

// parse makes a value of what was typed, or says why it is none.
func (f *field) parse(text string) (tool.JSON, error) {
	word := strings.TrimSpace(text)
	if len(f.choices) > 0 {
		return f.choose(word)
	}
	switch f.kind() {
	case "string":
		return f.parseText(text)
	case "integer", "number":
		return f.parseNumber(word)
	case "boolean":
		switch strings.ToLower(word) {
		case "y", "yes", "true":
			return tool.JSON("true"), nil
		case "n", "no", "false":
			return tool.JSON("false"), nil
		}
		return nil, errors.New("want y or n")
	default:
		value := tool.JSON(word)
		if !jsontext.Value(value).IsValid() {
			return nil, errors.New("want one JSON value")
		}
		return value, nil
	}
}

// choose takes a value as it is written in the list, else by its number.
func (f *field) choose(word string) (tool.JSON, error) {
	for _, c := range f.choices {
		if word == plain(c.value) {
			return c.value, nil
		}
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].value, nil
	}
	return nil, fmt.Errorf("want a number from 1 to %d, or one of the values", len(f.choices))
}

// parseText takes a text as it was typed; "" is the empty one.
func (f *field) parseText(text string) (tool.JSON, error) {
	if text == `""` {
		text = ""
	}
	n := utf8.RuneCountInString(text)
	if f.MinLength != nil && n < *f.MinLength {
		return nil, fmt.Errorf("want at least %d characters", *f.MinLength)
	}
	if f.MaxLength != nil && n > *f.MaxLength {
		return nil, fmt.Errorf("want at most %d characters", *f.MaxLength)
	}
	return jsontext.AppendQuote(nil, text)
}

func (f *field) parseNumber(word string) (tool.JSON, error) {
	value := tool.JSON(word)
	if strictjson.Kind(value) != '0' || !jsontext.Value(value).IsValid() {
		return nil, errors.New("want a number, such as 12 or -0.5")
	}
	if f.kind() == "integer" && strings.ContainsAny(word, ".eE") {
		return nil, errors.New("want a whole number")
	}
	if _, err := strictjson.Canonicalize(value); err != nil {
		return nil, errors.New("want a number that has an exact form")
	}
	n, err := strconv.ParseFloat(word, 64)
	switch {
	case err != nil:
		return nil, errors.New("want a number that is not so large")
	case f.Minimum != nil && n < *f.Minimum:
		return nil, fmt.Errorf("want at least %g", *f.Minimum)
	case f.Maximum != nil && n > *f.Maximum:
		return nil, fmt.Errorf("want at most %g", *f.Maximum)
	}
	return value, nil
}
