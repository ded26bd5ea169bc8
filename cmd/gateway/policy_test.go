package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// Rules of each kind about commands that bear their letters, d, q and w, for
// agents of every need and mode.
func precedence() string {
	var b strings.Builder
	b.WriteString(`
models: {demo: {provider: scripted}}
toolConfirmation:
  timeout: none
  rules:
    - {tool: shell, command: ["echo *d*"], effect: deny}
    - {tool: shell, command: ["echo *q*"], effect: ask}
    - {tool: shell, command: ["echo *w*"], effect: allow}
agents:
`)
	for need, terms := range map[string]string{"mode": "{}", "ask": "{required: true}", "none": "{required: false}"} {
		for _, mode := range []string{"manual", "auto-approve", "auto-deny"} {
			fmt.Fprintf(&b, "  %s.%s: {model: demo, toolConfirmation: {mode: %s}, tools: {shell: {approval: %s}}}\n", need, mode, mode, terms)
		}
	}
	return b.String()
}

// taken says the order once more, for a call of a command with these letters.
func taken(letters, need, mode string, granted bool) string {
	switch {
	case strings.Contains(letters, "d"):
		return "denied by policy"
	case strings.Contains(letters, "q"):
		return "asked"
	case strings.Contains(letters, "w"), need == "none":
		return "approved by policy"
	case granted:
		return "approved by grant"
	case need == "ask":
		return "asked"
	case mode == "auto-approve":
		return "approved by policy"
	case mode == "auto-deny":
		return "denied by policy"
	default:
		return "asked"
	}
}

func TestTheOrderOfRulesNeedsGrantsAndModesInTheRunningGateway(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), precedence())
	for _, need := range []string{"mode", "ask", "none"} {
		for _, mode := range []string{"manual", "auto-approve", "auto-deny"} {
			d := p.desk(need + "." + mode)
			for _, letters := range []string{"x", "d", "q", "w", "dq", "dw", "qw", "dqw"} {
				command := "echo x" + letters
				r, answer := d.run(command)
				want := taken(letters, need, mode, false)
				switch {
				case answer != nil && want == string(answer.Status)+" by "+string(answer.By.Via):
					d.over()
				case answer != nil || want != "asked":
					t.Fatalf("%s of %s.%s: %+v by %s, want %s", command, need, mode, answer, r.Policy.Rule, want)
				case len(r.Scopes) == 1: // an ask rule
					d.answer(r, "approved", "")
				default:
					d.answer(r, "approved", `,"scope":"session"`)
					d.want(command, taken(letters, need, mode, true))
					continue
				}
				d.want(command, want)
			}
		}
	}
}

const granting = unlimited + `
models: {demo: {provider: scripted}}
toolConfirmation: {timeout: none, rules: [{tool: shell, command: ["rm *"], effect: deny, reason: no deleting}]}
agents:
  demo: {model: demo, tools: {shell: }}
  other: {model: demo, tools: {shell: }}
`

func TestAGrantHoldsInItsSessionUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	d := p.desk("demo")
	r, _ := d.run("uname -a")
	if len(r.Covers) < 2 || r.Covers[1].Kind != approval.CoverCommand {
		t.Fatalf("it offers %+v", r.Covers)
	}
	d.answer(r, "approved", `,"scope":"session","grant":{"covers":"command"}`)
	d.want("uname -r", "approved by grant")
	d.want("uname -r; rm -r x", "denied by policy")
	d.want("uname -r; id", "asked")
	p.desk("demo").want("uname -a", "asked")
	p.desk("other").want("uname -a", "asked")

	var list struct {
		Grants []approval.Grant `json:"grants"`
	}
	if err := p.request(http.MethodGet, "/api/grants?sessionId="+d.session, struct{}{}, &list); err != nil || len(list.Grants) != 1 {
		t.Fatalf("the grants are %+v, %v", list, err)
	}
	if g := list.Grants[0]; g.Uses != 1 || g.GivenBy.Subject != "owner" {
		t.Errorf("the grant is %+v", g)
	}
	var ended approval.Grant
	if err := p.request(http.MethodDelete, "/api/grants/"+list.Grants[0].ID, struct{}{}, &ended); err != nil || ended.Ended.Reason != approval.GrantRevoked {
		t.Fatalf("revoking gave %+v, %v", ended, err)
	}
	until(t, d.ws, "sessionEvent", `"grant.ended"`)
	d.want("uname -r", "asked")
}

func TestAGrantSettlesWhatWaitsAndOneRevokedWhileACallWaitsDoesNot(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	d := p.desk("demo")
	send(t, d.ws, `{"event":"message","data":{"sessionId":%q,"text":"run: uname -s\nrun: uname -r"}}`, d.session)
	first, _ := d.next()
	d.next()
	send(t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved","scope":"session","grant":{"covers":"command"}}}`, first.ApprovalID)
	until(t, d.ws, "approvalResponse", `"via":"grant"`)
	d.over()

	another := p.desk("demo")
	r, _ := another.run("uname -s")
	another.answer(r, "approved", `,"scope":"session","grant":{"uses":1}`)
	var list struct {
		Grants []approval.Grant `json:"grants"`
	}
	if err := p.request(http.MethodGet, "/api/grants?sessionId="+another.session, struct{}{}, &list); err != nil {
		t.Fatal(err)
	}
	waiting, _ := another.run("uname -r")
	var ended approval.Grant
	if err := p.request(http.MethodDelete, "/api/grants/"+list.Grants[0].ID, struct{}{}, &ended); err != nil {
		t.Fatal(err)
	}
	another.answer(waiting, "approved", "")
	another.want("uname -s", "asked")
}

func TestAGrantDiesWithItsSessionAndWithTheToolsSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, granting)
	kept, closed := p.desk("demo"), p.desk("demo")
	for _, d := range []*desk{kept, closed} {
		r, _ := d.run("uname -s")
		d.answer(r, "approved", `,"scope":"session"`)
	}
	var s tool.JSON
	p.post("/api/sessions/"+closed.session+"/cancel", struct{}{}, &s)
	reasons := func(p *process) map[string]approval.GrantReason {
		t.Helper()
		var list struct {
			Grants []approval.Grant `json:"grants"`
		}
		if err := p.request(http.MethodGet, "/api/grants?all=true", struct{}{}, &list); err != nil {
			t.Fatal(err)
		}
		found := map[string]approval.GrantReason{}
		for _, g := range list.Grants {
			found[g.SessionID] = g.Ended.Reason
		}
		return found
	}
	if got := reasons(p); got[kept.session] != "" || got[closed.session] != approval.GrantSessionEnded {
		t.Errorf("the ends are %v", got)
	}
	_ = p.end(syscall.SIGKILL)
	p = launchWith(t, "gateway", dir, granting)
	if got := reasons(p); got[kept.session] != "" {
		t.Errorf("after a restart: %v", got)
	}
	_ = p.end(syscall.SIGKILL)
	// The longest time of a command stands in the schema.
	p = launchWith(t, "gateway", dir, strings.ReplaceAll(granting, "{shell: }", "{shell: {timeout: 7s}}"))
	if got := reasons(p); got[kept.session] != approval.GrantToolChanged {
		t.Errorf("after the schema has changed: %v", got)
	}
}

func TestEditedArgumentsAreCheckedJudgedAndMarked(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	d := p.desk("demo")
	r, _ := d.run("uname -a")
	for edit, complaint := range map[string]string{
		`{"command":"rm -r x"}`: "no deleting",
		`{"command":7}`:         "command",
	} {
		send(t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved","edit":%s}}`, r.ApprovalID, edit)
		until(t, d.ws, "error", complaint)
	}
	send(t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved","edit":{"command":"echo edited"}}}`, r.ApprovalID)
	until(t, d.ws, "sessionEvent", `"edit":{"command":"echo edited"}`)
	result := until(t, d.ws, "sessionEvent", `"tool.result"`)
	for _, want := range []string{`owner changed the arguments before clearing this call`, `\"command\":\"echo edited\"`, "edited\\n"} {
		if !strings.Contains(string(result.Data), want) {
			t.Errorf("the model reads %s, without %s", result.Data, want)
		}
	}
	d.over()
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if log := auditOf(t, p.dir); !strings.Contains(log, `"edit":{"command":"echo edited"}`) {
		t.Error("the audit log does not have the edit")
	}
}

func TestAHangupTakesNewRulesOverAndJudgesWhatWaits(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	d := p.desk("demo")
	waiting, _ := d.run("uname -a")
	hangUp := func(yaml, said string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "agents", "agents.yaml"), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		p.logged(said)
	}
	hangUp("agents: {", "not readable as YAML")
	hangUp(strings.Replace(granting, "tools: {shell: }", "tools: {shell: , read_file: }", 1), "nothing was taken over")
	other := p.desk("other")
	other.want("uname -s", "asked")
	hangUp(strings.Replace(granting, `["rm *"]`, `["rm *", "uname -a"]`, 1), "configuration taken over")
	if f := until(t, d.ws, "approvalResponse", waiting.ApprovalID); !strings.Contains(string(f.Data), "policy_denied") {
		t.Errorf("what waited: %s", f.Data)
	}
	d.over()
	d.want("uname -a", "denied by policy")
	d.want("uname -s", "asked")
	if log := p.stderr.String(); !strings.Contains(log, "toolConfirmation.rules") {
		t.Errorf("the log does not have the difference: %s", log)
	}
}

func TestAModeIsSetWithItsVersionAndOutlivesAKill(t *testing.T) {
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, granting)
	d := p.desk("demo")
	waiting, _ := d.run("uname -a")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	c, err := client.Local(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if set, err := c.SetMode(t.Context(), "demo", approval.AutoDeny, 0); err != nil || set.Version != 1 {
		t.Fatalf("it is %+v, %v", set, err)
	}
	if f := until(t, d.ws, "approvalResponse", waiting.ApprovalID); !strings.Contains(string(f.Data), "mode auto-deny") {
		t.Errorf("what waited: %s", f.Data)
	}
	d.over()
	var problem *client.Problem
	if _, err := c.SetMode(t.Context(), "demo", approval.AutoApprove, 0); !errors.As(err, &problem) || problem.Status != http.StatusConflict ||
		problem.Mode == nil || problem.Mode.Mode != approval.AutoDeny {
		t.Errorf("the second of two clicks: %+v, %v", problem, err)
	}
	_ = p.end(syscall.SIGKILL)
	p = launchWith(t, "gateway", dir, granting)
	p.desk("demo").want("uname -a", "denied by policy")
}

func TestTheVerbsListRevokeSetAndSuggest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, granting)
	d := p.desk("demo")
	r, _ := d.run("uname -a")
	d.answer(r, "approved", `,"scope":"session","grant":{"covers":"command"}`)
	waiting, _ := d.run("date +%s")
	verb := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "gateway", append(args, "--data", filepath.Join(dir, "data"))...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("gateway %v: %v", args, err)
		}
		return string(out)
	}
	says := func(out string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(out, w) {
				t.Errorf("without %q: %s", w, out)
			}
		}
	}
	list := verb("grants")
	says(list, "GRANT", "demo", "shell", "uname *", "owner", "for the session")
	id := strings.Fields(strings.Split(list, "\n")[1])[0]
	says(verb("grants", "revoke", id), "revoked")
	says(verb("grants"), "No grants.")
	says(verb("grants", "--all"), "revoked")
	says(verb("modes"), "demo", "manual", "0", "configuration")
	says(verb("policy", "suggest"), waiting.ApprovalID, "date +%s", "1 requests wait")
	says(verb("policy", "suggest", waiting.ApprovalID), "would have cleared 0 of the last", "date *", "effect: allow")
	says(verb("modes", "set", "demo", "auto-deny"), "demo is auto-deny now (version 1).")
	says(verb("modes"), "auto-deny")
	d.over()
}

func TestTheShippedCasesHoldForTheShippedRules(t *testing.T) {
	t.Parallel()
	c := exec.Command("gateway", "policy", "test")
	c.Dir = t.TempDir() // the rules look at the disk, and other tests make files in the tree
	for _, name := range []string{"agents.yaml", "agents.cases.yaml", "README.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(c.Dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s (%v)", out, err)
	}
}

func TestWhatRunsUnaskedIsWhatWasJudged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, `
models: {demo: {provider: scripted}}
agents:
  demo:
    model: demo
    workdir: .
    toolConfirmation:
      timeout: none
      rules:
        - {tool: shell, command: ["rm -rf *"], effect: deny}
        - {tool: shell, command: [pwd, "ls *", "cat *", "head *"], effect: allow}
    tools: {shell: {approval: {required: true}}}
`)
	d := p.desk("demo")
	work := filepath.Join(dir, "agents")
	for _, command := range []string{
		`x="${y:-'$(id > PWNED)'}"; pwd`, `x="${y:-'$(rm -rf docs)'}"; pwd`, "x=`ls \"\"#;touch PWNED`; ls", `ls "${y:-'$(touch PWNED)'}"`,
	} {
		d.want(command, "asked")
	}
	if _, err := os.Stat(filepath.Join(work, "PWNED")); err == nil {
		t.Error("code ran that nobody was asked about")
	}
	if err := os.WriteFile(filepath.Join(work, "notes.txt"), []byte("first\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, answer := d.run(`cat   notes.txt | head -n 1 # the beginning`)
	if answer == nil || answer.Status != approval.Approved {
		t.Fatalf("it was %+v", answer)
	}
	if text := d.result(); !strings.Contains(text, "first") {
		t.Errorf("it wrote %q", text)
	}
	d.over()
	var edit struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(answer.Edit, &edit); err != nil || !regexp.MustCompile(`^/\S+/cat notes\.txt \| /\S+/head -n 1$`).MatchString(edit.Command) {
		t.Errorf("it ran as %s", answer.Edit)
	}
	p.verb("approvals", "show", r.ApprovalID).want(t, 0, edit.Command)
}
