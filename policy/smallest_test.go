package policy_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

func TestTheSmallestRuleAllowsTheCallAndSaysWhatItNeeds(t *testing.T) {
	dir := workspace(t)
	for command, want := range map[string]string{
		"git status --short":           `command: ["git status *"] paths: ["."]`,
		"make -f x.mk all":             `command: ["make -f *"]`,
		"touch new":                    `command: ["touch *"] paths: ["."] writes: ["new"]`,
		"cp src/a out/b && ls":         `command: ["cp *","ls *"] paths: ["."] writes: ["out/b"]`,
		"ls > out/list":                `command: ["ls *"] paths: ["."] writes: ["out/list"]`,
		"cat /etc/hostname":            `command: ["cat *"] paths: [".","/etc/hostname"]`,
		"python3 tool.py a":            `command: ["python3 tool.py *"]`,
		"git status | wc -l":           `command: ["wc *"]`,
		"cat src/a; echo \"$(id)\"":    `sandbox: "read-only"`,
		"rm -rf x":                     "",
		"git push --force origin main": "",
	} {
		rules := policy.Rules{WorkingDirectory: dir, Rules: compiled(t,
			policy.Rule{Tool: "shell", Command: []string{"rm *"}, Effect: policy.Deny},
			policy.Rule{Tool: "shell", Command: []string{"git push *"}, Effect: policy.Ask},
		)}
		if strings.HasPrefix(command, "git status |") {
			rules.Rules = append(rules.Rules, compiled(t, policy.Rule{Tool: "shell", Command: []string{"git status *"}, Effect: policy.Allow})...)
		}
		p := policy.New(remembered{}, map[string]policy.Rules{"demo": rules})
		p.Home = home
		call := fencing(t, command)
		got := ""
		if smallest := p.Smallest(call); smallest != nil {
			got = strings.Join(strings.Fields(smallest.Rule), " ")
			if said := smallest.Sentence.String(); !strings.HasPrefix(said, "demo may use shell to run ") {
				t.Errorf("%s: %s", command, said)
			}
		}
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": {WorkingDirectory: dir}})
	if got := p.Smallest(about(tool.Spec{Name: "t"}, args(t))); got != nil {
		t.Errorf("of a tool that runs nothing: %+v", got)
	}
}
