package approval

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// MergePatch applies a JSON merge patch (RFC 7396) to a JSON object.
func MergePatch(target, patch tool.JSON) (tool.JSON, error) {
	if strictjson.Kind(patch) != '{' {
		return bytes.Clone(patch), nil
	}
	members := map[string]tool.JSON{}
	if strictjson.Kind(target) == '{' {
		if err := json.Unmarshal(target, &members); err != nil {
			return nil, fmt.Errorf("approval: merge patch target: %w", err)
		}
	}
	var changes map[string]tool.JSON
	if err := json.Unmarshal(patch, &changes); err != nil {
		return nil, fmt.Errorf("approval: merge patch: %w", err)
	}
	for name, change := range changes {
		if strictjson.Kind(change) == 'n' {
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

// CheckForm says what is wrong with the JSON Schema of a form: it has to
// describe an object.
func CheckForm(schema tool.JSON) error {
	if _, err := strictjson.CompileForm(schema); err != nil {
		return err
	}
	var form struct {
		Type tool.JSON `json:"type"`
	}
	if err := json.Unmarshal(schema, &form); err != nil || string(form.Type) != `"object"` {
		return errors.New(`want a schema with "type": "object"`)
	}
	return nil
}

// Filled is an answer to a form with the form's defaults in the place of fields that
// were left open. A field that has to be answered is not filled in, nor is one whose
// default does not fit it.
func Filled(schema, answer tool.JSON) (tool.JSON, error) {
	var form struct {
		Properties map[string]tool.JSON `json:"properties"`
		Required   []string             `json:"required"`
	}
	var given map[string]tool.JSON
	if err := json.Unmarshal(schema, &form); err != nil || len(schema) == 0 {
		return answer, nil // which has no fields
	}
	if err := strictjson.Decode(strictjson.OrEmptyObject(answer), &given); err != nil {
		return nil, err
	}
	put := false
	for name, property := range form.Properties {
		if _, answered := given[name]; answered || slices.Contains(form.Required, name) {
			continue
		}
		if start := defaultOf(property); len(start) > 0 {
			given[name], put = start, true
		}
	}
	if !put {
		return answer, nil
	}
	return json.Marshal(given, json.Deterministic(true))
}

// defaultOf is a field's; empty where it has none that fits.
func defaultOf(property tool.JSON) tool.JSON {
	var field struct {
		Default tool.JSON `json:"default"`
	}
	if err := json.Unmarshal(property, &field); err != nil || len(field.Default) == 0 {
		return nil
	}
	schema, err := strictjson.CompileForm(property)
	if err != nil || schema.Check(field.Default) != nil {
		return nil
	}
	return field.Default
}
