package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// login is a tool of an agent of this gateway. What its calls depend on is now.
type login struct{ now *string }

func (login) Spec() tool.Spec {
	return tool.Spec{Name: "login", Schema: tool.JSON(`{"type":"object","properties":{"user":{"type":"string"},"password":{"type":"string"}}}`)}
}

func (login) Run(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "logged in"}, nil
}

func (l login) Preview(context.Context, tool.Call) (tool.Preview, error) {
	return tool.Preview{
		FileHash: *l.now, Diff: "--- f\n+++ f\n@@ -1 +1,2 @@\n-a\n", Omitted: 3, Added: 2, Removed: 1,
		Rest: "+password: hunter2hunter2\n+to " + *l.now + "\n",
	}, nil
}

// gatedCall is a call of it on its way.
type gatedCall struct {
	sessionID string
	asked     chan approval.Request
	done      chan tool.Result
	now       string
}

func (g *opened) callLogin(t *testing.T) *gatedCall {
	t.Helper()
	c := &gatedCall{asked: make(chan approval.Request, 9), done: make(chan tool.Result, 1), now: "one"}
	waiting := func(ctx context.Context, r approval.Request) (approval.Response, error) {
		c.asked <- r
		<-ctx.Done()
		return approval.Response{}, ctx.Err()
	}
	gated, err := g.manager.Agent("demo", gate.AgentOptions{Handler: approval.HandlerFunc(waiting)}).Guard(login{&c.now}, approval.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	c.sessionID = s.ID
	go func() {
		result, err := gated.Run(t.Context(), tool.Call{ID: "c", SessionID: s.ID, Tool: "login", Args: tool.JSON(`{"user":"ada"}`)})
		if err != nil {
			result = tool.Failed(err.Error())
		}
		c.done <- result
	}()
	return c
}

func TestAnAnswerByTheCallThatComesTwiceDoesNotAnswerTheNextRound(t *testing.T) {
	g := openGate(t)
	c := g.callLogin(t)
	first := <-c.asked
	path := "/api/sessions/" + c.sessionID + "/approvals/c"
	c.now = "two"
	g.want(t, 200, "POST", path, `{"decision":"approve"}`, g.person)
	second := <-c.asked
	if second.Round != 1 {
		t.Fatalf("it was not asked again: round %d", second.Round)
	}
	if response, body := g.ask(t, "POST", path, `{"decision":"approve"}`, g.person); response.StatusCode != 409 || !strings.Contains(body, "send its round, which is 1") {
		t.Errorf("the repetition got %d %s", response.StatusCode, body)
	}
	if response, body := g.ask(t, "POST", path, `{"decision":"approve","round":2}`, g.person); response.StatusCode != 422 || !strings.Contains(body, "no round 2") {
		t.Errorf("a round that is not valid got %d %s", response.StatusCode, body)
	}
	for round, want := range []string{first.ApprovalID, second.ApprovalID} {
		g.ask(t, "POST", path, fmt.Sprintf(`{"decision":"approve","round":%d}`, round), g.person)
		v := g.want(t, 200, "GET", "/api/approvals/"+want, "", g.person)
		if v.Status == approval.Pending {
			t.Errorf("round %d was not reached", round)
		}
		if other := g.want(t, 200, "GET", "/api/approvals/"+second.ApprovalID, "", g.person); round == 0 && other.Status != approval.Pending {
			t.Error("an answer to round 0 reached round 1")
		}
	}
	if r := <-c.done; r.IsError {
		t.Errorf("it came to %s", r.Text)
	}
}

func TestWhatIsChangedInACallIsMaskedWhereItIsShown(t *testing.T) {
	g := openGate(t)
	c := g.callLogin(t)
	at, in := "/api/approvals/"+(<-c.asked).ApprovalID, "/api/sessions/"+c.sessionID
	_, answered := g.ask(t, "POST", at, `{"status":"approved","edit":{"password":"hunter2hunter2"}}`, g.person)
	if r := <-c.done; r.IsError {
		t.Fatal(r.Text)
	}
	for path, body := range map[string]string{"the answer": answered, at: "", in + "/events": "", in + "/messages": ""} {
		if body == "" {
			_, body = g.ask(t, "GET", path, "", g.person)
		}
		if strings.Contains(body, "hunter2") || !strings.Contains(body, "ada") {
			t.Errorf("%s shows %s", path, body)
		}
	}
}

func TestTheWholeDiffIsShownBesideTheRequestAndMasked(t *testing.T) {
	g := openGate(t)
	c := g.callLogin(t)
	id := (<-c.asked).ApprovalID
	want := `{"fileHash":"one","diff":"--- f\n+++ f\n@@ -1 +1,2 @@\n-a\n+password: ⟦masked⟧\n+to one\n","omitted":1,"added":2,"removed":1}`
	wantWhole := func(when string) {
		t.Helper()
		response, body := g.ask(t, "GET", "/api/approvals/"+id+"/change", "", g.person)
		if response.StatusCode != 200 || strings.TrimSpace(body) != want {
			t.Errorf("%s: %d %s", when, response.StatusCode, body)
		}
	}
	wantWhole("while it waits")
	for _, path := range []string{"/api/approvals/" + id, "/api/approvals", "/api/sessions/" + c.sessionID + "/events", "/api/sessions/" + c.sessionID} {
		if _, body := g.ask(t, "GET", path, "", g.person); strings.Contains(body, "to one") || strings.Contains(body, "hunter2") {
			t.Errorf("%s shows %s", path, body)
		}
	}
	c.now = "two" // the file has changed since
	g.want(t, 200, "POST", "/api/approvals/"+id, `{"status":"denied"}`, g.person)
	<-c.done
	wantWhole("once it is denied")
	if response, body := g.ask(t, "GET", "/api/approvals/"+id+"/change", "", g.loginAs(t, "robot", auth.Agent)); response.StatusCode != 403 {
		t.Errorf("a program that did not ask gets %d %s", response.StatusCode, body)
	}
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	if _, body := g.ask(t, "GET", "/api/approvals/"+asked.ApprovalID+"/change", "", g.person); strings.TrimSpace(body) != "{}" {
		t.Errorf("what changes no file is %s", body)
	}
}
