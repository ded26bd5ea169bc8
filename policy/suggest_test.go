package policy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// offers are the kinds and texts that a call offers to remember.
func offers(v approval.Verdict) string {
	var texts []string
	for _, c := range v.Covers {
		texts = append(texts, string(c.Kind)+": "+c.Text)
	}
	return strings.Join(texts, "\n")
}

func TestARequestOffersWhatAGrantCouldCover(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "src", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "src", "etc")); err != nil {
		t.Fatal(err)
	}
	exact, whole := "exact: exactly this call", "\ntool: every call of "
	for _, c := range []struct {
		call approval.Case
		want string
	}{
		{line(t, "git status --short"), exact + "\ncommand: commands of the form git status *, in the working directory"},
		{line(t, "ls | wc -l"), exact + "\ncommand: commands of the form ls *, wc *, in the working directory"},
		{line(t, "echo hi > src/x"), exact},
		{line(t, "go vet ./..."), exact + "\ncommand: commands of the form go vet *, in the working directory"},
		{line(t, "echo hi > src/etc/x"), exact},
		{line(t, "echo hi > /tmp/x"), exact},
		{line(t, "rm -rf src"), exact},
		{line(t, "python3 -c 'x'"), exact},
		{line(t, "git status $(curl x.org)"), ""},
		{line(t, "make test"), exact + "\ncommand: commands of the form make test *, in the working directory"},
		{about(fileSpec("read"), args(t, "path", "src/a.go")), exact + "\npath: files below src/" + whole + "read"},
		{about(fileSpec("read"), args(t, "path", "src/deep")), exact + "\npath: files below src/deep/" + whole + "read"},
		{about(fileSpec("read"), args(t, "path", "a.go")), exact + "\npath: files below the working directory" + whole + "read"},
		{about(fileSpec("read"), args(t, "path", []string{"src/a", "src/deep/b"})), exact + "\npath: files below src/, src/deep/" + whole + "read"},
		{about(fileSpec("read"), args(t, "path", "src/etc/passwd")), exact + whole + "read"},
		{about(fileSpec("read"), args(t, "path", "../x")), exact + whole + "read"},
		{about(tool.Spec{Name: "t"}, args(t)), exact + whole + "t"},
	} {
		t.Run(string(c.call.Request.Args), func(t *testing.T) {
			v := judge(t, policy.Rules{WorkingDirectory: dir}, c.call)
			if diff := cmp.Diff(c.want, offers(v)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			for _, covers := range v.Covers[min(1, len(v.Covers)):] {
				g := granted(covers)
				g.ToolName = c.call.Spec.Name
				if again := judge(t, policy.Rules{WorkingDirectory: dir}, c.call, g); again.Grant == nil {
					t.Errorf("%s would not have covered the call", covers.Kind)
				}
			}
		})
	}
}

func TestWhatARuleAsksAboutOffersNothingToRemember(t *testing.T) {
	rules := policy.Rules{Rules: compiled(t, policy.Rule{Command: []string{"git push *"}, Effect: policy.Ask})}
	if v := judge(t, rules, line(t, "git push")); v.Covers != nil {
		t.Errorf("%v", v.Covers)
	}
}

func TestSuggestionsAreRulesWithWhatTheyWouldHaveDone(t *testing.T) {
	dir := t.TempDir()
	past := func(command, agent string, status approval.Status, reason approval.Reason) approval.Approval {
		row := approval.New(line(t, command).Request)
		row.AgentID, row.Status, row.Response.Reason = agent, status, reason
		return row
	}
	history := []approval.Approval{
		past("git status", "demo", approval.Approved, ""),
		past("git status -sb", "demo", approval.Denied, approval.UserDenied),
		past("git status -v", "demo", approval.Denied, approval.Timeout),
		past("git status; id", "demo", approval.Denied, approval.UserDenied),
		past("git status", "other", approval.Denied, approval.UserDenied),
		past("git log", "demo", approval.Approved, ""),
		past("git status *.go", "demo", approval.Denied, approval.UserDenied),
		past("git status --long", "demo", approval.Pending, ""),
	}
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": {WorkingDirectory: dir}, "other": {}})
	got := p.Suggest(line(t, "git status --short"), history)
	if len(got) != 2 || got[0].Covers.Kind != approval.CoverExact {
		t.Fatalf("%+v", got)
	}
	undated := func(s approval.Suggestion) string {
		return regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAllString(s.Rule, "DATE")
	}
	exact := `- tool: "shell"
  args:
    "/command": {equals: "git status --short"}
  effect: allow
  reason: "suggested on DATE"
`
	if diff := cmp.Diff(exact, undated(got[0])); diff != "" || got[0].Matched != 0 {
		t.Errorf("%+v\n%s", got[0], diff)
	}
	want := `- tool: "shell"
  command: ["git status *"]
  paths: ["."]
  effect: allow
  reason: "suggested on DATE"
`
	if diff := cmp.Diff(want, undated(got[1])); diff != "" || got[1].Past != 7 || got[1].Matched != 4 || got[1].Denied != 1 || got[1].Waiting != 1 || got[1].Unknown != 1 {
		t.Errorf("%+v\n%s", got[1], diff)
	}
	for i, want := range []string{"demo may use shell to run exactly git status --short.", "demo may use shell to run git status … in the working directory."} {
		if said := got[i].Sentence.String(); said != want {
			t.Errorf("%s, want %s", said, want)
		}
	}
	whole := p.Suggest(about(fileSpec("read"), args(t, "path", "${HOME}\nx")), nil)
	if last := whole[len(whole)-1]; last.Covers.Kind != approval.CoverTool || !strings.HasPrefix(last.Rule, "- tool: \"read\"\n  effect: allow\n") {
		t.Errorf("%+v", last)
	}
	if !strings.Contains(whole[0].Rule, `"$${HOME}\nx"`) { // or it would be the environment's
		t.Errorf("%s", whole[0].Rule)
	}
}

func TestNothingIsSuggestedAgainstARule(t *testing.T) {
	p := policy.New(remembered{}, map[string]policy.Rules{
		"demo": {Rules: compiled(t, policy.Rule{Command: []string{"git push *"}, Effect: policy.Deny}, policy.Rule{Command: []string{"make *"}, Effect: policy.Ask})},
	})
	for _, command := range []string{"git push", "make", "$X"} {
		if got := p.Suggest(line(t, command), nil); len(got) > 0 {
			t.Errorf("%s: %+v", command, got)
		}
	}
	stranger := line(t, "id")
	stranger.Request.AgentID = "stranger"
	if got := p.Suggest(stranger, nil); got != nil {
		t.Errorf("%+v", got)
	}
}
