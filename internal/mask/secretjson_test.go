package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/internal/mask"
)

func TestSecretsInJSONAreMaskedAndItsFormStays(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{Fields: []string{"kennwort"}})
	for in, want := range map[string]string{
		`{"password":"hunter2","user":"ada"}`:                                      `{"password":"⟦masked⟧","user":"ada"}`,
		`{ "apiKey" : 12.5e3 , "n": 1.0 }`:                                         `{ "apiKey" : "⟦masked⟧" , "n": 1.0 }`,
		`{"a":[{"client_secret":"rm -rf /"}]}`:                                     `{"a":[{"client_secret":"⟦masked⟧"}]}`,
		`{"credentials":{"user":"ada","list":["x",1,true,null]}}`:                  `{"credentials":{"user":"⟦masked⟧","list":["⟦masked⟧","⟦masked⟧",true,null]}}`,
		`{"command":"TOKEN=\"a\" ls"}`:                                             `{"command":"TOKEN=\"⟦masked⟧\" ls"}`,
		`"PASSWORD=x"`:                                                             `"PASSWORD=⟦masked⟧"`,
		`{"argv":["login","--password","x","-v"]}`:                                 `{"argv":["login","--password","⟦masked⟧","-v"]}`,
		`["/usr/bin/mysql","-psecret","-uroot","db"]`:                              `["/usr/bin/mysql","-p⟦masked⟧","-uroot","db"]`,
		`["sudo","curl","-u","ada:x","https://h"]`:                                 `["sudo","curl","-u","ada:⟦masked⟧","https://h"]`,
		`["sshpass","-p","x","ssh","h"]`:                                           `["sshpass","-p","⟦masked⟧","ssh","h"]`,
		`{"env":[{"name":"DB_PASSWORD","value":"x"},{"value":"y","name":"HOME"}]}`: `{"env":[{"name":"DB_PASSWORD","value":"⟦masked⟧"},{"value":"y","name":"HOME"}]}`,
		`{"value":"PASSWORD=x y","key":"token"}`:                                   `{"value":"⟦masked⟧","key":"token"}`,
		`{"Kennwort":"x","a\u0062":"\u0041"}`:                                      `{"Kennwort":"⟦masked⟧","a\u0062":"\u0041"}`,
		`{"password":"x","password":"y"}`:                                          `{"password":"⟦masked⟧","password":"⟦masked⟧"}`,
		`{"body":"{\"token\":\"x\"}"}`:                                             `{"body":"{\"token\":\"⟦masked⟧\"}"}`,
		`{"password":"x"`:                                                          `"{\"password\":\"⟦masked⟧\""`,
	} {
		got, found := s.JSON(jsontext.Value(in))
		if string(got) != want || !found {
			t.Errorf("%s\n is shown as %s (%v)\n      want %s", in, got, found, want)
		}
		if again, more := s.JSON(got); string(again) != string(got) || more {
			t.Errorf("%s is shown as %s, and that as %s", in, got, again)
		}
	}
}

func TestJSONWithoutSecretsStaysAsItIs(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	for _, in := range []string{
		"", "1", "null", ` {"a" : [ ] }`, `{"password":"","token":null,"secret":false}`, `["mkdir","-parents"]`,
		`["grep","--password"]`, `["docker","run","-p","80:80"]`, `{"name":"HOME","value":"/root"}`, `{"value":"x","name":1}`,
		`["sh","-c","eval \"$1\"","--token","rm -rf /"]`, `["login","--password","$PASS"]`, `["login","--no-password","host"]`,
	} {
		if got, found := s.JSON(jsontext.Value(in)); found || string(got) != in {
			t.Errorf("%s is shown as %s", in, got)
		}
	}
}

func TestFieldsCanBeSwitchedOff(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{Off: []mask.SecretKind{mask.Fields}})
	if got, found := s.JSON(jsontext.Value(`{"password":"x"}`)); found {
		t.Errorf("it is shown as %s", got)
	}
}

// shape is what masking must not change: kinds and names, and whether a value
// is there.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, value := range v {
			m[name] = shape(value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = shape(value)
		}
		return list
	case string, float64:
		return "text or number"
	default:
		return v
	}
}

func decoded(t interface{ Fatalf(string, ...any) }, v []byte) any {
	var out any
	if err := json.Unmarshal(v, &out); err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	return out
}

func TestASecretPlantedAnywhereIsGoneAndTheRestHasItsShape(t *testing.T) {
	s := newSecrets(t, mask.SecretOptions{})
	var texts []string
	for _, of := range planted() {
		texts = append(texts, of...)
	}
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Z][a-z][0-9][A-Za-z0-9]{37}`).Draw(t, "secret")
		text := rapid.SampledFrom(texts).Filter(func(s string) bool { return strings.Contains(s, "%") }).Draw(t, "text")
		value := any(strings.ReplaceAll(text, "%", secret))
		for range rapid.IntRange(0, 5).Draw(t, "depth") {
			other := rapid.SampledFrom([]any{"x", 1, true, nil, "", "-p", "--token"}).Draw(t, "other")
			name := rapid.SampledFrom([]string{"a", "token", "value", "name", "ß"}).Draw(t, "name")
			value = rapid.SampledFrom([]any{
				[]any{other, value}, []any{value, other}, map[string]any{name: value}, map[string]any{name: value, "b": other},
			}).Draw(t, "around")
		}
		in, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out, found := s.JSON(in)
		if !found || strings.Contains(string(out), secret) {
			t.Fatalf("%s is shown as %s", in, out)
		}
		if diff := cmp.Diff(shape(decoded(t, in)), shape(decoded(t, out))); diff != "" {
			t.Fatalf("%s is shown as %s: %s", in, out, diff)
		}
		if again, more := s.JSON(out); more || string(again) != string(out) {
			t.Fatalf("%s is shown as %s, and that as %s", in, out, again)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, in := range []string{
		`{"password":"x","a":[{"name":"token","value":1}]}`, `["curl","-u","a:b"]`, `"PASSWORD=x"`, `{"a":"\ud800"}`, `{`, `1 2`,
		`{"value":"a","name":"token","value":{}}`, "{\"token\":\"\xff\"}", `["mysql",["-px"],"-px","--token",{},"y"]`,
	} {
		f.Add([]byte(in))
	}
	s, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, _ := s.JSON(jsontext.Value(in))
		var before, after any
		if json.Unmarshal(in, &before) == nil {
			if err := json.Unmarshal(out, &after); err != nil {
				t.Fatalf("%s is shown as %s: %v", in, out, err)
			}
			if diff := cmp.Diff(shape(before), shape(after)); diff != "" {
				t.Errorf("%s is shown as %s: %s", in, out, diff)
			}
		}
		if again, _ := s.JSON(out); string(again) != string(out) {
			t.Errorf("%s is shown as %s, and that as %s", in, out, again)
		}
	})
}

func BenchmarkJSONWithoutSecrets(b *testing.B) {
	s := newSecrets(b, mask.SecretOptions{})
	var text strings.Builder
	for i := 0; text.Len() < 1900; i++ {
		fmt.Fprintf(&text, "func step%d(in []byte) error { return run(in, %d) }\n", i, i)
	}
	in, err := json.Marshal(map[string]any{"path": "/srv/app/main.go", "content": text.String(), "mode": 420})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, found := s.JSON(in); found {
			b.Fatal("it has no secrets")
		}
	}
}

func ExampleSecrets_JSON() {
	s, err := mask.NewSecrets(mask.SecretOptions{Fields: []string{"door_code"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	shown, _ := s.JSON(jsontext.Value(`{"command":"curl -u ada:hunter2 https://x.example","door_code":4711}`))
	fmt.Println(string(shown))
	// Output: {"command":"curl -u ada:⟦masked⟧ https://x.example","door_code":"⟦masked⟧"}
}
