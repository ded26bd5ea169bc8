package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

func TestARequestIsListedShownAndDeniedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	p.verb("approvals").want(t, 0, "Nothing waits for an answer.")
	session, id := p.ask(ws, "uname -a")
	_, risky := p.ask(ws, "rm -rf /")

	list := p.verb("approvals", "ls").want(t, 0, "RISK", "demo", "shell uname -a", "no limit").out
	if strings.Index(list, short(risky)) < strings.Index(list, short(id)) {
		t.Errorf("what was asked first does not come first:\n%s", list)
	}
	p.verb("approvals", "ls", "--limit", "1").want(t, 0, "1 more wait; see them with --limit 2.")
	p.verb("approvals", "ls", "--session", session, "--agent", "demo", "--status", "all").want(t, 0, "waits for an answer")
	p.verb("approvals", "ls", "--agent", "boss").want(t, 0, "Nothing waits for an answer there.")
	p.verb("approvals", "show", short(id)).want(t, 0, id, `command: "uname -a"`, "2 commands of the form uname *, in the working directory")

	p.verb("approvals", "deny", short(id), "-m", "not today").want(t, 0, `command: "uname -a"`, "Denied; the agent is told: not today")
	p.verb("approvals", "deny", id, "-m", "not today").want(t, 0, "Denied") // the same again
	p.verb("approvals", "approve", short(id)).want(t, 5, "not taken: it was denied by ", "not today already")
	over := p.verb("approvals", "show", short(id)).want(t, 0, "This was denied by ")
	lacks(t, over.out, "then it is denied")
	lacks(t, over.out, "waits for your approval")
	p.verb("approvals", "show", short(id), "--wait").want(t, 3)
	until(t, ws, "sessionEvent", "not today")
}

func TestTheHistoryIsSearchedAndExportedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	_, id := p.ask(ws, "echo hello; exit 3")
	p.verb("approvals", "approve", id).want(t, 0)
	until(t, ws, "sessionEvent", `"turn.finished"`)
	p.verb("approvals", "show", id).want(t, 0, "It ran for ", "ended with exit code 3:\n  hello\n")
	_, no := p.ask(ws, "date -u")
	p.verb("approvals", "deny", no, "-m", "not today").want(t, 0)
	_, waits := p.ask(ws, "uname -a")
	for _, c := range []struct {
		flags    []string
		has, not string
	}{
		{[]string{"--search", "HELLO exit"}, short(id), short(no)},
		{[]string{"--search", "not today"}, short(no), short(id)},
		{[]string{"--outcome", "denied"}, short(no), short(id)},
		{[]string{"--outcome", "pending"}, short(waits), short(no)},
		{[]string{"--since", "1h"}, short(id), "nothing"},
		{[]string{"--tool", "shell"}, short(waits), short(no)},
		{[]string{"--status", "all", "--risk", "low"}, short(no), "nothing"},
		{[]string{"--until", "1h"}, "There are no such requests there.", short(id)},
		{[]string{"--search", "nowhere"}, "There are no such requests there.", short(id)},
	} {
		if v := p.verb(append([]string{"approvals", "ls"}, c.flags...)...).want(t, 0, c.has); strings.Contains(v.out, c.not) {
			t.Errorf("%v lists %s:\n%s", c.flags, c.not, v.out)
		}
	}
	table := p.verb("approvals", "export").want(t, 0, "requestedAt,agent,client", id, no, waits).out
	if strings.Count(table, "\n") != 4 || strings.Contains(table, "⟨") {
		t.Errorf("the table is\n%s", table)
	}
	file := filepath.Join(t.TempDir(), "requests.jsonl")
	p.verb("approvals", "export", "--format", "jsonl", "--outcome", "denied", "--out", file).want(t, 0)
	if raw, err := os.ReadFile(file); err != nil || !strings.Contains(string(raw), no) || strings.Contains(string(raw), id) {
		t.Errorf("the file has %s, %v", raw, err)
	}
	p.verb("approvals", "ls", "--outcome", "silence").want(t, 2, "--outcome: unknown outcome")
	p.verb("approvals", "ls", "--since", "soon").want(t, 2, `--since "soon" is no time`)
	p.verb("approvals", "export", "--format", "xml").want(t, 2, "use csv or jsonl")
}

func TestOfTwoAnswersAtOnceOneStands(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	for range 3 {
		_, id := p.ask(ws, "echo")
		denied := make(chan verb)
		go func() { denied <- p.verb("approvals", "deny", id) }()
		yes := p.verb("approvals", "approve", id, "--json")
		no := <-denied
		if yes.code+no.code != exitDecided || yes.code != 0 && no.code != 0 {
			t.Errorf("they ended with %d and %d:\n%s\n%s", yes.code, no.code, yes.err, no.err)
		}
		var a client.Approval
		p.verb("approvals", "show", id, "--json").want(t, 0).json(t, &a)
		if (a.Status == approval.Approved) != (yes.code == 0) {
			t.Errorf("it was %s, yet approving ended with %d", a.Status, yes.code)
		}
	}
}

func TestAnAnswerAfterTheDeadlineIsTooLate(t *testing.T) {
	t.Parallel()
	p := launchProgram(t, "gateway", t.TempDir(), "HASTY=1ms")
	d := p.desk("hasty")
	r, _ := d.run("uname")
	d.over()
	p.verb("approvals", "approve", r.ApprovalID).want(t, 6, "too late")
	p.verb("approvals", "deny", r.ApprovalID, "--json").want(t, 6, `"reason": "timeout"`)
	p.verb("approvals", "show", r.ApprovalID, "--wait").want(t, 6, "timed out: nobody answered")
	p.verb("approvals", "cancel", r.ApprovalID).want(t, 6)
}

func TestWhatIsNamedHasToBeThereAndOne(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	_, first := p.ask(ws, "echo one")
	_, second := p.ask(ws, "echo two")
	common := 0
	for first[common] == second[common] {
		common++
	}
	if common >= shortest { // they were made at nearly the same time
		p.verb("approvals", "approve", first[:shortest]).want(t, 2, "matches several", first, second)
	}
	p.verb("approvals", "show", first[:common+1]).want(t, 0, "echo one")
	p.verb("approvals", "show", "1234567").want(t, 2, `"1234567" is too short`)
	p.verb("approvals", "show", "ffffffff").want(t, 4, "there is no request ffffffff")
	p.verb("approvals", "show", "00000000-0000-7000-8000-000000000000").want(t, 4)
	p.verb("approvals", "approve", first, "--digest", "sha256:00").want(t, 1, "look at it again")
	p.verb("approvals", "approve", first, "--edit", `{"command": 7}`).want(t, 1, "command")
	p.verb("approvals", "ls").want(t, 0, "echo one", "echo two") // nothing was decided
}

func TestAnApprovalCanCoverMoreForSomeTime(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	d := p.desk("demo")
	r, _ := d.run("uname -a")
	p.verb("approvals", "approve", r.ApprovalID, "--covers", "command", "--for", "1h", "--uses", "2").
		want(t, 0, "not asked again in this session: ", "uname *", "for 1h00m, 2 more times")
	d.over()
	d.want("uname -r", "approved by grant")

	r, _ = d.run("echo before")
	digest := p.verb("approvals", "approve", r.ApprovalID, "--digest", r.ArgsDigest, "--edit", `{"command": "echo after"}`).want(t, 0)
	if strings.Contains(digest.out, "A tool call waits") {
		t.Errorf("it showed what had been looked at:\n%s", digest.out)
	}
	until(t, d.ws, "sessionEvent", `after\n`)
	d.over()
}

func TestAnApprovedCallIsPrintedAsOneDocument(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	_, id := p.ask(p.tab(), "uname")
	var list struct {
		Items []client.Approval `json:"items"`
	}
	p.verb("approvals", "ls", "--json").want(t, 0).json(t, &list)
	if len(list.Items) != 1 || list.Items[0].ApprovalID != id {
		t.Errorf("the list is %+v", list)
	}
	var a client.Approval
	p.verb("approvals", "approve", id, "--json").want(t, 0).json(t, &a)
	if a.Status != approval.Approved || a.Response.ArgsDigest != a.ArgsDigest {
		t.Errorf("it is %+v", a)
	}
}

func TestARequestIsWithdrawn(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	_, id := p.ask(p.tab(), "uname")
	p.verb("approvals", "cancel", short(id)).want(t, 0, "Withdrawn.")
	p.verb("approvals", "cancel", short(id)).want(t, 0, "Withdrawn.") // the same again
	p.verb("approvals", "deny", short(id)).want(t, 5, "it was withdrawn by ")
}

func TestWatchingPrintsRequestsAndAnswersAcrossARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	_, before := p.ask(ws, "echo before")
	text, notes, interrupt := p.background("approvals", "watch")
	lines, _, stop := p.background("approvals", "watch", "--json")
	awaits := func(b *logBuffer, what string) {
		t.Helper()
		if !b.await(what) {
			t.Fatalf("%q did not come:\n%s", what, b)
		}
	}
	awaits(notes, "Connected. What waits and what comes is printed here")
	awaits(text, short(before)+" demo: shell echo before")
	awaits(lines, before) // it is connected, too
	_, id := p.ask(ws, "echo after")
	awaits(text, short(id)+" demo: shell echo after")
	p.verb("approvals", "deny", id, "-m", "no").want(t, 0)
	awaits(text, ": no")
	awaits(lines, `"message":"no"`)
	if code := stop(); code != 130 {
		t.Errorf("it ended with %d", code)
	}
	for line := range strings.Lines(lines.String()) {
		var f frame
		if err := json.Unmarshal([]byte(line), &f); err != nil || !strings.HasPrefix(f.Event, "approvalRe") {
			t.Errorf("%v in %s", err, line)
		}
	}

	_ = p.end(syscall.SIGKILL)
	awaits(notes, "broke off")
	p = launch(t, dir)
	awaits(notes, "Connected again.")
	p.verb("approvals", "approve", before).want(t, 0)
	awaits(text, "approved by ")
	if code := interrupt(); code != 130 {
		t.Errorf("it ended with %d", code)
	}
	if n := strings.Count(text.String(), "shell echo before"); n != 2 {
		t.Errorf("the request and its answer were printed %d times:\n%s", n, text)
	}
}

func TestWhoWatchesIsAskedAboutEachRequest(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("approvals", "watch", "--ask")
	ws := p.tab()
	_, id := p.ask(ws, "echo hello")
	v.sees("echo hello")
	v.sees("Approve?")
	v.types("y\n")
	v.sees("approved by ")
	until(t, ws, "sessionEvent", `"turn.finished"`)
	_, other := p.ask(ws, "echo bye")
	v.sees("echo bye")
	v.sees("Approve?")
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"denied"}}`, other)
	v.sees("denied by owner")
	_, third := p.ask(ws, "echo again")
	v.sees("Approve?")
	v.types("\x03")
	if text := v.ends(130); strings.Count(text, "somebody else") != 1 { // about the second, not the third
		t.Errorf("it said:\n%s", text)
	}
	p.verb("approvals", "show", third).want(t, 0, "no deadline")
	p.verb("approvals", "show", id).want(t, 0, "has run")
	p.verb("approvals", "watch", "--ask").want(t, 2, "needs a terminal")
}

func TestSessionsAreListedShownReadAndEnded(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	p.verb("sessions").want(t, 0, "There are no sessions.")
	ws := p.tab()
	session, id := p.ask(ws, "echo hello")
	p.verb("sessions").want(t, 0, short(session), "waits for 1 answer")
	p.verb("sessions", "ls", "--agent", "boss").want(t, 0, "There are no sessions.")
	p.verb("sessions", "show", short(session)).want(t, 0, session, short(id)+" shell")
	p.verb("approvals", "approve", id).want(t, 0)
	until(t, ws, "sessionEvent", `"turn.finished"`)
	talk := p.verb("sessions", "messages", session).want(t, 0).out
	if !regexp.MustCompile(`(?s)owner: run: echo hello\n.*demo: Calling shell.\n.*approved by .*│ hello`).MatchString(talk) {
		t.Errorf("it reads:\n%s", talk)
	}
	p.verb("sessions", "messages", session, "--json").want(t, 0, `"type": "message.user"`)
	p.verb("sessions", "cancel", short(session)).want(t, 0, "It takes nothing more.")
	p.verb("run", "demo", "hello", "--session", session).want(t, 1, "the session has ended")
	p.verb("sessions", "show", "ffffffff").want(t, 4)
	p.verb("sessions", "end", session).want(t, 2, `there is no "gateway sessions end"`)
}

func TestIdsAndAgentsAreCompleted(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	session, id := p.ask(p.tab(), "uname")
	complete := func(words, begun string) string {
		c := p.command(append([]string{"__complete"}, strings.Fields(words)...)...)
		c.Args = slices.Insert(c.Args, 3, c.Args[len(c.Args)-2:]...) // --data, after the verb
		c.Args = append(c.Args[:len(c.Args)-2], begun)
		out, err := c.Output()
		if err != nil {
			t.Errorf("%s: %v", words, err)
		}
		return string(out)
	}
	for want, words := range map[string]string{
		id + "\tdemo: shell uname": "approvals approve",
		session + "\t":             "sessions show",
		"hasty\n":                  "run",
		"command\n":                "approvals approve " + id + " --covers",
		"boss\n":                   "modes set",
		"auto-deny\n":              "modes set demo",
		"viewer\n":                 "tokens create x --role",
		"shell\n":                  "approvals ls --tool",
		"demo\n":                   "ask --agent",
	} {
		if out := complete(words, ""); !strings.Contains(out, want) {
			t.Errorf("%s completes to %q", words, out)
		}
	}
	for begun, want := range map[string]string{id[:9]: id + "\t", short(id)[:5]: short(id) + "\tdemo: shell uname", "zz": ":4\n"} {
		if out := complete("approvals show", begun); !strings.HasPrefix(out, want) {
			t.Errorf("%s completes to %q, want %q", begun, out, want)
		}
	}
	_ = p.end(syscall.SIGKILL)
	if out := complete("approvals show", ""); out != ":4\n" {
		t.Errorf("without a gateway it completes to %q", out)
	}
}

func TestAnAnswerIsBoundToWhatWasShown(t *testing.T) {
	const id = "00000000-0000-7000-8000-000000000001"
	const row = `{"approvalId":"` + id + `","status":"approved","type":"tool_confirmation","args":{},"argsDigest":"sha256:shown",` +
		`"response":{"status":"approved","scope":"once"}}`
	sent := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			sent <- string(body)
		}
		_, _ = io.WriteString(w, row)
	}))
	defer server.Close()
	p := &process{t: t, dir: t.TempDir()}
	t.Setenv("LINECLEAR_URL", server.URL)
	t.Setenv("LINECLEAR_TOKEN", "lct_x")
	for want, args := range map[string][]string{"sha256:shown": nil, "sha256:seen": {"--digest", "sha256:seen"}} {
		for _, verb := range []string{"approve", "deny"} {
			p.verb(append([]string{"approvals", verb, id}, args...)...).want(t, 0)
			if body := <-sent; !strings.Contains(body, `"argsDigest":"`+want+`"`) {
				t.Errorf("%s %v sent %s", verb, args, body)
			}
		}
	}
}
