package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// serveNotes is an MCP server as a program: it notes, asks, and waits.
func serveNotes() {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	type note struct {
		Text string `json:"text"`
	}
	say := func(format string, args ...any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}, nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in note) (*mcp.CallToolResult, any, error) {
		if err := os.WriteFile("notes.txt", []byte(in.Text), 0o600); err != nil {
			return nil, nil, err
		}
		return say("added %s, and see a key: %q", in.Text, os.Getenv("OPENAI_API_KEY"))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "choose"}, func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		a, answered := r.Params.InputResponses["book"].(*mcp.ElicitResult)
		if answered {
			return say("%s %v", a.Action, a.Content["book"])
		}
		return &mcp.CallToolResult{RequestState: "asked", InputRequests: mcp.InputRequestMap{"book": &mcp.ElicitParams{
			Mode: "form", Message: "Which book?",
			RequestedSchema: tool.JSON(`{"type":"object","properties":{"book":{"type":"string"}},"required":["book"]}`),
		}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "picture"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: make([]byte, 150_000)}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: strconv.Itoa(os.Getpid()),
		})
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	s.AddReceivingMiddleware(noteCapabilities)
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if os.Getenv("STUBBORN") != "" { // it outlives whoever started it
		signal.Ignore(syscall.SIGTERM)
		waiting := make(chan os.Signal, 1)
		signal.Notify(waiting, syscall.SIGUSR1)
		<-waiting
	}
}

// noteCapabilities adds a line to a file with what the client says that it can do.
func noteCapabilities(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if path := os.Getenv("CAPABILITIES"); path != "" && method == "tools/list" {
			said := fmt.Sprintln(req.GetParams().GetMeta()["io.modelcontextprotocol/clientCapabilities"])
			f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return nil, err
			}
			if _, err := f.WriteString(said); err != nil {
				return nil, err
			}
			if err := f.Close(); err != nil {
				return nil, err
			}
		}
		return next(ctx, method, req)
	}
}

const served = `
models: {demo: {provider: scripted}}
mcpServers: {notes: {command: notes-server}}
agents:
  demo:
    model: demo
    mcp: {notes: }
    toolConfirmation:
      rules: [{tool: notes__add, args: {text: {glob: "*secret*"}}, effect: deny, reason: not that}]
`

// serves starts a gateway whose agent has the tools of an MCP server.
func serves(t *testing.T, dir string) *desk {
	t.Helper()
	return launchWith(t, "gateway", dir, served, "OPENAI_API_KEY=sk-of-the-gateway").desk("demo")
}

// call has the agent make a call of the server's.
func (d *desk) call(line string) (approval.Request, *approval.Response) {
	d.t.Helper()
	send(d.t, d.ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, d.session, "call notes__"+line)
	return d.next()
}

func (d *desk) approve(r approval.Request) {
	d.t.Helper()
	send(d.t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, r.ApprovalID)
}

// result is the next result of a call of the session.
func (d *desk) result() string {
	d.t.Helper()
	var r session.ToolResult
	read(d.t, until(d.t, d.ws, "sessionEvent", `"tool.result"`), &r)
	return r.Result.Text
}

func TestACallOfAnMCPServerRunsOnlyAfterItWasCleared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := serves(t, dir)
	r, _ := d.call(`add {"text": "hello"}`)
	if _, err := os.Stat(dir + "/agents/notes.txt"); err == nil {
		t.Fatal("it ran before it was cleared")
	}
	d.approve(r)
	if got := d.result(); got != `added hello, and see a key: ""` {
		t.Errorf("it came to %q", got)
	}
	if got, err := os.ReadFile(dir + "/agents/notes.txt"); err != nil || string(got) != "hello" {
		t.Errorf("the file has %q, %v", got, err)
	}
	d.over()
	if _, answer := d.call(`add {"text": "a secret"}`); answer == nil || answer.Status != approval.Denied {
		t.Errorf("what a rule denies got %+v", answer)
	}
}

func TestAQuestionOfAnMCPServerIsAnsweredLikeAnyOther(t *testing.T) {
	t.Parallel()
	d := serves(t, t.TempDir())
	for answer, want := range map[string]string{
		`"status":"approved","formData":{"book":"blue"}`: "accept blue",
		`"status":"denied"`:    "decline <nil>",
		`"status":"cancelled"`: "cancel <nil>",
	} {
		call, _ := d.call("choose")
		d.approve(call)
		question, _ := d.next()
		if question.Type != approval.Elicitation || question.Origin.Kind != approval.OriginServer || question.Origin.Client != "notes" ||
			question.Message != "Which book?" || !strings.HasPrefix(question.ToolCallID, call.ToolCallID+"/") {
			t.Errorf("the question is %+v", question)
		}
		send(t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,%s}}`, question.ApprovalID, answer)
		if got := d.result(); got != want {
			t.Errorf("%s: the server hears %q", answer, got)
		}
		d.over()
	}
}

func TestAQuestionIsOverWhenItsCallIs(t *testing.T) {
	t.Parallel()
	d := serves(t, t.TempDir())
	call, _ := d.call("choose")
	d.approve(call)
	question, _ := d.next()
	send(t, d.ws, `{"event":"cancel","data":{"sessionId":%q}}`, d.session)
	var answer approval.Response
	read(t, until(t, d.ws, "sessionEvent", question.ApprovalID), &answer)
	if answer.Status != approval.Cancelled {
		t.Errorf("it is %+v", answer)
	}
	d.over()
}

func TestAQuestionWhoseGatewayDiedIsWithdrawnAndTheCallNotRunAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := serves(t, dir)
	call, _ := d.call("choose")
	d.approve(call)
	question, _ := d.next()
	if err := d.end(syscall.SIGKILL); err == nil {
		t.Fatal("it was not killed")
	}
	p := launchWith(t, "gateway", dir, served)
	ws := p.tab()
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, d.session)
	again := &desk{process: p, ws: ws, session: d.session}
	for found := map[string]bool{}; len(found) < 2; {
		f := until(t, ws, "sessionEvent", "")
		switch {
		case strings.Contains(string(f.Data), `"approval.resolved"`) && strings.Contains(string(f.Data), question.ApprovalID):
			var answer approval.Response
			read(t, f, &answer)
			if answer.Status != approval.Cancelled || answer.Reason != approval.SystemCancelled {
				t.Errorf("the question is %+v", answer)
			}
			found["question"] = true
		case strings.Contains(string(f.Data), `"tool.result"`):
			if !strings.Contains(string(f.Data), "Outcome unknown") {
				t.Errorf("the call came to %s", f.Data)
			}
			found["call"] = true
		}
	}
	r, _ := again.call(`add {"text": "after"}`)
	again.approve(r)
	if got := again.result(); !strings.HasPrefix(got, "added after") {
		t.Errorf("the next call came to %q", got)
	}
}

func TestAProgramThatOutlivesItsGatewayIsEndedByTheNext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stubborn := strings.ReplaceAll(served, "{command: notes-server}", `{command: notes-server, env: {STUBBORN: "1"}}`)
	d := launchWith(t, "gateway", dir, stubborn).desk("demo")
	r, _ := d.call("wait")
	d.approve(r)
	var p session.Progress
	if err := json.Unmarshal(until(t, d.ws, "progress", r.ToolCallID).Data, &p); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(p.Message)
	if err != nil {
		t.Fatal(err)
	}
	_ = d.end(syscall.SIGKILL)
	runs := func() bool { // what is dead and not looked after has no command line
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err == nil && len(line) > 0
	}
	if !runs() {
		t.Fatal("it did not outlive its gateway")
	}
	next := launchWith(t, "gateway", dir, stubborn)
	next.tab()
	if runs() {
		t.Error("it is still there")
	}
	if err := next.end(syscall.SIGTERM); err != nil { // with its own program
		t.Errorf("the next ended with %v", err)
	}
}

func TestAnMCPServerThatIsKilledInTheMiddleOfACallLeavesTheSessionWhole(t *testing.T) {
	t.Parallel()
	d := serves(t, t.TempDir())
	r, _ := d.call("wait")
	d.approve(r)
	var p session.Progress
	if err := json.Unmarshal(until(t, d.ws, "progress", r.ToolCallID).Data, &p); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(p.Message)
	if err != nil || p.Done != 1 || p.Total != 2 {
		t.Fatalf("its progress is %+v", p)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := d.result(); !strings.Contains(got, "notes ended while the call ran; what the call did is not known") {
		t.Errorf("the call came to %q", got)
	}
	d.over()
	for {
		r, _ := d.call(`add {"text": "after"}`)
		d.approve(r)
		if got := d.result(); strings.HasPrefix(got, "added after") {
			return
		} else if !strings.Contains(got, "can't be used") && !strings.Contains(got, "again") {
			t.Fatalf("the next call came to %q", got)
		}
		d.over()
	}
}

func TestValidateConnectSaysOfItselfWhatASessionSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := dir + "/capabilities"
	yaml := strings.ReplaceAll(served, "{command: notes-server}", `{command: notes-server, env: {CAPABILITIES: "`+path+`"}}`)
	d := launchWith(t, "gateway", dir, yaml).desk("demo")
	r, _ := d.call(`add {"text": "hello"}`)
	d.approve(r)
	d.result()
	c := exec.Command("gateway", "validate", "--connect", "--config", "agents.yaml")
	c.Dir = dir + "/agents"
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if err != nil || len(lines) < 2 || !strings.Contains(lines[0], "elicitation") || !strings.Contains(lines[0], "roots") {
		t.Fatalf("heard were %q, %v", lines, err)
	}
	if diff := cmp.Diff(lines[0], lines[len(lines)-1]); diff != "" {
		t.Errorf("(-session +validate):\n%s", diff)
	}
}

func TestValidateConnectSaysWhatItFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check := func(yaml string, code int, wants ...string) {
		t.Helper()
		if err := os.WriteFile(dir+"/agents.yaml", []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("gateway", "validate", "--connect")
		c.Dir = dir
		out, err := c.CombinedOutput()
		if got := (&process{t: t}).code(err); got != code {
			t.Errorf("it ended with %d, want %d", got, code)
		}
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
	}
	check(served, 0, "model demo: needs no connection", "MCP server notes: notes 1, MCP ", "notes__add", "notes__wait")
	broken := strings.NewReplacer("notes-server", "no-such-program", "{demo: {provider: scripted}}", "{demo: {provider: scripted}, gpt: {provider: openai, name: n}}")
	check(broken.Replace(served)+"  keyless: {model: gpt}\n", exitError,
		"model gpt: FAILED: ", "there is no key", "MCP server notes: FAILED: ", "no-such-program")
	check(strings.Replace(served, "{notes: }", `{notes: {only: [add, "lst_*"], except: [wiat]}}`, 1), exitError,
		`mcp.notes.only: "lst_*" matches no tool of the server (there are add, choose, picture, wait)`, `mcp.notes.except: "wiat" matches no tool`)
}

func TestWordsThatAreTalkAnswerNothing(t *testing.T) {
	t.Parallel()
	d := serves(t, t.TempDir())
	r, _ := d.call(`add {"text": "hello"}`)
	for _, said := range []string{`"text":"yes","talk":true`, `"text":"no"`} {
		send(t, d.ws, `{"event":"message","data":{"sessionId":%q,"seen":1000,`+said+`}}`, d.session)
	}
	var answer approval.Response
	if err := json.Unmarshal(until(t, d.ws, "approvalResponse", r.ApprovalID).Data, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status != approval.Denied {
		t.Errorf("it was %s", answer.Status)
	}
}
