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
gateway: {listen: "127.0.0.1:0", localKey: answers}
models: {demo: {provider: scripted}}
agents: {demo: {model: demo}}
`

// gateway is a running one, with a token of a program and one of a person.
type gateway struct{ url, asker, approver string }

func start(t *testing.T) gateway {
	t.Helper()
	dir, bin := t.TempDir(), os.Getenv("LINECLEAR_BIN")
	file, data := filepath.Join(dir, "file", "agents.yaml"), filepath.Join(dir, "data")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "LINECLEAR_PRINT_LINK=1", "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
	serve := exec.Command(bin, "serve", "--config", file, "--data", data)
	serve.Env, serve.Stderr = env, os.Stderr
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Kill()
		_, _ = serve.Process.Wait()
	})
	g := gateway{}
	for lines := bufio.NewScanner(out); g.url == "" && lines.Scan(); {
		g.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(lines.Text())
	}
	for role, token := range map[string]*string{"agent": &g.asker, "approver": &g.approver} {
		create := exec.Command(bin, "tokens", "create", role, "--role", role, "--data", data)
		create.Env, create.Stderr = env, os.Stderr
		secret, err := create.Output()
		if err != nil {
			t.Fatal(err)
		}
		*token = strings.TrimSpace(string(secret))
	}
	return g
}

func (g gateway) client(t *testing.T, token string) *made.ClientWithResponses {
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
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
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
