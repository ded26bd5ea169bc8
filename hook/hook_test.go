package hook_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/tool"
)

var update = flag.Bool("update", false, "write the golden files")

// Each file is what an agent writes to its hook; the golden file beside it has what is read
// of that, and what the agent is answered.
func TestEachAgentIsReadAndAnsweredAsItsGoldenFileSays(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := named(t, name)
			call, err := a.Read(raw)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]any{"call": call}
			if !call.After {
				got["approved"] = answer(t, a, call, hook.Outcome{Approved: true, Reason: "approved by ada"})
				got["denied"] = answer(t, a, call, hook.Outcome{Reason: "Denied by ada: not today."})
				got["denied without a word"] = answer(t, a, call, hook.Outcome{})
				if !a.NoEdits {
					got["changed"] = answer(t, a, call, hook.Outcome{Approved: true, Reason: "approved by ada", Changed: tool.JSON(`{"command":"ls -l"}`)})
				}
			}
			text, err := json.Marshal(got, json.Deterministic(true), jsontext.WithIndent("  "))
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, append(text, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// named is the agent whose name a file's begins with.
func named(t *testing.T, file string) hook.Agent {
	t.Helper()
	for _, name := range hook.Names() {
		if strings.HasPrefix(file, name) {
			a, _ := hook.Of(name)
			return a
		}
	}
	t.Fatalf("%s is no agent's", file)
	return hook.Agent{}
}

func answer(t *testing.T, a hook.Agent, c hook.Call, o hook.Outcome) jsontext.Value {
	t.Helper()
	raw, err := a.Answer(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestWhatCanNotBeReadIsAnErrorAndNoCall(t *testing.T) {
	a, _ := hook.Of("claude-code")
	for name, input := range map[string]string{
		"nothing":                   ``,
		"half of it":                `{"hook_event_name":"PreToolUse","tool_na`,
		"no object":                 `[]`,
		"another event":             `{"hook_event_name":"SessionStart","tool_name":"Bash","tool_input":{}}`,
		"no event":                  `{"tool_name":"Bash","tool_input":{}}`,
		"no tool":                   `{"hook_event_name":"PreToolUse","tool_input":{}}`,
		"no arguments":              `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`,
		"arguments of another kind": `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":[1]}`,
		"the same argument twice":   `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}`,
		"the same name twice":       `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_name":"Read","tool_input":{}}`,
	} {
		if call, err := a.Read([]byte(input)); err == nil {
			t.Errorf("%s: %+v", name, call)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := range hook.Names() {
			f.Add(i, raw)
		}
	}
	f.Fuzz(func(t *testing.T, i int, raw []byte) {
		names := hook.Names()
		a, _ := hook.Of(names[((i%len(names))+len(names))%len(names)])
		call, err := a.Read(raw)
		if err != nil {
			return
		}
		if call.Tool == "" || len(call.Args) == 0 || call.Args[0] != '{' {
			t.Errorf("it is %+v", call)
		}
		if call.After {
			return
		}
		for _, o := range []hook.Outcome{{}, {Approved: true}, {Approved: true, Changed: call.Args}} {
			out, err := a.Answer(call, o)
			if err != nil || !jsontext.Value(out).IsValid() {
				t.Errorf("%s, %v", out, err)
			}
		}
	})
}
