// Package apiclients drives a real gateway with clients that are generated from the
// description of its API. It is a module of its own: what generates them is no part of the
// program. make api-clients generates and runs them.
package apiclients

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	made "github.com/lineclear/lineclear/internal/apiclients/dist"
)

const config = `
gateway: {localKey: answers, askerGrace: 1s}
models: {demo: {provider: scripted}}
agents: {demo: {model: demo}}
`

// gateway is a running one, with a token of a program and one of a person.
type gateway struct {
	url, asker, approver string
	dir                  string
	serve                *exec.Cmd
}

func start(t *testing.T) *gateway {
	t.Helper()
	g := &gateway{dir: t.TempDir(), url: "http://127.0.0.1:0"}
	if err := os.Mkdir(filepath.Join(g.dir, "file"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, "file", "agents.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	g.run(t)
	t.Cleanup(g.kill)
	for role, token := range map[string]*string{"agent": &g.asker, "approver": &g.approver} {
		secret, err := g.command("tokens", "create", role, "--role", role).Output()
		if err != nil {
			t.Fatal(err)
		}
		*token = strings.TrimSpace(string(secret))
	}
	return g
}

func (g *gateway) command(args ...string) *exec.Cmd {
	c := exec.Command(os.Getenv("LINECLEAR_BIN"), append(args, "--data", filepath.Join(g.dir, "data"))...)
	c.Env = append(os.Environ(), "LINECLEAR_PRINT_LINK=1", "XDG_CACHE_HOME="+g.dir, "XDG_CONFIG_HOME="+g.dir, "XDG_STATE_HOME="+g.dir)
	c.Stderr = os.Stderr
	return c
}

// run starts the program, the second time at the address that it had.
func (g *gateway) run(t *testing.T) {
	t.Helper()
	g.serve = g.command("serve", "--config", filepath.Join(g.dir, "file", "agents.yaml"), "--listen", strings.TrimPrefix(g.url, "http://"))
	out, err := g.serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.serve.Start(); err != nil {
		t.Fatal(err)
	}
	g.url = ""
	for lines := bufio.NewScanner(out); g.url == "" && lines.Scan(); {
		g.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(lines.Text())
	}
}

func (g *gateway) kill() {
	_ = g.serve.Process.Kill()
	_ = g.serve.Wait()
}

func (g *gateway) client(t *testing.T, token string) *made.ClientWithResponses {
	t.Helper()
	c, err := made.NewClientWithResponses(g.url, made.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAGeneratedTypeScriptClientDrivesTheGateway(t *testing.T) {
	g := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "node", "dist/js/client.js")
	run.Env = append(os.Environ(), "LINECLEAR_URL="+g.url, "ASKER="+g.asker, "APPROVER="+g.approver)
	run.Stderr = os.Stderr
	says, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	hears, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(says); lines.Scan(); { // it wants the gateway to be killed and started again
		g.kill()
		g.run(t)
		if _, err := hears.Write([]byte("done\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestAGeneratedGoClientDrivesTheGateway(t *testing.T) {
	g := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	program, person := g.client(t, g.asker), g.client(t, g.approver)
	stream, err := person.StreamEvents(ctx, &made.StreamEventsParams{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()

	first := ask(ctx, t, program, "staging")
	seen(t, stream, "approvalRequest", first.ApprovalId)
	approve, deny := made.AnswerBodyStatusApproved, made.AnswerBodyStatusDenied
	approved, err := person.AnswerApprovalWithResponse(ctx, first.ApprovalId, made.AnswerBody{Status: &approve})
	if err != nil || approved.JSON200 == nil || approved.JSON200.Status != made.ApprovalStatusApproved {
		t.Fatalf("approving: %s, %v", approved.Body, err)
	}
	again, err := person.AnswerApprovalWithResponse(ctx, first.ApprovalId, made.AnswerBody{Status: &deny})
	if err != nil || again.ApplicationproblemJSON409 == nil {
		t.Fatalf("denying as well: %s, %v", again.Body, err)
	}
	if p := again.ApplicationproblemJSON409; p.Code != made.AnsweredProblemCodeAlreadyDecided || p.Response == nil || p.Response.Status != made.ResponseStatusApproved {
		t.Errorf("the refusal is %s", again.Body)
	}
	claimed, err := program.ClaimApprovalWithResponse(ctx, first.ApprovalId)
	if err != nil || claimed.JSON200 == nil || claimed.JSON200.Args.(map[string]any)["to"] != "staging" {
		t.Fatalf("claiming: %s, %v", claimed.Body, err)
	}
	reported, err := program.ReportResultWithResponse(ctx, first.ApprovalId, made.ResultInput{Text: "deployed"})
	if err != nil || reported.JSON200 == nil || reported.JSON200.Run != made.ApprovalRunFinished {
		t.Fatalf("reporting: %s, %v", reported.Body, err)
	}

	second, why, wait := ask(ctx, t, program, "production"), "not on a Friday", "10s"
	if answer, err := person.AnswerApprovalWithResponse(ctx, second.ApprovalId, made.AnswerBody{Status: &deny, Message: &why}); err != nil || answer.JSON200 == nil {
		t.Fatalf("denying: %s, %v", answer.Body, err)
	}
	told, err := program.GetApprovalWithResponse(ctx, second.ApprovalId, &made.GetApprovalParams{Wait: &wait})
	if err != nil || told.JSON200 == nil || told.JSON200.Response == nil {
		t.Fatalf("the program is told %s, %v", told.Body, err)
	}
	if r := told.JSON200.Response; r.Reason == nil || *r.Reason != made.ResponseReasonUserDenied || r.Message == nil || *r.Message != why {
		t.Errorf("the program is told %s", told.Body)
	}
}

func TestAGeneratedGoClientMeetsWhatCanHappenToARequest(t *testing.T) {
	g := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := driver{t, ctx, g.client(t, g.asker), g.client(t, g.approver)}
	yes, wait := made.AnswerBodyStatusApproved, "30s"

	edited := d.ask(made.AskBody{Args: map[string]any{"to": "staging"}, Editable: new(true)})
	d.answer(edited, made.AnswerBody{Status: &yes, Edit: map[string]any{"to": "moon"}})
	if args := d.claim(edited); args.(map[string]any)["to"] != "moon" {
		t.Errorf("changed, it runs %v", args)
	}
	d.ended(d.ask(made.AskBody{ExpiresIn: new("1s")}), made.ResponseReasonTimeout)
	withdrawn := d.ask(made.AskBody{})
	if got, err := d.program.CancelApprovalWithResponse(ctx, withdrawn.ApprovalId, made.CancelApprovalJSONRequestBody{}); err != nil || got.JSON200 == nil {
		t.Errorf("withdrawing: %s, %v", got.Body, err)
	}
	d.ended(withdrawn, made.ResponseReasonAskerGone)

	asking, leave := context.WithCancel(ctx)
	go func() {
		_, _ = d.program.RequestApprovalWithResponse(asking, &made.RequestApprovalParams{Wait: &wait}, made.AskBody{ToolName: new("left")})
	}()
	left := d.pending("left")
	leave()
	d.ended(left, made.ResponseReasonAskerGone)

	large := d.ask(made.AskBody{Args: map[string]any{"file": strings.Repeat("x", 1<<20-200)}})
	g.kill()
	g.run(t)
	d.answer(large, made.AnswerBody{Status: &yes})
	if args := d.claim(large); len(args.(map[string]any)["file"].(string)) != 1<<20-200 {
		t.Error("not the whole of a mebibyte runs")
	}

	session, covers := made.AnswerBodyScopeSession, made.GrantTermsInputCoversTool
	one, other := d.begin("one"), d.begin("other")
	d.answer(d.ask(made.AskBody{SessionId: &one}), made.AnswerBody{Status: &yes, Scope: &session, Grant: &made.GrantTermsInput{Covers: &covers}})
	if again := d.ask(made.AskBody{SessionId: &one}); again.Status != made.ApprovalStatusApproved {
		t.Errorf("in the same run it is %s", again.Status)
	}
	if inherits := d.ask(made.AskBody{SessionId: &other}); inherits.Status != made.ApprovalStatusPending {
		t.Errorf("in another run it is %s", inherits.Status)
	}
}

// driver is a generated client of a program and one of a person.
type driver struct {
	t               *testing.T
	ctx             context.Context
	program, person *made.ClientWithResponses
}

func (d driver) ask(body made.AskBody) *made.Approval {
	d.t.Helper()
	body.ToolName = new("deploy")
	asked, err := d.program.RequestApprovalWithResponse(d.ctx, &made.RequestApprovalParams{}, body)
	if err != nil || asked.JSON201 == nil {
		d.t.Fatalf("asking: %v", err)
	}
	return asked.JSON201
}

func (d driver) answer(a *made.Approval, body made.AnswerBody) {
	d.t.Helper()
	if answer, err := d.person.AnswerApprovalWithResponse(d.ctx, a.ApprovalId, body); err != nil || answer.JSON200 == nil {
		d.t.Fatalf("answering: %v", err)
	}
}

func (d driver) claim(a *made.Approval) any {
	d.t.Helper()
	claimed, err := d.program.ClaimApprovalWithResponse(d.ctx, a.ApprovalId)
	if err != nil || claimed.JSON200 == nil {
		d.t.Fatalf("claiming: %v", err)
	}
	return claimed.JSON200.Args
}

// ended waits until a request is settled, as a person sees it.
func (d driver) ended(a *made.Approval, reason made.ResponseReason) {
	d.t.Helper()
	got, err := d.person.GetApprovalWithResponse(d.ctx, a.ApprovalId, &made.GetApprovalParams{Wait: new("30s")})
	if err != nil || got.JSON200 == nil || got.JSON200.Response == nil || got.JSON200.Response.Reason == nil || *got.JSON200.Response.Reason != reason {
		d.t.Errorf("it ended as %s, %v, want %s", got.Body, err, reason)
	}
}

// pending waits for the request about a tool.
func (d driver) pending(tool string) *made.Approval {
	d.t.Helper()
	for {
		list, err := d.person.ListApprovalsWithResponse(d.ctx, &made.ListApprovalsParams{Status: new(made.ListApprovalsParamsStatusPending)})
		if err != nil || list.JSON200 == nil {
			d.t.Fatalf("listing: %v", err)
		}
		for _, a := range list.JSON200.Approvals {
			if a.ToolName != nil && *a.ToolName == tool {
				return &a
			}
		}
	}
}

func (d driver) begin(name string) (sessionID string) {
	d.t.Helper()
	run, err := d.program.BeginRunWithResponse(d.ctx, made.RunBody{Name: &name})
	if err != nil || run.JSON201 == nil {
		d.t.Fatalf("beginning a run: %v", err)
	}
	return run.JSON201.SessionId
}

func ask(ctx context.Context, t *testing.T, program *made.ClientWithResponses, to string) *made.Approval {
	t.Helper()
	name := "deploy"
	asked, err := program.RequestApprovalWithResponse(ctx, &made.RequestApprovalParams{}, made.AskBody{ToolName: &name, Args: map[string]any{"to": to}})
	if err != nil || asked.JSON201 == nil {
		t.Fatalf("asking: %s, %v", asked.Body, err)
	}
	return asked.JSON201
}

// seen reads a stream up to an event that has a text.
func seen(t *testing.T, stream *http.Response, event, text string) {
	t.Helper()
	lines, is := bufio.NewScanner(stream.Body), false
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := bytes.CutPrefix(lines.Bytes(), []byte("event: ")); ok {
			is = string(name) == event
		}
		if is && strings.Contains(lines.Text(), text) {
			return
		}
	}
	t.Fatalf("the stream ended without %s: %v", event, lines.Err())
}
