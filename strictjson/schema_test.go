package strictjson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/strictjson"
)

func TestASchemaSaysEverythingThatIsWrongWithAValue(t *testing.T) {
	s, err := strictjson.CompileSchema([]byte(`{"type":"object","properties":{"n":{"type":"integer","minimum":1},"to":{"enum":["a","b"]}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"n":1,"to":"a"}`:  "",
		`{"n":2.0}`:         "",
		`{}`:                "missing property 'n'",
		`{"n":0,"to":"c"}`:  "n: minimum: got 0, want 1; to: value must be one of 'a', 'b'",
		`{"n":1,"n":2}`:     "given twice",
		`{"n":1e-999999}`:   "send it as a string",
		`{"n":1e999999999}`: "send it as a string",
		`{"n":1`:            "unexpected EOF",
	} {
		got := ""
		if err := s.Check([]byte(value)); err != nil {
			got = err.Error()
		}
		for _, part := range strings.Split(want, "; ") {
			if !strings.Contains(got, part) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q", value, got, want)
			}
		}
	}
}

func TestFormatsAreRulesOfFormsAlone(t *testing.T) {
	schema := func(format string) []byte {
		return []byte(`{"type":"object","properties":{"x":{"type":"string","format":"` + format + `"}}}`)
	}
	for format, tt := range map[string]struct {
		right, wrong []string
		words        string
	}{
		"email":     {[]string{"ada@example.com", "a.b+c@example.co.uk"}, []string{"nonsense", "@", "ada@", "", "a b@example.com"}, "an email address"},
		"date":      {[]string{"2026-02-28", "2024-02-29"}, []string{"31.12.2026", "2026-02-30", "tomorrow", "2026-2-3", ""}, "a date that there is"},
		"date-time": {[]string{"2026-11-27T12:30:00Z", "2026-11-27T12:30:00.5+02:00"}, []string{"2026-11-27", "2026-11-27 12:30:00Z", "2026-11-27T12:30:00", "2026-02-30T12:30:00Z"}, "a date and time with its zone"},
		"uri":       {[]string{"https://example.com/a?b=c#d", "mailto:ada@example.com"}, []string{"not a uri", "example.com", "/a", ""}, "a whole address"},
		"password":  {[]string{"anything"}, nil, ""},
	} {
		form, err := strictjson.CompileForm(schema(format))
		if err != nil {
			t.Fatal(err)
		}
		remark, err := strictjson.CompileSchema(schema(format))
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range tt.right {
			if err := form.Check([]byte(`{"x":"` + value + `"}`)); err != nil {
				t.Errorf("%s %q: %v", format, value, err)
			}
		}
		for _, value := range tt.wrong {
			data := []byte(`{"x":"` + value + `"}`)
			if err := form.Check(data); err == nil || !strings.HasPrefix(err.Error(), "x: want "+tt.words) {
				t.Errorf("%s %q: %v", format, value, err)
			}
			if err := remark.Check(data); err != nil {
				t.Errorf("%s %q is a fault of arguments: %v", format, value, err)
			}
		}
	}
}

func TestTheZeroSchemaTakesWhatHasACanonicalForm(t *testing.T) {
	for _, empty := range [][]byte{nil, {}} {
		s, err := strictjson.CompileSchema(empty)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check([]byte(`[1,"two",null]`)); err != nil {
			t.Error(err)
		}
		if err := s.Check([]byte(`[1e-999999]`)); !errors.Is(err, strictjson.ErrNumber) {
			t.Errorf("a number without one: %v", err)
		}
	}
}

func TestASchemaThatCannotBeUsedSaysWhyInOneLine(t *testing.T) {
	for schema, want := range map[string]string{
		`{"minimum":1e-999999}`:                               "send it as a string",
		`{"properties":{"n":{"multipleOf":1e-9999999}}}`:      "send it as a string",
		`{"type":"object","properties":{"n":{"type":"int"}}}`: "properties/n/type",
		`{"$ref":"file:///etc/passwd"}`:                       "not followed",
		`{"$ref":"https://example.test/schema.json"}`:         "not followed",
		`{"type":"object","type":"string"}`:                   "given twice",
		`"object"`:                                            "got string",
		`{`:                                                   "unexpected EOF",
	} {
		_, err := strictjson.CompileSchema([]byte(schema))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}
