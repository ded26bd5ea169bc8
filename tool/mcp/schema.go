package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// maxToolSchema is how long the schema of a tool may be, in bytes.
const maxToolSchema = 64 << 10

var errHidden = errors.New("it has hidden characters")

// schemaOf is a tool's schema as the server wrote it, but for hidden characters
// in what it says of its parts, which are written out.
func schemaOf(t *mcp.Tool) (tool.JSON, error) {
	schema, err := transport.RawJSON(t.Meta, t.InputSchema)
	if err != nil {
		return nil, err
	}
	if string(schema) == "null" {
		return nil, nil
	}
	if len(schema) > maxToolSchema {
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(schema), maxToolSchema)
	}
	if _, err := strictjson.Object(schema); err != nil {
		return nil, err
	}
	if _, err := strictjson.CompileSchema(schema); err != nil {
		return nil, err
	}
	return shown(schema)
}

// within says what a part of a schema is.
type within int

const (
	aSchema     within = iota
	someSchemas        // an object whose names are the server's own, such as properties
	data               // what a value is compared with, or may be
)

// shown is a schema as it is put before the model. Where a character can't be
// written out without the schema having another meaning, it is errHidden.
func shown(schema tool.JSON) (tool.JSON, error) {
	var out bytes.Buffer
	s := shower{in: jsontext.NewDecoder(bytes.NewReader(schema)), out: jsontext.NewEncoder(&out)}
	if err := s.value(aSchema, ""); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !s.changed {
		return schema, nil // as it was written, down to the spaces
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

type shower struct {
	in      *jsontext.Decoder
	out     *jsontext.Encoder
	changed bool
}

// value copies the next value, which stands under a name.
func (s *shower) value(where within, name string) error {
	switch s.in.PeekKind() {
	case '{':
		return s.object(where)
	case '[':
		return s.array(where)
	case '"':
		token, err := s.in.ReadToken()
		if err != nil {
			return err
		}
		text := token.String()
		seen := mask.Hidden(text)
		if seen != text && (where != aSchema || !isAboutIt(name)) {
			return errHidden
		}
		s.changed = s.changed || seen != text
		return s.out.WriteToken(jsontext.String(seen))
	default:
		v, err := s.in.ReadValue()
		if err != nil {
			return err
		}
		return s.out.WriteValue(v)
	}
}

func (s *shower) object(where within) error {
	if err := s.pass(); err != nil {
		return err
	}
	for s.in.PeekKind() != '}' {
		token, err := s.in.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if mask.Hidden(name) != name {
			return errHidden
		}
		if err := s.out.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := s.value(under(where, name), name); err != nil {
			return err
		}
	}
	return s.pass()
}

func (s *shower) array(where within) error {
	if err := s.pass(); err != nil {
		return err
	}
	for s.in.PeekKind() != ']' {
		if err := s.value(where, ""); err != nil {
			return err
		}
	}
	return s.pass()
}

// pass copies the next token.
func (s *shower) pass() error {
	token, err := s.in.ReadToken()
	if err != nil {
		return err
	}
	return s.out.WriteToken(token)
}

// isAboutIt reports whether a keyword is for readers alone.
func isAboutIt(keyword string) bool {
	return keyword == "title" || keyword == "description" || keyword == "$comment"
}

// under says what stands under a name.
func under(where within, name string) within {
	switch where {
	case data:
		return data
	case someSchemas:
		return aSchema
	case aSchema:
	}
	switch name {
	case "const", "enum", "default", "examples":
		return data
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return someSchemas
	default:
		return aSchema
	}
}
