package auth_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
)

func TestAListThatCameOutEmptyMeansNobody(t *testing.T) {
	for text, want := range map[string]string{
		`{"roles":["viewer"]}`:                              "",
		`{"roles":["viewer"],"agents":["demo"]}`:            "demo",
		`{"roles":["viewer"],"agents":["demo","b","demo"]}`: "demo b",
		`{"roles":["viewer"],"agents":["*"]}`:               "",
		`{"roles":["viewer"],"agents":[]}`:                  "error",
		`{"roles":["viewer"],"agents":null}`:                "error",
		`{"roles":["viewer"],"agents":[""]}`:                "error",
		`{"roles":["viewer"],"agents":["*","demo"]}`:        "error",
		`{"roles":["viewer"],"agents":"demo"}`:              "error",
		`{"roles":["viewer"],"agents":[null]}`:              "error",
	} {
		for name, read := range map[string]func() (auth.Scope, error){
			"access": func() (auth.Scope, error) {
				var a auth.Access
				err := json.Unmarshal([]byte(text), &a)
				return a.Agents, err
			},
			"change": func() (auth.Scope, error) {
				var c auth.Change
				err := json.Unmarshal([]byte(text), &c)
				return c.Agents, err
			},
		} {
			scope, err := read()
			got := strings.Join(scope.Named(), " ")
			if err != nil {
				got = "error"
			}
			if got != want {
				t.Errorf("%s of %s: %q (%v), want %q", name, text, got, err, want)
			}
		}
	}
}

func TestAccessIsWidenedByWordsAlone(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	made, _ := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Viewer}, Agents: auth.Scope{"demo"}})
	for _, c := range []struct {
		change auth.Change
		want   int
	}{{auth.Change{}, 1}, {auth.Change{Agents: auth.Scope{"demo", "b"}}, 2}, {auth.Change{Agents: auth.Scope{"*"}}, 0}} {
		got, err := k.Update(t.Context(), root, made.ID, c.change)
		if err != nil || len(got.Agents) != c.want {
			t.Errorf("%v: %v, %v", c.change.Agents, got.Agents, err)
		}
	}
}
