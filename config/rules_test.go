package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/policy"
)

func TestEachRuleHasTheLineWhereItStands(t *testing.T) {
	c := parse(t, `
models: {m: {provider: scripted}}
toolConfirmation:
  toolPolicies: {alwaysDeny: [write_*]}
  rules:
    - {tool: "*", paths: [/etc], effect: deny}
agents:
  a:
    model: m
    tools: {shell: , write_file: }
    toolConfirmation:
      toolPolicies:
        alwaysAllow:
          - shell
      rules:
        - {tool: shell, effect: ask}
`)
	want := map[string]policy.Place{
		"toolPolicies.alwaysDeny: write_*":   {File: "agents.yaml, line 4"},
		"toolConfirmation.rules[0]":          {File: "agents.yaml, line 6"},
		"toolPolicies.alwaysAllow: shell":    {File: "agents.yaml, line 14", Own: true},
		"agents.a.toolConfirmation.rules[0]": {File: "agents.yaml, line 16", Own: true},
	}
	if diff := cmp.Diff(want, c.Agents[0].Rules.Places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// rules is a file whose rules are in line 3.
func rules(list string) string {
	return begin + "  a: {model: m, tools: {shell: , write_file: }, toolConfirmation: {rules: [" + list + "]}}\n"
}

func TestRulesOfAllAndOfAnAgentAddUp(t *testing.T) {
	c := parse(t, `
models: {m: {provider: scripted}}
toolConfirmation:
  rules:
    - {tool: "*", paths: [/etc], effect: deny, reason: "not there: never", risk: high}
agents:
  a:
    model: m
    tools: {shell: , write_file: }
    toolConfirmation:
      rules:
        - tool: shell
          command: ["git status *"]
          effect: allow
        - tool: write_file
          args: {path: {pathWithin: docs}, content: {equals: "a: [1]\n"}}
          when: args.path != ""
          effect: ask
  b: {model: m, tools: {shell: }}
`)
	got := map[string][]policy.Rule{}
	for _, a := range c.Judged() {
		for _, r := range a.Rules.Rules {
			got[a.ID] = append(got[a.ID], r.Rule())
		}
	}
	docs := "docs"
	common := policy.Rule{
		Name: "toolConfirmation.rules[0]", Tool: "*", Paths: []string{"/etc"}, Effect: policy.Deny,
		Reason: "not there: never", Risk: approval.RiskHigh,
	}
	want := map[string][]policy.Rule{
		"a": {
			{Name: "agents.a.toolConfirmation.rules[0]", Tool: "shell", Command: []string{"git status *"}, Effect: policy.Allow},
			{
				Name: "agents.a.toolConfirmation.rules[1]", Tool: "write_file", When: `args.path != ""`, Effect: policy.Ask,
				Args: map[string]policy.Matcher{"path": {PathWithin: &docs}, "content": {Equals: []byte(`"a: [1]\n"`)}},
			},
			common,
		},
		"b": {common}, "external": {common},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRulesThatCouldNeverMatchAreFaultsWithTheirPlace(t *testing.T) {
	for name, c := range map[string]struct{ rule, place string }{
		"an unknown field":                        {`{tool: shell, effect: deny, commands: [ls]}`, "3:104"},
		"an unknown effect":                       {`{tool: shell, effect: permit}`, "3:98"},
		"no effect":                               {`{tool: shell}`, "3:76"},
		"no tool":                                 {`{effect: deny}`, "3:76"},
		"a tool that does not exist":              {`{tool: bash, effect: deny}`, "3:83"},
		"a command that can't be read":            {`{tool: shell, command: ["git 'x"], effect: deny}`, "3:100"},
		"two commands in a pattern":               {`{tool: shell, command: ["ls; id"], effect: deny}`, "3:100"},
		"a command of a tool that runs none":      {`{tool: write_file, command: [ls], effect: deny}`, "3:104"},
		"an argument that the tool does not have": {`{tool: write_file, args: {file: {equals: x}}, effect: deny}`, "3:108"},
		"a regular expression that is not valid":  {`{tool: write_file, args: {path: {regex: "("}}, effect: deny}`, "3:116"},
		"a condition that says nothing":           {`{tool: write_file, args: {path: {}}, effect: deny}`, "3:108"},
		"two conditions in one":                   {`{tool: write_file, args: {path: {glob: a, prefix: b}}, effect: deny}`, "3:108"},
		"CEL that can't be read":                  {`{tool: shell, when: "agent ==", effect: deny}`, "3:96"},
		"CEL that is no condition":                {`{tool: shell, when: "agent", effect: deny}`, "3:96"},
		"an empty condition":                      {`{tool: shell, when: "", effect: deny}`, "3:96"},
		"an empty list":                           {`{tool: shell, command: [], effect: deny}`, "3:99"},
		"empty conditions":                        {`{tool: shell, args: {}, effect: deny}`, "3:96"},
		"a misspelt argument of the shell":        {`{tool: shell, args: {comand: {glob: "*rm*"}}, effect: deny}`, "3:105"},
		"an unknown risk":                         {`{tool: shell, risk: awful, effect: deny}`, "3:96"},
		"a text condition that allows commands":   {`{tool: shell, args: {command: {prefix: git status}}, effect: allow}`, "3:115"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse("agents.yaml", []byte(rules(c.rule)), lookup(nil))
			faults, ok := err.(config.Faults)
			if !ok || len(faults) == 0 {
				t.Fatalf("it was taken: %v", err)
			}
			t.Log(err)
			if got := faults[0]; got.Line != 3 || cmp.Diff(c.place, place(got)) != "" {
				t.Errorf("the place is %s, want %s", place(got), c.place)
			}
		})
	}
}

func TestWhatDiffersBetweenTwoFiles(t *testing.T) {
	before := parse(t, `
models: {m: {provider: scripted}}
toolConfirmation: {timeout: 2m}
agents:
  a: {model: m, tools: {shell: {timeout: 5s}, read_file: }, toolConfirmation: {mode: manual, rules: [{tool: shell, command: [ls], effect: deny}]}}
`)
	after := parse(t, `
models: {m: {provider: scripted}}
agents:
  a: {model: m, tools: {shell: {timeout: 6s, approval: {required: true}}, read_file: {}, write_file: }, toolConfirmation: {mode: auto-deny, rules: []}}
`)
	var got []string
	for _, c := range before.Changes(after) {
		line := c.String()
		if !c.Live {
			line += " (restart)"
		}
		got = append(got, line)
	}
	want := []string{
		`agents.a.toolConfirmation.mode: "manual" became "auto-deny"`,
		`agents.a.toolConfirmation.rules[0] removed: {"command":["ls"],"effect":"deny","tool":"shell"}`,
		`agents.a.tools.read_file: nothing became {} (restart)`,
		`agents.a.tools.shell.approval added: {"required":true}`,
		`agents.a.tools.shell.timeout: "5s" became "6s" (restart)`,
		`agents.a.tools.write_file added: nothing (restart)`,
		`toolConfirmation removed: {"timeout":"2m"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if same := before.Changes(before); len(same) != 0 {
		t.Errorf("a file differs from itself in %v", same)
	}
}

func TestRulesDifferOneByOne(t *testing.T) {
	rules := func(list string) *config.Config {
		return parse(t, "models: {m: {provider: scripted}}\nagents: {a: {model: m, tools: {shell: }, toolConfirmation: {rules: ["+list+"]}}}\n")
	}
	const ls, id, rm = `{tool: shell, command: [ls], effect: allow}`, `{tool: shell, command: [id], effect: allow}`, `{tool: shell, command: [rm], effect: deny}`
	const at, shown = `agents.a.toolConfirmation.rules`, `{"command":["CMD"],"effect":"allow","tool":"shell"}`
	of := func(command string) string { return strings.Replace(shown, "CMD", command, 1) }
	for name, c := range map[string]struct{ before, after, want string }{
		"one more":           {ls, id + "," + ls, at + "[0] added: " + of("id")},
		"one less":           {id + "," + ls, ls, at + "[0] removed: " + of("id")},
		"one changed":        {ls + "," + rm, id + "," + rm, at + "[0]: " + of("ls") + " became " + of("id")},
		"one of two alike":   {ls + "," + ls, ls, at + "[1] removed: " + of("ls")},
		"in another order":   {ls + "," + id, id + "," + ls, at + ": [" + of("ls") + "," + of("id") + "] became [" + of("id") + "," + of("ls") + "]"},
		"none, and then one": {"", ls, at + "[0] added: " + of("ls")},
	} {
		var got []string
		for _, change := range rules(c.before).Changes(rules(c.after)) {
			got = append(got, change.String())
			if !change.Live {
				t.Errorf("%s needs a restart", name)
			}
		}
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestASecretFromTheEnvironmentIsNotInTheDifference(t *testing.T) {
	with := func(value string) *config.Config {
		c, err := config.Parse("agents.yaml", []byte(most+"    toolConfirmation: {rules: [{tool: shell, effect: deny, reason: \"${WHY}\"}]}\n"),
			lookup(map[string]string{"WHY": value}))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, c := range with("secret one").Changes(with("secret two")) {
		if s := c.String(); cmp.Diff(s, "") == "" || containsSecret(s) {
			t.Errorf("it says %s", s)
		}
	}
}

func TestCasesAreReadStrictly(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml")
	write(t, good, "cases:\n  - {agent: a, tool: shell, command: \"ls\\n\\\"${HOME}\\\"\", expect: ask, rule: r, name: n}\n  - {agent: a, tool: list, expect: deny}\n")
	write(t, bad, "cases:\n  - {agent: a, tool: shell, expect: yes}\n  - {agent: a, tool: shell, command: ls, args: {}, expect: ask}\n  - {agent: a, tools: shell, expect: ask}\n")
	got, err := config.LoadCases(good)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Case{
		{Place: good + ":2:5", Name: "n", Agent: "a", Tool: "shell", Args: []byte(`{"command":"ls\n\"${HOME}\""}`), Expect: "ask", Rule: "r"},
		{Place: good + ":3:5", Agent: "a", Tool: "list", Args: []byte("{}"), Expect: "deny"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = config.LoadCases(bad)
	faults, _ := err.(config.Faults)
	if len(faults) < 4 {
		t.Errorf("the faults are %v", err)
	}
	if _, err := config.LoadCases(filepath.Join(dir, "none.yaml")); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func place(f config.Fault) string { return fmt.Sprintf("%d:%d", f.Line, f.Column) }

func containsSecret(text string) bool { return strings.Contains(text, "secret") }

func unwrapped(err error) error { return errors.Unwrap(err) }
