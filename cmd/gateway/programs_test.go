package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// declared is a file in which a program's tools are declared. Whatever no rule is about runs.
const declared = `
models: {demo: {provider: scripted}}
toolConfirmation:
  mode: auto-approve
  rules:
    - {tool: "*", paths: [/etc], effect: deny, reason: not the system's files}
    - {tool: "*", command: ["rm -rf *"], effect: deny, reason: nothing is deleted for good}
    - {tool: Bash, command: ["git push *"], effect: ask}
agents:
  demo: {model: demo}
  coder:
    kind: external
    description: writes code
    clientTools:
      Bash: {arguments: {command: cmdline}}
      Read: {arguments: {reads: [absolute_path]}}
      Edit: {arguments: {writes: [edits.file_path]}, schema: {type: object, required: [edits]}}
      Patch: {arguments: {patches: [input]}}
      apply_patch: {approval: {message: patches files}}
`

// What agents that nobody here wrote call their arguments, deny rules understand once it
// is declared; what nobody has declared is asked.
func TestDenyRulesHoldForAProgramsToolsWhateverTheirArgumentsAreCalled(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), declared)
	asks := client.New(p.url, p.token("coder", auth.Agent))
	const denied, asked, runs = "denied", "pending", "approved"
	for name, c := range map[string]struct {
		q    client.Question
		want string
	}{
		"a path":                           {client.Question{ToolName: "Read", Args: tool.JSON(`{"absolute_path":"/etc/passwd"}`)}, denied},
		"another path":                     {client.Question{ToolName: "Read", Args: tool.JSON(`{"absolute_path":"/srv/x"}`)}, runs},
		"paths in a list":                  {client.Question{ToolName: "Edit", Args: tool.JSON(`{"edits":[{"file_path":"/srv/x"},{"file_path":"/etc/passwd"}]}`)}, denied},
		"a patch":                          {client.Question{ToolName: "Patch", Args: tool.JSON(`{"input":"*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch"}`)}, denied},
		"a command line":                   {client.Question{ToolName: "Bash", Args: tool.JSON(`{"cmdline":"rm -rf /x"}`)}, denied},
		"one that a rule asks about":       {client.Question{ToolName: "Bash", Args: tool.JSON(`{"cmdline":"git push origin"}`)}, asked},
		"one that no rule is about":        {client.Question{ToolName: "Bash", Args: tool.JSON(`{"cmdline":"git status"}`)}, runs},
		"a tool that nobody has declared":  {client.Question{ToolName: "Fetch", Args: tool.JSON(`{"where":"/etc/passwd"}`)}, asked},
		"one that the program declares":    {client.Question{ToolName: "Fetch", Args: tool.JSON(`{"where":"/etc/passwd"}`), Arguments: tool.Arguments{Reads: []string{"where"}}}, denied},
		"its word beside what is known":    {client.Question{ToolName: "apply_patch", Args: tool.JSON(`{"input":"*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch"}`), Arguments: tool.Arguments{URLs: []string{"other"}}}, denied},
		"its word about something else":    {client.Question{ToolName: "Fetch", Args: tool.JSON(`{"command":"rm -rf /x"}`), Arguments: tool.Arguments{Argv: "nothing"}}, denied},
		"its word about another argument":  {client.Question{ToolName: "Fetch", Args: tool.JSON(`{"script":"rm -rf /x"}`), Arguments: tool.Arguments{Reads: []string{"nothing"}}}, asked},
		"its word beside a path's name":    {client.Question{ToolName: "Fetch", Args: tool.JSON(`{"path":"/etc/x"}`), Arguments: tool.Arguments{Argv: "nothing"}}, denied},
		"its word beside the file's":       {client.Question{ToolName: "Bash", Args: tool.JSON(`{"cmdline":"ls","argv":["rm","-rf","/x"]}`), Arguments: tool.Arguments{Argv: "argv"}}, denied},
		"the file's word against its word": {client.Question{ToolName: "Read", Args: tool.JSON(`{"absolute_path":"/etc/passwd"}`), Arguments: tool.Arguments{URLs: []string{"absolute_path"}}}, denied},
	} {
		c.q.AgentID, c.q.WorkingDirectory = "coder", "/srv"
		row, err := asks.Ask(t.Context(), c.q)
		if err != nil || string(row.Status) != c.want {
			t.Errorf("%s: %s by %q, %v, want %s", name, row.Status, row.Policy.Rule, err, c.want)
		}
	}
	unfit := client.Question{AgentID: "coder", ToolName: "Edit", Args: tool.JSON(`{"path":"/srv/x"}`)}
	if _, err := asks.Ask(t.Context(), unfit); err == nil || !strings.Contains(err.Error(), "args: missing property 'edits'") {
		t.Errorf("arguments that the declared schema does not have: %v", err)
	}
	if _, err := asks.Ask(t.Context(), client.Question{ToolName: "x", Arguments: tool.Arguments{Writes: []string{"a..b"}}}); err == nil || !strings.Contains(err.Error(), "arguments.writes.0: an empty name") {
		t.Errorf("an argument that is not valid: %v", err)
	}
}

func TestAProgramsToolsAreListedExplainedTriedAndSuggested(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, strings.Replace(declared, "auto-approve", "manual", 1))
	var listed struct {
		Agents []agent.Info `json:"agents"`
	}
	if err := p.request("GET", "/api/agents", struct{}{}, &listed); err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for _, a := range listed.Agents {
		kinds += a.AgentID + " " + string(a.Kind) + " "
		for _, one := range a.Tools {
			kinds += one.Name + " "
		}
	}
	if want := "demo agent coder external Bash Edit Patch Read apply_patch external external "; kinds != want {
		t.Errorf("there are %s, want %s", kinds, want)
	}
	asks := client.New(p.url, p.token("coder", auth.Agent))
	row, err := asks.Ask(t.Context(), client.Question{AgentID: "coder", ToolName: "Bash", Args: tool.JSON(`{"cmdline":"npm test"}`), Editable: true})
	if err != nil {
		t.Fatal(err)
	}
	p.verb("policy", "suggest", row.ApprovalID).want(t, 0, `tool: "Bash"`, "effect: allow")
	if status := p.status("POST", "/api/approvals/"+row.ApprovalID, `{"status":"approved","edit":{"cmdline":"rm -rf /x"}}`, p.token("boss", auth.Approver)); status != 422 {
		t.Errorf("changed into what a rule denies: %d", status)
	}
	var decided approval.Approval
	p.post("/api/approvals/"+row.ApprovalID, map[string]any{"status": "approved", "edit": map[string]any{"cmdline": "npm test -- --bail"}}, &decided)
	if args, _, err := asks.Claim(t.Context(), row.ApprovalID); err != nil || string(args) != `{"cmdline":"npm test -- --bail"}` {
		t.Errorf("it runs %s, %v", args, err)
	}
	offline := func(args ...string) verb {
		c := exec.Command("gateway", append(args, "--config", filepath.Join(dir, "agents", "agents.yaml"))...)
		out, err := c.CombinedOutput()
		return verb{code: p.code(err), out: string(out)}
	}
	offline("policy", "explain", "--agent", "coder", "--tool", "Read", "--args", `{"absolute_path":"/etc/passwd"}`).want(t, 0, "deny: ", "not the system's files")
	offline("policy", "explain", "--agent", "coder", "--tool", "Fetch", "--args", `{"where":"/etc/passwd"}`).want(t, 0, "ask: ", "agent coder does not declare Fetch")
	offline("policy", "explain", "--agent", "demo", "--tool", "Fetch").want(t, 1, `agent demo has no tool "Fetch"`)
	cases := filepath.Join(dir, "agents", "agents.cases.yaml")
	text := "cases:\n  - {agent: coder, tool: Bash, args: {cmdline: rm -rf /x}, expect: deny}\n  - {agent: external, tool: Bash, args: {command: git status}, expect: ask}\n"
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	offline("policy", "test").want(t, 0, "2 cases")
}

// A coding agent writes whole files: what it asks about is shown and run to the last byte.
func TestAProgramAsksAboutAMebibyte(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), declared)
	asks := client.New(p.url, p.token("coder", auth.Agent))
	file := strings.Repeat("line of a file\n", 65_000) // escaped, a little less than 1 MiB
	args, err := json.Marshal(map[string]string{"content": file, "where": "/srv/x"})
	if err != nil {
		t.Fatal(err)
	}
	ws := p.tab()
	var rows []client.Approval
	for range 6 {
		row, err := asks.Ask(t.Context(), client.Question{AgentID: "coder", ToolName: "Save", Args: args})
		if err != nil || row.Status != approval.Pending {
			t.Fatalf("%s, %v", row.Status, err)
		}
		if told := until(t, ws, "approvalRequest", row.ApprovalID); len(told.Data) < len(args) {
			t.Errorf("a tab is told %d bytes", len(told.Data))
		}
		rows = append(rows, row)
	}
	late := p.tab()
	for _, row := range rows { // each on a page of its own
		until(t, late, "snapshot", row.ApprovalID)
	}
	last := rows[len(rows)-1].ApprovalID
	p.post("/api/approvals/"+last, map[string]any{"status": "approved"}, new(map[string]any))
	until(t, late, "approvalResponse", last)
	if cleared, _, err := asks.Claim(t.Context(), last); err != nil || string(cleared) != string(args) {
		t.Errorf("%d bytes may run, %v, want %d", len(cleared), err, len(args))
	}
	for name, q := range map[string]client.Question{
		"more than a mebibyte":        {ToolName: "Save", Args: tool.JSON(`{"content":"` + strings.Repeat("x", 1<<20) + `"}`)},
		"a long text beside the call": {ToolName: "Save", Message: strings.Repeat("x", 70<<10)},
	} {
		var problem *client.Problem
		if _, err := asks.Ask(t.Context(), q); !errors.As(err, &problem) || problem.Status != 413 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
