package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// family is an agent that hands every task to another one, which notes it.
type family struct {
	*agent.Roster
	log           *session.Memory
	bus           *bus.Bus
	manager       *gate.Manager
	parent, child *agent.Agent
	note          *note
}

func newFamily(t *testing.T, childHandler approval.Handler) *family {
	t.Helper()
	f := &family{note: &note{waiting: make(chan struct{}, 8)}}
	promises := gate.NewPromises()
	f.bus = bus.New(agent.Topics(), promises.Inline())
	f.log = session.NewMemory(f.bus)
	rows := approval.NewMemory(f.bus, f.log)
	f.manager = gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{})
	runtime := &agent.Runtime{Bus: f.bus, Sessions: f.log, Approvals: f.manager}
	make := func(c agent.Config) *agent.Agent {
		a, err := agent.New(c, agent.Options{Runtime: runtime})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	f.child = make(agent.Config{ID: "researcher", Handler: childHandler, Model: asks(`{"text":"ok found"}`), Tools: []agent.Tool{{Tool: f.note}}})
	f.parent = make(agent.Config{ID: "demo", Mode: approval.AutoApprove, Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if last := p.Messages[len(p.Messages)-1]; last.Role == model.ToolRole {
				return model.Reply{Text: "it says: " + last.Text}, nil
			}
			return model.Reply{Calls: []model.Call{{Name: "ask_researcher", Args: tool.JSON(`{"task":"look"}`)}}}, nil
		})})
	if err := f.parent.Add(agent.Tool{Tool: f.child.Delegate()}); err != nil {
		t.Fatal(err)
	}
	f.Roster = agent.NewRoster(runtime, f.parent, f.child)
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Stop(0); f.manager.Wait() })
	return f
}

func TestAgentsAreListedInTheOrderInWhichTheyWereGiven(t *testing.T) {
	var ids []string
	for _, a := range newFamily(t, byArgs()).Agents() {
		ids = append(ids, a.AgentID)
	}
	if !slices.Equal(ids, []string{"demo", "researcher"}) {
		t.Errorf("they are %q", ids)
	}
}

func TestASubAgentsRequestsShowItsPathAndItsAnswerComesBack(t *testing.T) {
	paths := make(chan string, 1)
	f := newFamily(t, approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		paths <- r.Origin.Parent + " in " + r.AgentID
		return approval.Response{Status: approval.Approved}, nil
	}))
	words, err := f.parent.Run(t.Context(), "", "go")
	if err != nil || words != "it says: noted ok found" {
		t.Errorf("the parent said %q, %v", words, err)
	}
	if got := <-paths; got != "demo › researcher in researcher" {
		t.Errorf("the request came from %q", got)
	}
	list, err := f.log.List(t.Context(), session.Query{})
	if err != nil || len(list) != 2 || list[0].ParentID != list[1].ID || list[0].Path != "demo › researcher" {
		t.Errorf("the sessions are %+v, %v", list, err)
	}
}

// asked waits for the child's request and returns it.
func (f *family) asked(t *testing.T, sub *bus.Subscription) approval.Request {
	t.Helper()
	e, err := sub.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, _ := approval.Requests.From(e)
	return r
}

// handOn has the parent hand on a task, and returns its session and what the
// child asks.
func (f *family) handOn(t *testing.T) (session.Session, approval.Request) {
	t.Helper()
	sub := f.bus.Subscribe(8, approval.Requests)
	defer sub.Close()
	s, err := f.parent.NewSession(t.Context(), ada(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Send(t.Context(), ada(), s.ID, "go"); err != nil {
		t.Fatal(err)
	}
	return s, f.asked(t, sub)
}

func TestASubAgentIsCancelledWithItsParentAndByItself(t *testing.T) {
	for name, which := range map[string]func(parentID, childID string) string{
		"with the parent": func(parentID, _ string) string { return parentID },
		"by itself":       func(_, childID string) string { return childID },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFamily(t, silent())
			s, r := f.handOn(t)
			over, err := f.Interrupt(t.Context(), ada(), "test", which(s.ID, r.SessionID))
			if err != nil {
				t.Fatal(err)
			}
			<-over
			child, err := f.log.Get(t.Context(), r.SessionID)
			if err != nil || child.Status != session.StatusCancelled || len(child.PendingApprovals) != 0 {
				t.Errorf("the child is %s, %v", child.Status, err)
			}
			if len(f.note.all()) != 0 {
				t.Errorf("%v ran", f.note.all())
			}
		})
	}
}

func TestAParentsGrantDoesNotCoverItsSubAgent(t *testing.T) {
	f := newFamily(t, silent())
	sub := f.bus.Subscribe(8, approval.Requests)
	defer sub.Close()
	s, err := f.parent.NewSession(t.Context(), ada(), "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Send(t.Context(), ada(), s.ID, "go"); err != nil {
			t.Fatal(err)
		}
		r := f.asked(t, sub) // asked each time: the grant is the child's session's alone
		_, err := f.manager.Decide(t.Context(), auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}}, approval.Response{
			ApprovalID: r.ApprovalID, Status: approval.Approved, Scope: approval.Session,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStoppedFamilyGoesOnWithTheSameRequest(t *testing.T) {
	f := newFamily(t, silent())
	s, r := f.handOn(t)
	f.Stop(0)
	if got, _ := f.log.Get(t.Context(), s.ID); !got.TurnOpen {
		t.Fatalf("the parent is %+v", got)
	}
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := f.bus.Subscribe(64, session.Events)
	defer ended.Close()
	if err := f.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := f.manager.Decide(t.Context(), ada(), approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved})
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := ended.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := session.Events.From(e)
		if got.SessionID == s.ID && got.Type == session.TypeAssistantMessage {
			if !strings.Contains(string(got.Data), "it says: noted ok found") {
				t.Errorf("the parent said %s", got.Data)
			}
			return
		}
	}
}

// A task that is over is over: entering its call again, as after a kill, reads
// what came of it and begins nothing.
func TestATaskThatIsOverIsNotBegunAgain(t *testing.T) {
	for name, c := range map[string]struct {
		end  session.TurnFinished
		want string
	}{
		"cancelled": {session.TurnFinished{Outcome: session.Cancelled, Message: "cancelled by ada", Heard: 2}, "did not finish: cancelled by ada"},
		"failed":    {session.TurnFinished{Outcome: session.Failed, Message: "502", Heard: 2}, "did not finish: 502"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFamily(t, silent())
			parent, err := f.parent.NewSession(t.Context(), ada(), "")
			if err != nil {
				t.Fatal(err)
			}
			child, err := f.log.Create(t.Context(), session.Session{ID: "call", AgentID: "researcher", ParentID: parent.ID})
			if err != nil {
				t.Fatal(err)
			}
			for _, body := range []session.Body{session.UserMessage{Text: "look"}, session.TurnStarted{TurnID: "1"}, c.end} {
				if _, err := f.log.Append(t.Context(), child.ID, body); err != nil {
					t.Fatal(err)
				}
			}
			r, err := f.child.Delegate().Run(t.Context(), tool.Call{
				ID: "call", SessionID: parent.ID, AgentID: "demo", Args: tool.JSON(`{"task":"look"}`),
			})
			if err != nil || !r.IsError || !strings.Contains(r.Text, c.want) {
				t.Errorf("the parent is told %+v, %v", r, err)
			}
			if events, _ := f.log.Events(t.Context(), child.ID, 4, 0); len(events) != 0 {
				t.Errorf("something was begun: %+v", events)
			}
		})
	}
}

// A sub-agent does not go on for a parent that can't.
func TestASubAgentEndsWithAParentThatHasVanished(t *testing.T) {
	f := newFamily(t, silent())
	s, r := f.handOn(t)
	f.Stop(0)
	runtime := &agent.Runtime{Bus: f.bus, Sessions: f.log, Approvals: f.manager}
	left := agent.NewRoster(runtime, f.child) // the parent is no longer in the file
	if err := left.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer left.Stop(0)
	if err := left.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{s.ID, r.SessionID} {
		got, err := f.log.Get(t.Context(), id)
		if err != nil || got.TurnOpen || got.Status != session.StatusError || len(got.PendingApprovals) != 0 {
			t.Errorf("session %s is %s, open %v, %v", got.AgentID, got.Status, got.TurnOpen, err)
		}
	}
}

// A caller whose time is over takes back its own message, not another's turn.
func TestACallersEndLeavesAnothersTurnAlone(t *testing.T) {
	f := newFamily(t, silent())
	s, r := f.handOn(t) // somebody else's turn, which waits
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.parent.Run(ctx, s.ID, "mine"); err == nil {
		t.Error("it ended well")
	}
	if got, err := f.manager.Pending(t.Context(), r.SessionID); err != nil || len(got) != 1 {
		t.Errorf("%d of the other's requests wait, %v", len(got), err)
	}
}
