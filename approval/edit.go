package approval

import (
	"bytes"
	"errors"
	"fmt"

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
	if _, err := strictjson.CompileSchema(schema); err != nil {
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
