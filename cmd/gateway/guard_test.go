package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// guards is a program that has every call of its own cleared, within a run.
type guards struct {
	*process
	client *client.Client
	run    string
	ran    []string // with these arguments
}

func newGuards(t *testing.T, name string) *guards {
	t.Helper()
	p := launch(t, t.TempDir())
	g := &guards{process: p, client: client.New(p.url, strings.TrimSpace(p.verb("tokens", "create", name, "--role", "agent").want(t, 0).out))}
	run, err := g.client.BeginRun(t.Context(), client.RunOf{Client: "deployer", Name: "one", WorkingDirectory: "/srv"})
	if err != nil {
		t.Fatal(err)
	}
	g.run = run.ID
	return g
}

// guard asks for a call and runs it when it is cleared.
func (g *guards) guard(ctx context.Context, fails error) (tool.Result, error) {
	return g.client.Guard(ctx, client.Question{SessionID: g.run, ToolName: "deploy", Args: tool.JSON(`{"to":"staging"}`), WorkingDirectory: "/srv"},
		func(_ context.Context, args tool.JSON) (tool.Result, error) {
			g.ran = append(g.ran, string(args))
			return tool.Result{Text: "deployed"}, fails
		})
}

// next waits for the one request that waits.
func (g *guards) next() (id string) {
	g.t.Helper()
	g.until("something waits", func() bool {
		ids := g.waiting()
		if len(ids) > 0 {
			id = ids[0]
		}
		return id != ""
	})
	return id
}

func TestAProgramRunsWhatIsClearedAndNothingElse(t *testing.T) {
	t.Parallel()
	g := newGuards(t, "deployer")
	for name, c := range map[string]struct {
		answer string
		fails  error
		want   error
		ran    int
	}{
		"approved":                     {`{"status":"approved"}`, nil, nil, 1},
		"approved, and the call fails": {`{"status":"approved"}`, errors.New("no such host"), errors.New("no such host"), 1},
		"denied with a reason":         {`{"status":"denied","message":"not on a Friday"}`, nil, client.ErrDenied, 0},
		"cancelled":                    {`{"status":"cancelled"}`, nil, client.ErrWithdrawn, 0},
	} {
		g.ran = nil
		over := make(chan error, 1)
		go func() {
			_, err := g.guard(t.Context(), c.fails)
			over <- err
		}()
		g.post("/api/approvals/"+g.next(), json.RawMessage(c.answer), new(map[string]any))
		err := <-over
		if len(g.ran) != c.ran || !errors.Is(err, c.want) && (err == nil || c.want == nil || err.Error() != c.want.Error()) {
			t.Errorf("%s: it ran %d times, %v", name, len(g.ran), err)
		}
		if name == "denied with a reason" && !strings.Contains(err.Error(), "not on a Friday") {
			t.Errorf("the reason is not told: %v", err)
		}
	}
}

func TestAGuardedCallOutlivesItsGateway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	g := &guards{process: p, client: client.New(p.url, strings.TrimSpace(p.verb("tokens", "create", "deployer", "--role", "agent").want(t, 0).out))}
	over := make(chan error, 1)
	go func() {
		_, err := g.guard(t.Context(), nil)
		over <- err
	}()
	id := g.next()
	_ = p.end(syscall.SIGKILL)
	again := launchProgram(t, "gateway", dir, "LISTEN="+strings.TrimPrefix(p.url, "http://"))
	again.post("/api/approvals/"+id, json.RawMessage(`{"status":"approved"}`), new(map[string]any))
	if err := <-over; err != nil || len(g.ran) != 1 {
		t.Errorf("it ran %d times, %v", len(g.ran), err)
	}
}

func TestWhoGivesUpWithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	g := newGuards(t, "deployer")
	ctx, giveUp := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := g.guard(ctx, nil)
		over <- err
	}()
	id := g.next()
	giveUp()
	if err := <-over; !errors.Is(err, context.Canceled) || len(g.ran) != 0 {
		t.Errorf("it ran %d times, %v", len(g.ran), err)
	}
	row, err := g.client.Approval(t.Context(), id, 0)
	if err != nil || row.Status != approval.Cancelled || row.Response.Reason != approval.AskerGone || row.Response.By.Subject != "deployer" {
		t.Errorf("it is %s: %+v, %v", row.Status, row.Response, err)
	}
}

// Who asks with the Go client and is killed withdraws nothing: the gateway finds it gone.
func TestTheQuestionOfAKilledAskerSettlesByItself(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strings.Replace(agents, "gateway: {", "gateway: {askerGrace: 1s, ", 1))
	token := p.token("deployer", auth.Agent)
	g := &guards{process: p, client: client.New(p.url, token)}
	asks := p.command("ask", "deploy")
	asks.Env = append(asks.Env, "LINECLEAR_URL="+p.url, "LINECLEAR_TOKEN="+token)
	if err := asks.Start(); err != nil {
		t.Fatal(err)
	}
	id := g.next()
	_ = asks.Process.Kill()
	_ = asks.Wait()
	p.until("the request is settled", func() bool { return len(p.waiting()) == 0 })
	row, err := g.client.Approval(t.Context(), id, 0)
	if err != nil || row.Status != approval.Cancelled || row.Response.Reason != approval.AskerGone || row.Response.By != approval.BySystem() {
		t.Errorf("it is %s: %+v, %v", row.Status, row.Response, err)
	}
}

func TestAskTellsTheWaysApartInWhichACallIsNotCleared(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), agents+`
toolConfirmation: {rules: [{tool: "*", effect: deny, when: 'tool == "forbidden"', reason: not here}, {tool: "*", command: ["rm *"], effect: deny}]}
`)
	for name, c := range map[string]struct {
		args   []string
		answer string // of a person, the last of these lines that is taken; empty: nobody answers
		code   int
		out    string
	}{
		"cleared":                     {[]string{"deploy", `{"to":"staging"}`, "--", "sh", "-c", "echo ran"}, `{"status":"approved"}`, 0, "ran\n"},
		"cleared, and failed":         {[]string{"deploy", "--", "sh", "-c", "exit 7"}, `{"status":"approved"}`, 9, ""},
		"without a command":           {[]string{"deploy", `{"to":"staging"}`}, `{"status":"approved"}`, 0, `{"to":"staging"}` + "\n"},
		"a person's no":               {[]string{"deploy", "--", "echo", "ran"}, `{"status":"denied"}`, 3, ""},
		"a rule's no to the command":  {[]string{"deploy", "--", "rm", "-rf", "/x"}, "", 7, ""},
		"a rule's no":                 {[]string{"forbidden", "--", "echo", "ran"}, "", 7, ""},
		"silence":                     {[]string{"deploy", "--expires", "1s", "--", "echo", "ran"}, "", 6, ""},
		"withdrawn":                   {[]string{"deploy", "--", "echo", "ran"}, `{"status":"cancelled"}`, 8, ""},
		"another command, as edited":  {[]string{"deploy", "--", "echo", "DESTROY"}, `{"status":"approved","edit":{"argv":["echo","harmless"]}}`, 0, "harmless\n"},
		"another argument, as edited": {[]string{"deploy", `{"to":"staging"}`, "--", "echo", "ran"}, `{"status":"approved","edit":{"to":"production"}}` + "\n" + `{"status":"denied"}`, 3, ""},
		"no object":                   {[]string{"deploy", "[1]"}, "", 2, ""},
		"the command twice":           {[]string{"deploy", `{"argv":["ls"]}`, "--", "echo", "ran"}, "", 2, ""},
		"nothing at all":              {nil, "", 2, ""},
	} {
		over := make(chan verb, 1)
		go func() {
			var out, failure bytes.Buffer
			asks := p.command("ask", "--run", "r")
			asks.Args = append(asks.Args, c.args...)
			asks.Stdout, asks.Stderr = &out, &failure
			over <- verb{code: p.code(asks.Run()), out: out.String(), err: failure.String()}
		}()
		if c.answer != "" {
			var id string
			p.until("it waits", func() bool {
				ids := p.waiting()
				if len(ids) > 0 {
					id = ids[0]
				}
				return id != ""
			})
			for answer := range strings.SplitSeq(c.answer, "\n") {
				p.post("/api/approvals/"+id, json.RawMessage(answer), new(map[string]any))
			}
		}
		if got := <-over; got.code != c.code || got.out != c.out {
			t.Errorf("%s: %d, want %d: %q, %q", name, got.code, c.code, got.out, got.err)
		}
	}
}

func TestAskEndsWhereThereIsNoGateway(t *testing.T) {
	t.Parallel()
	c := exec.Command("gateway", "ask", "deploy", "--", "echo", "ran")
	c.Env = append(os.Environ(), "LINECLEAR_URL=http://127.0.0.1:1", "LINECLEAR_TOKEN=lct_x")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "does not answer") {
		t.Errorf("%v: %s", err, out)
	}
}

// A token of the name of one that was revoked is another: what was approved for that one's
// runs is over.
func TestARunEndsWithItsToken(t *testing.T) {
	t.Parallel()
	g := newGuards(t, "deployer")
	over := make(chan error, 1)
	go func() {
		_, err := g.guard(t.Context(), nil)
		over <- err
	}()
	g.post("/api/approvals/"+g.next(), json.RawMessage(`{"status":"approved","scope":"session","grant":{"covers":"tool"}}`), new(map[string]any))
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	g.verb("tokens", "revoke", "deployer").want(t, 0)
	g.client = client.New(g.url, strings.TrimSpace(g.verb("tokens", "create", "deployer", "--role", "agent").want(t, 0).out))
	run, err := g.client.BeginRun(t.Context(), client.RunOf{Client: "deployer", Name: "one", WorkingDirectory: "/srv"})
	if err != nil || run.ID == g.run {
		t.Fatalf("the run is %s, it was %s, %v", run.ID, g.run, err)
	}
	if _, err := g.client.Ask(t.Context(), client.Question{SessionID: g.run, ToolName: "deploy"}); err == nil {
		t.Error("it asks in the other's run")
	}
	a, err := g.client.Ask(t.Context(), client.Question{SessionID: run.ID, ToolName: "deploy", Args: tool.JSON(`{"to":"staging"}`), WorkingDirectory: "/srv"})
	if err != nil || a.Status != approval.Pending {
		t.Errorf("the same call in its own run: %s, %v", a.Status, err)
	}
}
