package strictjson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
)

type answer struct {
	Status string         `json:"status"`
	Args   jsontext.Value `json:"args"`
}

func TestWhatALenientDecoderWouldGuessAtIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ raw, says string }{
		"a duplicate name":           {`{"status":"denied","status":"approved"}`, "status: given twice"},
		"a duplicate inside":         {`{"args":{"a":1,"a":2}}`, "args.a: given twice"},
		"a duplicate written as \\u": {`{"status":"denied","\u0073tatus":"approved"}`, "given twice"},
		"a name in capitals":         {`{"STATUS":"approved"}`, "STATUS: unknown name"},
		"a name that folds":          {`{"ſtatus":"approved"}`, "unknown name"},
		"an unknown name":            {`{"status":"denied","extra":1}`, "extra: unknown name"},
		"a value of the wrong kind":  {`{"status":1}`, "status"},
		"trailing data":              {`{"status":"denied"} {}`, "not valid JSON"},
		"a trailing comma":           {`{"status":"denied",}`, "not valid JSON"},
		"nothing":                    {``, "not valid JSON"},
		"half":                       {`{"status":`, "not valid JSON"},
		"invalid UTF-8":              {"{\"status\":\"\xff\"}", "not valid JSON"},
		"half a surrogate":           {`{"status":"\ud800"}`, "not valid JSON"},
		"a comment":                  {`{"status":"denied"/**/}`, "not valid JSON"},
		"too deep":                   {`{"args":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested deeper"},
	} {
		t.Run(name, func(t *testing.T) {
			var a answer
			if err := strictjson.Decode([]byte(c.raw), &a); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %+v, error %v; want one with %q", a, err, c.says)
			}
		})
	}
}

func TestAnObjectIsOneObjectWithoutDuplicates(t *testing.T) {
	for raw, want := range map[string]string{
		`{ "a" : [ 1 ] }`: `{"a":[1]}`, `{}`: `{}`,
		`{"a":1,"a":2}`: "", `{"a":{"b":1,"b":1}}`: "", `[]`: "", `"x"`: "", `null`: "", ``: "", `{`: "", "{\"a\":\"\xff\"}": "",
	} {
		got, err := strictjson.Object([]byte(raw))
		if (err == nil) != (want != "") || string(got) != want {
			t.Errorf("%q is %q, %v", raw, got, err)
		}
	}
}

func TestNumbersThatReadersWouldChangeHaveNoCanonicalForm(t *testing.T) {
	for raw, want := range map[string]string{
		`1`: `1`, `1.0`: `1`, `-0`: `0`, `1e2`: `100`, `0.1`: `0.1`, `1E-7`: `1e-7`, `9007199254740992`: `9007199254740992`,
		`9007199254740993`: "", `0.10000000000000000001`: "", `1e400`: "", `1e-400`: "", `123456789012345678901234567890`: "",
	} {
		got, err := strictjson.Canonicalize([]byte(`{"n":` + raw + `}`))
		switch {
		case want == "" && !errors.Is(err, strictjson.ErrNumber):
			t.Errorf("%s: got %s, %v", raw, got, err)
		case want != "" && got.String() != `{"n":`+want+`}`:
			t.Errorf("%s: got %s, %v; want %s", raw, got, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"status":"denied"}`, `{"status":"denied","status":"approved"}`, `{"args":[{"a":1}]}`, `{"ſtatus":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var strict answer
		if strictjson.Decode(raw, &strict) != nil {
			return
		}
		// What is taken, any decoder reads the same way.
		var lenient answer
		if err := json.Unmarshal(raw, &lenient, json.MatchCaseInsensitiveNames(true)); err != nil || lenient.Status != strict.Status {
			t.Fatalf("%q: strict %+v, lenient %+v, %v", raw, strict, lenient, err)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[1.50,"\u0041"]}`, `1e-7`, `"\ud83d\ude00"`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, err := strictjson.Canonicalize(raw)
		if err != nil {
			return
		}
		twice, err := strictjson.Canonicalize(once.Value())
		if err != nil || once != twice {
			t.Fatalf("%q: once %s, twice %s, %v", raw, once, twice, err)
		}
	})
}
