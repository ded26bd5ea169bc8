package mcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// maxForm is how long the schema of a form may be, in bytes.
const maxForm = 16 << 10

// form is the schema of a question's form as the server wrote it. Whether it can
// be shown is for the host to say.
func form(p *mcp.ElicitParams) (tool.JSON, error) {
	schema, err := transport.RawJSON(p.Meta, p.RequestedSchema)
	if err != nil {
		return nil, err
	}
	if len(schema) > maxForm {
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(schema), maxForm)
	}
	if _, err := strictjson.Object(schema); err != nil {
		return nil, err
	}
	if err := flat(schema); err != nil {
		return nil, err
	}
	return schema, nil
}

// fits reports what is wrong with an answer to a form. One that can't be compiled
// says nothing of it.
func fits(schema, answer tool.JSON) error {
	fields, err := strictjson.CompileForm(schema)
	if err != nil || len(answer) == 0 {
		return nil
	}
	return fields.Check(answer)
}

// flat reports what a form has that it may not have: references, and fields
// within fields.
func flat(schema tool.JSON) error {
	dec := jsontext.NewDecoder(strings.NewReader(string(schema)))
	for dec.PeekKind() != 0 {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind == '{' && n%2 == 1 && strings.HasPrefix(token.String(), "$") && strings.HasSuffix(strings.ToLower(token.String()), "ref") {
			return errors.New("a form has no references")
		}
	}
	var fields struct {
		Properties map[string]struct {
			Type       tool.JSON `json:"type"`
			Properties tool.JSON `json:"properties"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &fields); err != nil {
		return err
	}
	for name, field := range fields.Properties {
		var kind string
		if err := json.Unmarshal(field.Type, &kind); err != nil || len(field.Properties) > 0 || kind == "object" {
			return fmt.Errorf("its field %q is no simple one", head64(name))
		}
	}
	return nil
}
