package transcript_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

// room is a door to a manager in memory, whose agent only listens.
type room struct {
	*transcript.Door
	manager *gate.Manager
	log     *session.Memory
	session string
}

func newRoom(t *testing.T) *room {
	t.Helper()
	return newRoomUnder(t, func(grants approval.Grants) approval.Judge { return approval.Plain{Grants: grants} })
}

func newRoomUnder(t *testing.T, rules func(approval.Grants) approval.Judge) *room {
	t.Helper()
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	r := &room{log: session.NewMemory(b)}
	rows := approval.NewMemory(b, r.log)
	r.manager = gate.NewManager(rows, promises, rules(rows), gate.Options{})
	r.manager.Agent("demo", gate.AgentOptions{Handler: waits()})
	r.Door = transcript.New(transcript.Backend{Approvals: r.manager, Sessions: r.log, Agents: listener{r.log}})
	r.session = r.begin(t, session.Session{AgentID: "demo"})
	return r
}

// waits is asked and never answers.
func waits() approval.Handler {
	return approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
		<-ctx.Done()
		return approval.Response{}, ctx.Err()
	})
}

func (r *room) begin(t *testing.T, s session.Session) string {
	t.Helper()
	s, err := r.log.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// listener writes down what it is told.
type listener struct{ log *session.Memory }

func (l listener) Send(ctx context.Context, who auth.Identity, id, text string) (int64, error) {
	if !who.May(auth.Talk) {
		return 0, auth.ErrForbidden
	}
	e, err := l.log.Append(ctx, id, session.UserMessage{Text: text, By: who.Subject})
	return e.Seq, err
}

// ask puts a request and returns it.
func (r *room) ask(t *testing.T, request approval.Request) approval.Request {
	t.Helper()
	if request.SessionID == "" {
		request.SessionID = r.session
	}
	if request.Args == nil {
		request.Args = tool.JSON(`{"command":"uname"}`)
	}
	request.AgentID, request.Origin.Run = "demo", "one"
	row, err := r.manager.Open(t.Context(), auth.Identity{Subject: "program", Roles: []auth.Role{auth.Agent}}, request)
	if err != nil || row.Status != approval.Pending {
		t.Fatalf("asked, and it is %s: %v", row.Status, err)
	}
	return row.Request
}

func (r *room) shell(t *testing.T, command string) approval.Request {
	t.Helper()
	return r.ask(t, approval.Request{ToolName: "shell", Args: tool.JSON(`{"command":"` + command + `"}`)})
}

// seq is the number of the session's newest event.
func (r *room) seq(t *testing.T) int64 {
	t.Helper()
	s, err := r.log.Get(t.Context(), r.session)
	if err != nil {
		t.Fatal(err)
	}
	return s.Seq
}

// journal is the session's events but the first and the requests, in short.
func (r *room) journal(t *testing.T) []string {
	t.Helper()
	events, err := r.log.Events(t.Context(), r.session, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var short []string
	for _, e := range events {
		switch e.Type {
		case session.TypeApprovalResolved:
			var a approval.Response
			if err := e.Decode(&a); err != nil {
				t.Fatal(err)
			}
			short = append(short, strings.TrimSpace(strings.Join([]string{string(a.Status), string(a.Scope), a.By.Subject, string(a.By.Via), a.Message}, " ")))
		case session.TypeUserMessage:
			var m session.UserMessage
			if err := e.Decode(&m); err != nil {
				t.Fatal(err)
			}
			short = append(short, m.By+" says "+m.Text)
		case session.TypeGrantGiven:
			var g approval.Grant
			if err := e.Decode(&g); err != nil {
				t.Fatal(err)
			}
			short = append(short, "remembered "+g.Covers.Text)
		case session.TypeCreated, session.TypeApprovalRequested:
		default:
			short = append(short, string(e.Type))
		}
	}
	return short
}

func (r *room) wantJournal(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, r.journal(t)); diff != "" {
		t.Errorf("the journal (-want +got):\n%s", diff)
	}
}

func ada() auth.Identity { return identity("ada", auth.Approver, auth.Operator) }

func identity(subject string, roles ...auth.Role) auth.Identity {
	return auth.Identity{Subject: subject, Roles: roles}
}

func answer(id, content string) transcript.Message {
	return transcript.Message{Role: transcript.Tool, ToolCallID: transcript.CallID(id), Content: content}
}

func TestAToolMessageAnswersTheRequestThatItNames(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"approve":              {`{"decision":"approve"}`, []string{"approved once ada chat"}},
		"approve for session":  {`{"decision":"approve","scope":"session"}`, []string{"approved session ada chat", "remembered exactly this call"}},
		"unlimited is session": {`{"decision":"approve","scope":"unlimited"}`, []string{"approved session ada chat", "remembered exactly this call"}},
		"deny with a reason":   {`{"decision":"deny","message":"not now"}`, []string{"denied  ada chat not now"}},
		"cancel":               {`{"decision":"cancel"}`, []string{"cancelled  ada chat"}},
		"approved":             {`{"approved":true,"scope":"once"}`, []string{"approved once ada chat"}},
		"not approved":         {`{"approved":false}`, []string{"denied  ada chat"}},
		"what it is about":     {`{"decision":"approve","toolName":"shell","toolArgs":{ "command":"two" }}`, []string{"approved once ada chat"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			r.shell(t, "one")
			asked := r.shell(t, "two")
			r.shell(t, "three")
			row, err := r.Post(t.Context(), ada(), "chat", r.session, answer(asked.ApprovalID, c.content))
			if err != nil || row.ApprovalID != asked.ApprovalID {
				t.Errorf("got %s, %v", row.ApprovalID, err)
			}
			r.wantJournal(t, c.want...)
		})
	}
}

func TestAToolMessageThatIsNoAnswerDecidesNothing(t *testing.T) {
	r := newRoom(t)
	asked := r.shell(t, "uname")
	id, approve := asked.ApprovalID, `{"decision":"approve"}`
	elsewhere := r.begin(t, session.Session{AgentID: "demo"})
	for name, c := range map[string]struct {
		who     auth.Identity
		session string
		message transcript.Message
		want    error
	}{
		"of a viewer":                   {identity("v", auth.Viewer), r.session, answer(id, approve), auth.ErrForbidden},
		"of one who may only talk":      {identity("o", auth.Operator), r.session, answer(id, approve), auth.ErrForbidden},
		"of an agent that is an admin":  {identity("a", auth.Agent, auth.Admin), r.session, answer(id, approve), auth.ErrForbidden},
		"of another session":            {ada(), elsewhere, answer(id, approve), approval.ErrForeign},
		"of no session":                 {ada(), "", answer(id, approve), approval.ErrForeign},
		"about nothing":                 {ada(), r.session, answer("01a20000-0000-7000-8000-000000000000", approve), approval.ErrUnknown},
		"with the id alone":             {ada(), r.session, transcript.Message{Role: transcript.Tool, ToolCallID: id, Content: approve}, approval.ErrInvalid},
		"of a user":                     {ada(), r.session, transcript.Message{Role: transcript.User, Content: approve}, transcript.ErrNotTool},
		"of an assistant":               {ada(), r.session, transcript.Message{Role: transcript.Assistant, ToolCallID: transcript.CallID(id), Content: approve}, transcript.ErrNotTool},
		"of nobody":                     {ada(), r.session, transcript.Message{ToolCallID: transcript.CallID(id), Content: approve}, transcript.ErrNotTool},
		"misspelt":                      {ada(), r.session, answer(id, `{"decision":"aprove"}`), approval.ErrInvalid},
		"in both forms":                 {ada(), r.session, answer(id, `{"decision":"approve","approved":false}`), approval.ErrInvalid},
		"about another tool":            {ada(), r.session, answer(id, `{"decision":"approve","toolName":"read"}`), approval.ErrDigest},
		"about other arguments":         {ada(), r.session, answer(id, `{"decision":"approve","toolArgs":{"command":"ls"}}`), approval.ErrDigest},
		"about another folder":          {ada(), r.session, answer(id, `{"decision":"approve","workingDirectory":"/tmp"}`), approval.ErrDigest},
		"that says who it was":          {ada(), r.session, answer(id, `{"decision":"approve","by":{"subject":"eve","via":"x"}}`), approval.ErrInvalid},
		"that is cut off":               {ada(), r.session, answer(id, `{"decision":"approve"`), approval.ErrInvalid},
		"that begins with a denial too": {ada(), r.session, answer(id, `{"decision":"deny"}{"decision":"approve"}`), approval.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := r.Post(t.Context(), c.who, "chat", c.session, c.message); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			r.wantJournal(t)
		})
	}
	if row, err := r.manager.Get(t.Context(), id); err != nil || row.Status != approval.Pending {
		t.Errorf("the request is %s, %v", row.Status, err)
	}
}

func TestTheSameToolMessageAgainIsAcknowledgedAndAnotherRefused(t *testing.T) {
	r := newRoom(t)
	id := r.shell(t, "uname").ApprovalID
	post := func(who auth.Identity, content string) (approval.Approval, error) {
		return r.Post(t.Context(), who, "chat", r.session, answer(id, content))
	}
	first, err := post(ada(), `{"decision":"deny"}`)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := post(ada(), `{"approved":false}`); err != nil || again.Response.Rev != first.Response.Rev {
		t.Errorf("the repetition: %+v, %v", again.Response, err)
	}
	for who, content := range map[string]string{"ada": `{"decision":"approve"}`, "bob": `{"decision":"deny"}`} {
		stands, err := post(identity(who, auth.Approver), content)
		if !errors.Is(err, approval.ErrDecided) || stands.Status != approval.Denied {
			t.Errorf("%s got %s, %v", who, stands.Status, err)
		}
	}
	r.wantJournal(t, "denied  ada chat")
}

// alwaysOnly offers the session's scope by its other name.
type alwaysOnly struct{ approval.Plain }

func (a alwaysOnly) Judge(ctx context.Context, c approval.Case) (approval.Verdict, error) {
	v, err := a.Plain.Judge(ctx, c)
	v.Scopes = []approval.Scope{approval.Once, approval.Always}
	return v, err
}

func TestASessionsScopeIsGivenByTheNameThatTheRequestHasForIt(t *testing.T) {
	r := newRoomUnder(t, func(grants approval.Grants) approval.Judge { return alwaysOnly{approval.Plain{Grants: grants}} })
	id := r.shell(t, "one").ApprovalID
	if _, err := r.Post(t.Context(), ada(), "chat", r.session, answer(id, `{"decision":"approve","scope":"session"}`)); err != nil {
		t.Error(err)
	}
	r.shell(t, "two")
	r.say(t, "approve all")
	r.wantJournal(t, "approved always ada chat", "remembered exactly this call", "approved always ada chat", "remembered exactly this call")
}

func ids(said transcript.Said) []string {
	var list []string
	for _, w := range said.Listed {
		list = append(list, w.ApprovalID)
	}
	slices.Sort(list)
	return list
}
