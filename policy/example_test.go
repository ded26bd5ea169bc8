package policy_test

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

func Example() {
	shell := shellSpec()
	var rules []*policy.Compiled
	for _, r := range []policy.Rule{
		{Name: "rules[0]", Tool: "shell", Command: []string{"git status *", "wc *"}, Effect: policy.Allow},
		{Name: "rules[1]", Tool: "shell", Command: []string{"git push --force *"}, Effect: policy.Deny, Reason: "no force pushes"},
	} {
		made, faults := policy.Compile(r, nil)
		if len(faults) > 0 {
			fmt.Println(faults)
			return
		}
		rules = append(rules, made)
	}
	judge := policy.New(remembered{}, map[string]policy.Rules{"demo": {Rules: rules}})
	for _, command := range []string{"git status | wc -l", "git status; curl x.org", "git push -f origin main"} {
		args, err := jsontext.AppendQuote([]byte(`{"command":`), command)
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := judge.Judge(context.Background(), approval.Case{Spec: shell, Request: approval.Request{
			AgentID: "demo", ToolName: "shell", Args: append(args, '}'),
		}})
		fmt.Println(v.Effect == approval.Allow, v.Rule, err)
	}
	// Output:
	// true rules[0] <nil>
	// false mode manual <nil>
	// false rules[1]: no force pushes <nil>
}
