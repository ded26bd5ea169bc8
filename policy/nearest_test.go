package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

func TestTheNearestRuleSaysAtWhichWordItFails(t *testing.T) {
	dir := workspace(t)
	rules := policy.Rules{WorkingDirectory: dir, Rules: compiled(t,
		policy.Rule{Tool: "shell", Command: []string{"git push origin main", "git status *"}, Effect: policy.Allow},
		policy.Rule{Tool: "shell", Command: []string{"cat *"}, Paths: []string{"."}, Effect: policy.Allow},
		policy.Rule{Tool: "shell", Command: []string{"make *"}, Effect: policy.Allow},
		policy.Rule{Tool: "shell", Command: []string{"rm *"}, Effect: policy.Deny},
	)}
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": rules})
	p.Home = home
	for command, want := range map[string]string{
		"git push origin main --force":    `rules[0] git push origin main [--force]: the rule ends before "--force"`,
		"git push upstream":               `rules[0] git push [upstream]: "upstream" is not "origin"`,
		"git push":                        `rules[0] git push: it has no "origin"`,
		"cat src/a /etc/hostname":         `rules[1] cat src/a [/etc/hostname]: "/etc/hostname" is not in the folders that may be read, or mostly holds secrets`,
		"git status; git push origin dev": `rules[0] git push origin [dev]: "dev" is not "main"`,
		"make -f x.mk":                    `rules[2] make [-f] x.mk: "-f" may do more; a star does not stand for it`,
		"go vet ./...":                    "",
		"git status":                      "", // which runs
		"rm x":                            "",
		"git push $X origin":              "", // not known
	} {
		got := ""
		if n := p.Nearest(line(t, command)); n != nil {
			words := []string{n.Rule.Rule}
			for i, w := range n.Words {
				if i == n.At {
					w = "[" + w + "]"
				}
				words = append(words, w)
			}
			got = fmt.Sprintf("%s: %s", strings.Join(words, " "), n.Why)
			if n.Rule.Sentence == nil {
				t.Errorf("%s: the rule is not said in a sentence", command)
			}
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", command, got, want)
		}
	}
	strange := line(t, "git push upstream")
	strange.Request.Args = args(t, "command", "git push upstream", "env", map[string]string{"A": "b"})
	if n := p.Nearest(strange); n != nil {
		t.Errorf("of a call that no rule can speak about: %+v", n)
	}
	if n := p.Nearest(about(tool.Spec{Name: "t"}, args(t))); n != nil {
		t.Errorf("of a tool that runs nothing: %+v", n)
	}
}
