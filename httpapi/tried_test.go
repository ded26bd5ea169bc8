package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/mask"
)

// fill puts text into every string of a value.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), text)
		}
	}
}

func TestASecretInARuleIsMaskedWhereACallIsTried(t *testing.T) {
	const secret = "tok-abcdef123"
	secrets, err := mask.NewSecrets(mask.SecretOptions{Patterns: []string{`tok-[a-z0-9]+`}})
	if err != nil {
		t.Fatal(err)
	}
	fence, err := auth.NewOriginCheck("http://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	keys := keyring(t, &auth.Memory{})
	handler := httpapi.New(httpapi.Backend{
		Keyring: keys, Origins: fence, Door: door.New(door.Backend{Secrets: secrets}, approval.ViaREST),
		Explain: func(context.Context, httpapi.TriedCall) (e httpapi.Explained, err error) {
			fill(reflect.ValueOf(&e).Elem(), secret)
			return e, nil
		},
	}).Handler()
	r := httptest.NewRequest(http.MethodPost, "http://gate.example/api/policy/explain", strings.NewReader(`{"agentId":"demo","toolName":"shell"}`))
	r.Header.Set("Authorization", "Bearer "+keys.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	body := w.Body.String()
	if w.Code != http.StatusOK || strings.Count(body, mask.Mark) < 10 {
		t.Fatalf("%d %s", w.Code, body)
	}
	// What is a word of the gateway's own, a person's name or a digest.
	var shown []string
	for _, found := range regexp.MustCompile(`"(\w+)":\[?"`+secret).FindAllStringSubmatch(body, -1) {
		shown = append(shown, found[1])
	}
	slices.Sort(shown)
	want := []string{"effect", "effect", "kind", "kind", "kind", "level", "offer", "risk", "roles", "scope", "subjects"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("%s in %s", diff, body)
	}
}
