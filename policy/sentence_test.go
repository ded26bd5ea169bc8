package policy_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// said is the sentence about a rule of agent demo or, with all set, of every agent.
func said(t testing.TB, r policy.Rule, all bool) string {
	t.Helper()
	r.Name = "agents.demo.toolConfirmation.rules[0]"
	if all {
		r.Name = "toolConfirmation.rules[0]"
	}
	made, faults := policy.Compile(r, []tool.Spec{
		shellSpec(), {Name: "read", Paths: []string{"path"}, Schema: tool.JSON(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
	})
	if len(faults) > 0 {
		t.Fatalf("%+v: %v", r, faults)
	}
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": {Rules: []*policy.Compiled{made}}})
	return p.List("demo")[0].Sentence.String()
}

func TestEveryKindOfRuleIsSaidInASentence(t *testing.T) {
	for want, rule := range map[string]policy.Rule{
		"demo may use shell to run go vet … or go test … in the working directory.":                           {Tool: "shell", Command: []string{"go vet *", "go test *"}, Paths: []string{"."}, Effect: policy.Allow},
		"demo may use shell to run git push origin main.":                                                     {Tool: "shell", Command: []string{"git push origin main"}, Effect: policy.Allow},
		"demo may use shell to run pwd, ls … or echo '*' in src, ~/doc or /etc/hosts.":                        {Tool: "shell", Command: []string{"pwd", "ls *", "echo '*'"}, Paths: []string{"src", "~/doc", "/etc/hosts"}, Effect: policy.Allow},
		"demo may use shell to run git log --*.":                                                              {Tool: "shell", Command: []string{"git log --*"}, Effect: policy.Allow},
		"demo may use shell to run any command.":                                                              {Tool: "shell", Command: []string{"*"}, Effect: policy.Allow},
		"demo may use shell to run tee … in the working directory, and to write out/** where nothing is yet.": {Tool: "shell", Command: []string{"tee *"}, Paths: []string{"."}, Writes: []string{"out/**"}, Effect: policy.Allow},
		"demo may use shell to run tee …, and to write out/** or *.md.":                                       {Tool: "shell", Command: []string{"tee *"}, Writes: []string{"out/**", "*.md"}, Overwrite: true, Effect: policy.Allow},
		"demo may use shell.": {Tool: "shell", Effect: policy.Allow},
		"demo may use shell to run built-in commands such as echo, and what other rules allow, with redirections from files in src.":                                  {Tool: "shell", Paths: []string{"src"}, Effect: policy.Allow},
		"demo may use shell to run built-in commands such as echo, and what other rules allow, with redirections to out/** where nothing is yet.":                     {Tool: "shell", Writes: []string{"out/**"}, Effect: policy.Allow},
		"demo may use shell to run built-in commands such as echo, and what other rules allow, with redirections from files in src and to *.md where nothing is yet.": {Tool: "shell", Paths: []string{"src"}, Writes: []string{"*.md"}, Effect: policy.Allow},
		"demo may use read on files in the working directory.":                                                                              {Tool: "read", Paths: []string{"."}, Effect: policy.Allow},
		"demo may use read on files in src, and to write out/** where nothing is yet.":                                                      {Tool: "read", Paths: []string{"src"}, Writes: []string{"out/**"}, Effect: policy.Allow},
		"demo may use any tool on files in src, but to run no command other than built-in ones such as echo.":                               {Tool: "*", Paths: []string{"src"}, Effect: policy.Allow},
		"demo may use tools named files__* on files in the working directory, but to run no command other than built-in ones such as echo.": {Tool: "files__*", Paths: []string{"."}, Effect: policy.Allow},
		"demo may use shell to run anything in a read-only sandbox.":                                                                        {Tool: "shell", Sandbox: &tool.Fence{}, Effect: policy.Allow},
		"demo may use shell to run anything in a read-only sandbox that also reads /srv.":                                                   {Tool: "shell", Sandbox: &tool.Fence{Read: []string{"/srv"}}, Effect: policy.Allow},
		"demo may use shell to run anything in a sandbox that writes in out and /tmp/x and has the network.":                                {Tool: "shell", Sandbox: &tool.Fence{Writes: []string{"out", "/tmp/x"}, Network: true}, Effect: policy.Allow},
		"demo may never use shell to run rm -rf … or sudo ….":                                                                               {Tool: "shell", Command: []string{"rm -rf *", "sudo *"}, Effect: policy.Deny},
		"demo may never use any tool on files in /etc or ~/.ssh.":                                                                           {Tool: "*", Paths: []string{"/etc", "~/.ssh"}, Effect: policy.Deny},
		"demo may never use shell to run rm … on files in /srv.":                                                                            {Tool: "shell", Command: []string{"rm *"}, Paths: []string{"/srv"}, Effect: policy.Deny},
		"demo may never use any tool if the call is critical risk.":                                                                         {Tool: "*", RiskAtLeast: approval.RiskCritical, Effect: policy.Deny},
		"demo must ask before using any tool if the call is high risk or above.":                                                            {Tool: "*", RiskAtLeast: approval.RiskHigh, Effect: policy.Ask},
		"demo must ask before using deploy. Only ana, ben or the role admin may approve it.":                                                {Tool: "deploy", Approvers: approval.Approvers{Subjects: []string{"ana", "ben"}, Roles: []auth.Role{auth.Admin}}, Effect: policy.Ask},
		"demo must ask before using deploy. Whoever asked the agent for it may not approve it.":                                             {Tool: "deploy", Approvers: approval.Approvers{NotSender: true}, Effect: policy.Ask},
		"demo must ask before using deploy. Such a call counts as high risk at least.":                                                      {Tool: "deploy", Risk: approval.RiskHigh, Effect: policy.Ask},
		"demo must ask before using deploy. Such a call counts as critical risk.":                                                           {Tool: "deploy", Risk: approval.RiskCritical, Effect: policy.Ask},
		"demo must ask before using any tool if now.getHours() < 6.":                                                                        {Tool: "*", When: "now.getHours() < 6", Effect: policy.Ask},
		"demo may use mail with n equal to 3 and to like *@example.org.":                                                                    {Tool: "mail", Args: map[string]policy.Matcher{"to": {Glob: ptr("*@example.org")}, "n": {Equals: tool.JSON(`3`)}}, Effect: policy.Allow},
		`demo may use mail with to equal to "3".`:                                                                                           {Tool: "mail", Args: map[string]policy.Matcher{"to": {Equals: tool.JSON(`"3"`)}}, Effect: policy.Allow},
		`demo may use mail with to equal to "".`:                                                                                            {Tool: "mail", Args: map[string]policy.Matcher{"to": {Equals: tool.JSON(`""`)}}, Effect: policy.Allow},
		"demo may use mail with to equal to ann.":                                                                                           {Tool: "mail", Args: map[string]policy.Matcher{"to": {Equals: tool.JSON(`"ann"`)}}, Effect: policy.Allow},
		"demo may never use mail with to starting with root@.":                                                                              {Tool: "mail", Args: map[string]policy.Matcher{"to": {Prefix: ptr("root@")}}, Effect: policy.Deny},
		"demo may never use mail with to matching .*evil.*.":                                                                                {Tool: "mail", Args: map[string]policy.Matcher{"to": {Regex: ptr(".*evil.*")}}, Effect: policy.Deny},
		"demo may use mail with file in the folder out.":                                                                                    {Tool: "mail", Args: map[string]policy.Matcher{"file": {PathWithin: ptr("out")}}, Effect: policy.Allow},
		"demo may use fetch with url on the host example.com or a subdomain of it.":                                                         {Tool: "fetch", Args: map[string]policy.Matcher{"url": {HostWithin: ptr("Example.com")}}, Effect: policy.Allow},
		"demo may never use mail with to equal to ⟨U+202E⟩x.":                                                                               {Tool: "mail", Args: map[string]policy.Matcher{"to": {Equals: tool.JSON(`"\u202ex"`)}}, Effect: policy.Deny},
	} {
		if got := said(t, rule, false); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", rule, got, want)
		}
	}
	for want, effect := range map[string]policy.Effect{
		"No agent may use shell to run rm ….":                  policy.Deny,
		"Every agent must ask before using shell to run rm ….": policy.Ask,
		"Every agent may use shell to run rm ….":               policy.Allow,
	} {
		if got := said(t, policy.Rule{Tool: "shell", Command: []string{"rm *"}, Effect: effect}, true); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A member of Rule that the sentence left out would make it say more, or less, than the rule does.
func TestNoMemberOfARuleIsLeftOutOfItsSentence(t *testing.T) {
	apart := []string{"Effect", "Reason", "Name"} // the group that it stands in, shown beside it, shown with the YAML
	full := policy.Rule{
		Tool: "shell", Args: map[string]policy.Matcher{"timeoutSeconds": {Equals: tool.JSON("1")}}, Command: []string{"ls"}, Paths: []string{"src"}, Writes: []string{"*.md"},
		When: `agent != "x"`, Effect: policy.Allow, Risk: approval.RiskHigh,
	}
	asks := policy.Rule{Tool: "shell", RiskAtLeast: approval.RiskHigh, Approvers: approval.Approvers{NotSender: true}, Effect: policy.Ask}
	covered := map[string]bool{}
	for _, base := range []policy.Rule{full, asks, {Tool: "shell", Writes: []string{"*.md"}, Overwrite: true, Effect: policy.Allow}, {Tool: "shell", Sandbox: &tool.Fence{}, Effect: policy.Allow}} {
		whole := said(t, base, false)
		for i := range reflect.TypeOf(base).NumField() {
			field, less := reflect.TypeOf(base).Field(i), base
			value := reflect.ValueOf(&less).Elem().Field(i)
			if value.IsZero() || field.Name == "Effect" {
				continue
			}
			value.SetZero()
			if field.Name == "Tool" {
				less.Tool = "other*"
			}
			if field.Name == "Writes" {
				less.Overwrite = false
			}
			if said(t, less, false) == whole {
				t.Errorf("%s is not in: %s", field.Name, whole)
			}
			covered[field.Name] = true
		}
	}
	for i := range reflect.TypeFor[policy.Rule]().NumField() {
		name := reflect.TypeFor[policy.Rule]().Field(i).Name
		if !covered[name] && !strings.Contains(strings.Join(apart, " "), name) {
			t.Errorf("nobody has looked whether sentences say %s", name)
		}
	}
}

func TestWhatTheFileSaysOfAToolAndTheModeAreSaidToo(t *testing.T) {
	yes, no := true, false
	for want, list := range map[string][]policy.Listed{
		"demo must ask before using shell, whatever the mode, unless a rule or a standing approval allows the call.": policy.ListTool("demo", "shell", approval.TermsView{Required: &yes}),
		"demo may use shell.":                               policy.ListTool("demo", "shell", approval.TermsView{Required: &no}),
		"demo may use shell with arguments that match x.*.": policy.ListTool("demo", "shell", approval.TermsView{Pattern: "x.*"}),
		"demo must ask before every other call. If nobody answers within 2 minutes, the call is denied.":  {policy.ListMode("demo", approval.Manual, 2*time.Minute)},
		"demo must ask before every other call. If nobody answers within 1 hour, the call is denied.":     {policy.ListMode("demo", approval.Manual, time.Hour)},
		"demo must ask before every other call. If nobody answers within 90 seconds, the call is denied.": {policy.ListMode("demo", approval.Manual, 90*time.Second)},
		"demo must ask before every other call.":                                                          {policy.ListMode("demo", approval.Manual, 0)},
		"demo may make every other call.":                                                                 {policy.ListMode("demo", approval.AutoApprove, time.Minute)},
		"demo may make no other call.":                                                                    {policy.ListMode("demo", approval.AutoDeny, time.Minute)},
		"":                                                                                                {policy.ListMode("demo", "new", time.Minute)},
	} {
		if len(list) != 1 || list[0].Sentence.String() != want {
			t.Errorf("%+v, want %s", list, want)
		}
	}
	if list := policy.ListTool("demo", "shell", approval.TermsView{}); len(list) > 0 {
		t.Errorf("of a tool of which nothing is said: %+v", list)
	}
}

func TestASentenceWithoutWordsIsLeftOutAndTheYAMLStays(t *testing.T) {
	made := policy.ListMode("demo", "new", 0)
	if made.Sentence != nil || made.Text == "" || made.Effect != policy.Deny {
		t.Errorf("%+v", made)
	}
}
