package install_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/install"
)

var update = flag.Bool("update", false, "write the golden files")

// Each golden file is what would change in settings that have a hook of their user's.
func TestEachAgentsSettingsChangeAsItsGoldenFileSays(t *testing.T) {
	p := lay(t, "")
	for _, name := range install.Names() {
		s := p.settings(name, "")
		p.put(strings.TrimPrefix(s.File, p.home), `{
   "mine": {"a": 1.50},
   "hooks": {
      "PreToolUse": [
         {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
      ]
   }
}
`)
		before := p.files()
		got := strings.ReplaceAll(p.plan(s, "--agent", "it's").Diff(), p.home, "HOME")
		if diff := cmp.Diff(before, p.files()); diff != "" {
			t.Errorf("a plan has written:\n%s", diff)
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// texts are settings as people write them.
var texts = map[string]string{
	"nothing":               "",
	"an empty object":       "{}",
	"spaces":                " \n{ \n\n } \n",
	"one line":              `{"version":1,"b":[1,2.0,1e3],"a":"\u00e4\/"}`,
	"tabs":                  "{\n\t\"z\": 1,\n\t\"a\": {\"hooks\": [\"gateway hook cursor\"]}\n}\n",
	"another's hooks":       "{\n  \"hooks\": {\n    \"beforeShellExecution\": [\n      {\"command\": \"mine hook cursor\"}\n    ],\n    \"stop\": [ ]\n  }, \"version\": 1\n}",
	"an empty list":         `{"hooks": {"beforeShellExecution": [], "beforeMCPExecution": [ {"command": "x"} ]}}`,
	"lines with returns":    "{\r\n  \"a\": 1\r\n}\r\n",
	"a number of 40 digits": `{"n": 1234567890123456789012345678901234567890}`,
}

func TestWhatWasThereComesBackByteForByte(t *testing.T) {
	for name, before := range texts {
		t.Run(name, func(t *testing.T) {
			p := lay(t, "")
			s := p.settings("cursor", "")
			p.put(".cursor/hooks.json", before)
			was := p.files()
			p.install(s)
			once := p.files()
			p.install(s)
			if diff := cmp.Diff(once, p.files()); diff != "" {
				t.Errorf("again:\n%s", diff)
			}
			if n := strings.Count(p.files()[".cursor/hooks.json"], "gateway' hook cursor"); n != 2 {
				t.Errorf("the hook is there %d times", n)
			}
			p.uninstall(s)
			if diff := cmp.Diff(was, p.files()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOnlyOursIsTakenOutOfSettingsThatHaveChangedSince(t *testing.T) {
	for name, before := range texts {
		if name == "an empty list" { // which goes with what was in it
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := lay(t, "")
			s := p.settings("cursor", "")
			file := p.put(".cursor/hooks.json", before)
			p.install(s)
			changed := func(text string) string { return strings.Replace(text, "{", `{"new": [true],`, 1) }
			p.put(".cursor/hooks.json", changed(p.files()[".cursor/hooks.json"]))
			if done := p.uninstall(s); len(done.Notes) > 0 {
				t.Errorf("%q", done.Notes)
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := changed(`{"version": 1}`)
			if strings.Contains(before, ":") {
				want = changed(before)
			}
			if !strings.Contains(want, "version") {
				want = want[:strings.LastIndex(want, "}")] + `, "version": 1}`
			}
			if got := canonical(t, string(raw)); got != canonical(t, want) {
				t.Errorf("it is %s\nwant %s", raw, want)
			}
		})
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(v)
}

func TestAFileThatIsNotThereIsRemovedAgain(t *testing.T) {
	p := lay(t, "")
	s := p.settings("cursor", "")
	before := p.files()
	p.install(s)
	p.put(".cursor/hooks.json", p.files()[".cursor/hooks.json"]+"\n")
	p.uninstall(s)
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Error(diff)
	}
	if done := p.uninstall(s); done.Diff != "" {
		t.Errorf("it takes out %s", done.Diff)
	}
}

func TestSettingsThatCanNotBeReadAreRefusedWithWhatToAddByHand(t *testing.T) {
	p := lay(t, "")
	for _, text := range []string{
		"// mine\n{}", "{\"a\": 1, /* mine */ \"b\": 2}", `{"a": 1,}`, `[]`, `{"a": 1, "a": 2}`, `{"a": `, `{} {}`,
		`{"hooks": []}`, `{"hooks": {"beforeShellExecution": {}}}`,
	} {
		p.put(".cursor/hooks.json", text)
		before := p.files()
		_, err := p.settings("cursor", "").Plan(install.Definition{Program: "/usr/bin/gateway", Access: "/a.json", Limits: install.Usual})
		if err == nil || !strings.Contains(err.Error(), "hooks.json") || !strings.Contains(err.Error(), "timeout -k 1 660 '/usr/bin/gateway' hook cursor --access '/a.json' --expires 10m || {") {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(before, p.files()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAHookThatSomebodyHasChangedIsToldOf(t *testing.T) {
	for old, c := range map[string]struct{ changed, says string }{
		`|| { echo`:          {`; true || { echo`, "was changed by somebody"},
		`"timeout": 720,`:    {`"timeout": 1,`, "was changed by somebody"},
		"beforeShell":        {"afterShell", "was changed by somebody"},
		"/bin/gateway' hook": {"/bin/other' hook", "was taken out by somebody"},
	} {
		p := lay(t, "")
		s := p.settings("cursor", "")
		p.install(s)
		p.put(".cursor/hooks.json", strings.ReplaceAll(p.files()[".cursor/hooks.json"], old, c.changed))
		state, err := s.State()
		if err != nil || len(state.Faults) != 1 || !strings.Contains(state.Faults[0], c.says) {
			t.Errorf("%s: %+v, %v", old, state, err)
		}
		if notes := p.plan(s).Notes; len(notes) != 1 || !strings.Contains(notes[0], c.says) {
			t.Errorf("%s: installing says %q", old, notes)
		}
		if done := p.uninstall(s); len(done.Notes) != 1 || !strings.Contains(done.Notes[0], c.says) {
			t.Errorf("%s: uninstalling says %q", old, done.Notes)
		}
	}
}

func TestAHookThatWasWrittenByHandIsReplaced(t *testing.T) {
	p := lay(t, "")
	p.put(".cursor/hooks.json", `{"hooks": {"beforeShellExecution": [{"command": "gateway hook cursor --expires 1m"}]}}`)
	s := p.settings("cursor", "")
	plan := p.plan(s)
	if len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "not installed by it") {
		t.Errorf("%q", plan.Notes)
	}
	if err := plan.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := p.files()[".cursor/hooks.json"]; strings.Contains(text, "1m") || strings.Count(text, "hook cursor") != 2 {
		t.Error(text)
	}
}

func TestSettingsThatChangeBeforeTheyAreWrittenAreLeftAlone(t *testing.T) {
	p := lay(t, "")
	plan := p.plan(p.settings("cursor", ""))
	p.put(".cursor/hooks.json", `{"new": 1}`)
	before := p.files()
	if err := plan.Apply(t.Context()); !errors.Is(err, install.ErrChanged) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatOthersPutBesideOurHookStays(t *testing.T) {
	p := lay(t, strings.Replace(obedient, "IGNORES", "", 1))
	cursor, qwen := p.settings("cursor", ""), p.settings("qwen", "")
	p.install(cursor)
	p.put(".cursor/hooks.json", strings.Replace(p.files()[".cursor/hooks.json"], "}\n    ]", "},\n      {\"command\": \"x\"}\n    ]", 1))
	p.uninstall(cursor)
	want := "{\n  \"version\": 1,\n  \"hooks\": {\n    \"beforeShellExecution\": [\n      {\"command\": \"x\"}\n    ]\n  }\n}\n"
	if diff := cmp.Diff(want, p.files()[".cursor/hooks.json"]); diff != "" {
		t.Error(diff)
	}
	p.install(qwen)
	p.put(".qwen/settings.json", strings.Replace(p.files()[".qwen/settings.json"], "}\n        ]", "}, {\"command\": \"x\"}]", 1))
	p.uninstall(qwen)
	if text := p.files()[".qwen/settings.json"]; strings.Contains(text, "gateway") || canonical(t, text) != `{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}],"matcher":"*"}]}}` {
		t.Error(text)
	}
}

func TestAMatcherThatSomebodyHasNarrowedIsToldOf(t *testing.T) {
	p := lay(t, strings.Replace(obedient, "IGNORES", "", 1))
	s := p.settings("qwen", "")
	p.install(s)
	p.put(".qwen/settings.json", strings.Replace(p.files()[".qwen/settings.json"], `"*"`, `"Read"`, 1))
	if state, err := s.State(); err != nil || len(state.Faults) != 1 {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestAGatewayThatIsGoneIsToldOf(t *testing.T) {
	p := lay(t, "")
	s := p.settings("cursor", "")
	p.install(s)
	if err := os.Remove(filepath.Join(p.home, "bin/gateway")); err != nil {
		t.Fatal(err)
	}
	if state, err := s.State(); err != nil || len(state.Faults) != 1 || !strings.Contains(state.Faults[0], "is gone") {
		t.Errorf("%+v, %v", state, err)
	}
}
