package approval

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// CheckForm says what is wrong with the JSON Schema of a form: it has to
// describe an object.
func CheckForm(schema jsontext.Value) error {
	if _, err := strictjson.CompileSchema(schema); err != nil {
		return err
	}
	var form struct {
		Type jsontext.Value `json:"type"`
	}
	if err := json.Unmarshal(schema, &form); err != nil || string(form.Type) != `"object"` {
		return errors.New(`want a schema with "type": "object"`)
	}
	return nil
}
