// Package strictjson decodes JSON from outside and refuses what a lenient
// decoder would guess at, and writes JSON in one canonical form.
//
// encoding/json takes the last of two duplicate names and matches names
// without regard to case, so `{"status":"denied","STATUS":"approved"}` can
// decode as an approval. Here a duplicate name, a name in another case, an
// unknown name, invalid UTF-8 and trailing data are errors, at any depth.
// Every door that takes bytes from outside the process decodes with Decode.
package strictjson

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep objects and arrays may nest in what Decode accepts.
const MaxDepth = 64

// ErrDepth is returned for input that nests deeper than it may.
var ErrDepth = fmt.Errorf("nested deeper than %d levels: flatten the value", MaxDepth)

// Decode reads exactly one JSON value from data into v. Its errors name the
// field and what is wrong with it, in words for the person who sent it.
func Decode(data []byte, v any) error { return DecodeWithin(MaxDepth, data, v) }

// DecodeWithin is Decode for input that may nest to another depth, such as what
// carries something that was accepted before.
func DecodeWithin(depth int, data []byte, v any) error {
	if err := checkDepth(data, depth); err != nil {
		return err
	}
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	return explain(err)
}

// DecodeReader is Decode for a stream that is read to its end.
func DecodeReader(r io.Reader, v any) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	return Decode(data, v)
}

// Object checks that data is one JSON object, without duplicate names at any
// depth, and returns it compacted.
func Object(data []byte) ([]byte, error) {
	if err := checkDepth(data, MaxDepth); err != nil {
		return nil, err
	}
	v := jsontext.Value(data).Clone()
	// Compact by itself is lenient.
	if err := v.Compact(jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false)); err != nil {
		return nil, explain(err)
	}
	if v.Kind() != '{' {
		return nil, errors.New("want a JSON object, such as {\"name\": \"value\"}")
	}
	return v, nil
}

func checkDepth(data []byte, most int) error {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return ErrDepth
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// explain turns the library's errors into one line that names the place.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("%s: given twice; a name may stand once in an object", place(syntactic.JSONPointer))
		}
		return fmt.Errorf("not valid JSON at byte %d: %w", syntactic.ByteOffset, syntactic.Err)
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return fmt.Errorf("%s: unknown name; names are case-sensitive", place(semantic.JSONPointer))
		case semantic.Err != nil:
			return fmt.Errorf("%s: %w", place(semantic.JSONPointer), semantic.Err)
		default:
			return fmt.Errorf("%s: a JSON %s can't stand here", place(semantic.JSONPointer), semantic.JSONKind)
		}
	}
	return err
}

// place writes a JSON pointer as people write paths: /data/args becomes data.args.
func place(p jsontext.Pointer) string {
	if p == "" {
		return "the value"
	}
	var names []string
	for name := range p.Tokens() {
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// OrEmptyObject returns the value, or the empty object if there is none.
func OrEmptyObject(v []byte) []byte {
	if len(v) == 0 {
		return []byte("{}")
	}
	return v
}

// Kind is a value's first character, which says what it is: '{' '[' '"' 't' 'f' 'n',
// '0' for every number, 0 for what is no JSON.
func Kind(v []byte) byte { return byte(jsontext.Value(v).Kind()) }
