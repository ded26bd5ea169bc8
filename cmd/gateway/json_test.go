package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
)

// listed is the one shape of lists.
type listed struct {
	Items []map[string]any `json:"items"`
	Next  string           `json:"next"`
}

// callSecret is masked wherever it is shown.
const callSecret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

func TestAllListsHaveOneShapeAndNoSecret(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo", "title": "token=" + callSecret}, &s)
	sessionID := s.SessionID
	send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, sessionID, "run: echo token="+callSecret)
	until(t, ws, "approvalRequest", "echo token=")
	id := p.asked(t)
	allowed, other := p.ask(ws, "uname -a")
	p.verb("approvals", "approve", other, "--covers", "exact", "--json").want(t, 0)
	until(t, ws, "sessionEvent", `"turn.finished"`)
	p.verb("run", "demo", strings.Repeat("x", 50)+" "+callSecret).want(t, 0) // whose title is cut
	p.verb("tokens", "create", "ci", "--role", "agent", "--json").want(t, 0, `"secret"`)
	p.verb("halt", "hasty", "--json").want(t, 0, `"agentId": "hasty"`)
	for _, c := range []struct {
		words string
		items int // at least
	}{
		{"approvals", 1}, {"approvals ls --status all", 2}, {"approvals ls --agent boss", 0},
		{"sessions", 2}, {"sessions ls", 2}, {"sessions messages " + sessionID, 3}, {"sessions messages " + allowed, 5},
		{"grants", 1}, {"grants --session " + sessionID, 0}, {"modes", 3}, {"tokens", 1}, {"logins", 1}, {"halt --show", 1}, {"nodes", 0},
		{"policy suggest", 1}, {"policy suggest " + short(other), 1}, {"policy observed", 0},
		{"approvals cancel --session " + allowed, 0}, {"approvals cancel --session " + sessionID, 1},
	} {
		v := p.verb(append(strings.Fields(c.words), "--json")...).want(t, 0)
		var list struct {
			Items *[]any `json:"items"`
		}
		v.json(t, &list)
		if list.Items == nil || len(*list.Items) < c.items || c.items == 0 && len(*list.Items) > 0 {
			t.Errorf("%s prints\n%s", c.words, v.out)
		}
		if v.err != "" || strings.Contains(v.out, callSecret[:10]) {
			t.Errorf("%s shows the secret, or says %q:\n%s", c.words, v.err, v.out)
		}
	}
	for _, words := range []string{"approvals show " + id, "sessions show " + sessionID, "modes set demo manual", "sessions cancel " + sessionID, "grants revoke " + p.firstOf("grants")} {
		var document map[string]any
		v := p.verb(append(strings.Fields(words), "--json")...).want(t, 0)
		v.json(t, &document)
		lacks(t, v.out, callSecret)
	}
	p.verb("approvals", "show", id, "--json", "--unmasked").want(t, 0, callSecret)
	lacks(t, p.verb("approvals", "export", "--json").want(t, 0, `{"approvalId":`).out, callSecret)
	p.verb("approvals", "export", "--json", "--format", "csv").want(t, 2, "contradict")
	for _, words := range []string{"sessions show ffffffff", "modes set nobody manual", "modes set demo loud", "grants revoke none", "tokens revoke none"} {
		if v := p.verb(append(strings.Fields(words), "--json")...); v.code == 0 || v.out != "" || v.err == "" {
			t.Errorf("%s fails with %d, and prints %q and %q", words, v.code, v.out, v.err)
		}
	}
}

// firstOf is the id of the first of a list.
func (p *process) firstOf(verb string) string {
	p.t.Helper()
	var list listed
	p.verb(verb, "--json").want(p.t, 0).json(p.t, &list)
	if len(list.Items) == 0 {
		p.t.Fatalf("%s lists nothing", verb)
	}
	for _, name := range []string{"grantId", "id"} {
		if id, ok := list.Items[0][name].(string); ok {
			return id
		}
	}
	p.t.Fatalf("%v has no id", list.Items[0])
	return ""
}

func TestAListGoesOnAfterItsNext(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	for _, command := range []string{"echo 1", "echo 2", "echo 3"} {
		_, id := p.ask(ws, command)
		if command == "echo 3" {
			p.verb("approvals", "deny", id).want(t, 0)
		}
	}
	for words, field := range map[string]string{"approvals ls --limit 1": "approvalId", "approvals ls --status all --limit 2": "approvalId", "sessions ls --limit 1": "sessionId"} {
		var ids []string
		for next := ""; ; {
			var list listed
			args := append(strings.Fields(words), "--json")
			if next != "" {
				args = append(args, "--after", next)
			}
			p.verb(args...).want(t, 0).json(t, &list)
			for _, item := range list.Items {
				id, _ := item[field].(string)
				ids = append(ids, id)
			}
			if next = list.Next; next == "" || len(ids) > 3 {
				break
			}
		}
		want := 3
		if words == "approvals ls --limit 1" {
			want = 2
		}
		if len(ids) != want || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != want {
			t.Errorf("%s lists %v", words, ids)
		}
	}
	p.verb("approvals", "ls", "--after", "00000000-0000-7000-8000-000000000000").want(t, 4)
}

func TestWhatBecameOfAQuestionIsOneDocument(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), exitAgents)
	ask := func(answer approval.Status, code int, command ...string) (document struct {
		Approval struct {
			Outcome string `json:"outcome"`
		} `json:"approval"`
		Args     map[string]any `json:"args"`
		ExitCode *int           `json:"exitCode"`
	}) {
		t.Helper()
		c := p.command("ask", "--json", "--agent", "desk", "shell", `{"token": "`+callSecret+`"}`)
		c.Args = append(c.Args, command...)
		var out, failure = newLogBuffer(), newLogBuffer()
		c.Stdout, c.Stderr = out, failure
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		p.post("/api/approvals/"+p.asked(t), map[string]any{"status": answer}, &struct{}{})
		v := verb{code: p.code(c.Wait()), out: out.String(), err: failure.String()}
		v.want(t, code).json(t, &document)
		return document
	}
	if d := ask(approval.Approved, 0); d.Approval.Outcome != "approved" || d.Args["token"] != callSecret || d.ExitCode != nil {
		t.Errorf("it is %+v", d)
	}
	if d := ask(approval.Denied, 3, "--", "true"); d.Approval.Outcome != "denied" || d.Args != nil {
		t.Errorf("it is %+v", d)
	}
	if d := ask(approval.Approved, 9, "--", "sh", "-c", "echo said; exit 4"); d.Approval.Outcome != "approved" || d.ExitCode == nil || *d.ExitCode != 4 {
		t.Errorf("it is %+v", d)
	}
}

func TestTheAuditLogsVerbsPrintOneDocument(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	var key, head, verified struct {
		Key  string `json:"key"`
		Head string `json:"head"`
		Hash string `json:"hash"`
	}
	p.verb("audit", "key", "--json").want(t, 0).json(t, &key)
	p.verb("audit", "head", "--json").want(t, 0).json(t, &head)
	p.verb("audit", "--json", "--key", key.Key).want(t, 2, "unknown flag")
	p.verb("audit", "verify", "--json", "--key", key.Key, "--expect", head.Head).want(t, 0).json(t, &verified)
	if key.Key == "" || verified.Key != key.Key || head.Hash == "" || verified.Head != head.Head {
		t.Errorf("they print %+v, %+v, %+v", key, head, verified)
	}
	p.verb("audit", "--json").want(t, 0).json(t, &verified)
	if v := p.verb("audit", "verify", "--json", "--expect", "1:"+strings.Repeat("0", 64)).want(t, 1, "BROKEN"); v.out != "" {
		t.Errorf("it prints %s", v.out)
	}
	p.verb("audit", "export", "--json").want(t, 0, `{"seq":1,`)
	var done struct {
		Backup string `json:"backup"`
	}
	p.verb("doctor", "--json").want(t, 0, `"running": true`).json(t, &done)
	file := filepath.Join(p.dir, "backup.tar.gz")
	p.verb("backup", file, "--json").want(t, 0, `"faults": []`).json(t, &done)
	if done.Backup != file {
		t.Errorf("it prints %+v", done)
	}
}
