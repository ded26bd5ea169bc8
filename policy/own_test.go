package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

// A gateway's own verbs can answer where its configuration or a login allows it: an
// agent that runs them is asked about, whatever rules, grants and modes say.
func TestTheGatewaysOwnVerbsAreAskedAboutEachTime(t *testing.T) {
	for command, asked := range map[string]bool{
		"gateway approvals approve 9f86d081":        true,
		"./bin/gateway link --first":                true,
		"/usr/local/bin/lineclear modes set demo x": true,
		"cd bin && ./gateway tokens":                true,
		"ls; gateway approvals":                     true,
		"bash -c 'gateway approvals approve x'":     true,
		"echo x | xargs gateway approvals approve":  true,
		"env A=b timeout 3 gateway approvals":       true,
		"nohup gateway run demo hello &":            true,
		"ls gateway":                                false,
		"grep gateway README.md":                    false,
		"make gateway":                              false,
		"git -C gateway status":                     false,
	} {
		for name, way := range clearances(t, command) {
			rules := way.rules
			rules.Protected = policy.Protected{Programs: []string{"gateway", "lineclear"}}
			call := line(t, command)
			call.Terms, call.Mode = way.terms, approval.AutoApprove
			v := judge(t, rules, call, way.grants...)
			if !asked {
				if v.Effect != approval.Allow {
					t.Errorf("%s by %s: %v, %q", command, name, v.Effect, v.Trace)
				}
				continue
			}
			why := func(line string) bool { return strings.HasPrefix(line, "ask: protected: the verbs of ") }
			if v.Effect != approval.AskPerson || !slices.Equal(v.Scopes, []approval.Scope{approval.Once}) || !slices.ContainsFunc(v.Trace, why) {
				t.Errorf("%s by %s: %v, scopes %v, %q", command, name, v.Effect, v.Scopes, v.Trace)
			}
		}
	}
}
