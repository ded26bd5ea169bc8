package strictjson_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
)

// A schema may be anybody's, a server's or a program's: whatever it is, it is
// compiled or refused, and says yes or no.
func FuzzASchemaOfAnybodys(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}},"required":["a"]}`, `{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaa!"}`)
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}`, `[[[[]]]]`)
	f.Add(`{"$ref":"file:///etc/passwd"}`, `1`)
	f.Add(`{"$schema":"http://evil.example/schema"}`, `1`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := strictjson.CompileSchema(jsontext.Value(schema))
		if err != nil {
			return
		}
		if _, err := strictjson.Canonicalize(jsontext.Value(value)); err != nil {
			return // it never gets so far
		}
		first, second := s.Check(jsontext.Value(value)), s.Check(jsontext.Value(value))
		if (first == nil) != (second == nil) {
			t.Errorf("%q on %q: %v, then %v", schema, value, first, second)
		}
	})
}
