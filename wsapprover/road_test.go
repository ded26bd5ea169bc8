package wsapprover_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// both runs a test over the memory store and over SQLite.
func both(t *testing.T, test func(t *testing.T, sqlite bool)) {
	for name, sqlite := range map[string]bool{"memory": false, "SQLite": true} {
		t.Run(name, func(t *testing.T) { test(t, sqlite) })
	}
}

func TestACallWaitsForOneTabAndEveryTabLearnsWhoDecided(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, sqlite bool) {
		g := start(t, setup{sqlite: sqlite})
		one, two := g.tab(t), g.tab(t)
		id := g.session(t)
		two.send("subscribe", "s", map[string]any{"session": id})
		one.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
		wanted := as[approval.Request](t, one.until("approvalRequest"))
		shown := as[approval.Request](t, two.until("approvalRequest"))
		if wanted.ApprovalID != shown.ApprovalID || string(shown.Args) != `{"text":"hello"}` || shown.WorkingDirectory != "/work" {
			t.Fatalf("the tabs were shown %+v and %+v", wanted, shown)
		}
		one.send("approvalResponse", "a", map[string]any{
			"approvalId": shown.ApprovalID, "status": "approved", "argsDigest": shown.ArgsDigest,
		})
		for _, tab := range []*client{one, two} {
			told := as[approval.Response](t, tab.until("approvalResponse"))
			if told.ApprovalID != shown.ApprovalID || told.Status != approval.Approved ||
				told.By != (approval.By{Subject: "ada", Via: "websocket"}) {
				t.Errorf("a tab was told %+v", told)
			}
		}
		for {
			e := as[session.Event](t, two.until("sessionEvent"))
			if e.Type != session.TypeToolResult {
				continue
			}
			var r session.ToolResult
			if err := e.Decode(&r); err != nil || r.Result.Text != "echo: hello" {
				t.Errorf("the result is %+v, %v", r, err)
			}
			return
		}
	})
}

func TestTheReasonOfADenialIsWhatTheModelReads(t *testing.T) {
	t.Parallel()
	g := start(t, setup{tools: []agent.Tool{{Tool: echo{ran: func(tool.Call) { t.Error("a denied call ran") }}}}})
	tab := g.tab(t)
	id := g.session(t)
	tab.send("subscribe", "s", map[string]any{"session": id})
	tab.send("message", "m", map[string]any{"sessionId": id, "text": "rm"})
	r := as[approval.Request](t, tab.until("approvalRequest"))
	tab.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "denied", "message": "not on a Friday"})
	if words := tab.lastWords(t); !strings.Contains(words, "Denied by ada: not on a Friday.") {
		t.Errorf("the model read %q", words)
	}
}

// lastWords reads up to the end of the turn, and returns what the agent said.
func (c *client) lastWords(t *testing.T) string {
	t.Helper()
	var words string
	for {
		e := as[session.Event](t, c.until("sessionEvent"))
		switch e.Type {
		case session.TypeAssistantMessage:
			var m session.AssistantMessage
			if err := e.Decode(&m); err != nil {
				t.Fatal(err)
			}
			words = m.Text
		case session.TypeTurnFinished:
			if words != "" { // otherwise it is news to a tab that does not follow the session yet
				return words
			}
		default:
		}
	}
}

// instant answers a request before anybody else can, as soon as it is asked.
type instant struct {
	manager *gate.Manager
	decided atomic.Int64
}

func TestAnAnswerThatComesAtOnceIsNeverLost(t *testing.T) {
	t.Parallel()
	calls := 400
	if os.Getenv("LINECLEAR_LONG") == "1" { // as make test-long has it
		calls = 2000
	}
	both(t, func(t *testing.T, sqlite bool) {
		var ran atomic.Int64
		g := start(t, setup{sqlite: sqlite, tools: []agent.Tool{{Tool: echo{ran: func(tool.Call) { ran.Add(1) }}}}})
		in := &instant{manager: g.manager}
		sub := g.bus.Subscribe(calls, approval.Requests)
		var answering sync.WaitGroup
		answering.Go(func() { in.answer(t, sub.Next, calls) })
		defer answering.Wait()
		defer sub.Close()
		const sessions = 20
		var talking sync.WaitGroup
		for range sessions {
			talking.Go(func() {
				said := strings.TrimSuffix(strings.Repeat("x\n", calls/sessions), "\n")
				if _, err := g.agent.Run(context.Background(), "", said); err != nil {
					t.Error(err)
				}
			})
		}
		talking.Wait()
		if int(in.decided.Load()) != calls || int(ran.Load()) != calls {
			t.Errorf("of %d calls %d were decided and %d ran", calls, in.decided.Load(), ran.Load())
		}
	})
}

func TestOfSixtyFourOppositeAnswersOneStandsAndAllAreTold(t *testing.T) {
	t.Parallel()
	const clients = 64
	both(t, func(t *testing.T, sqlite bool) {
		var ran atomic.Int64
		g := start(t, setup{sqlite: sqlite, tools: []agent.Tool{{Tool: echo{ran: func(tool.Call) { ran.Add(1) }}}}})
		tabs := make([]*client, clients)
		for i := range tabs {
			c := g.connect(t, auth.Identity{Subject: fmt.Sprint("person ", i), Roles: []auth.Role{auth.Admin}})
			c.until("snapshot")
			tabs[i] = c
		}
		id := g.session(t)
		tabs[0].send("subscribe", "s", map[string]any{"session": id})
		tabs[0].send("message", "m", map[string]any{"sessionId": id, "text": "once"})
		replies := make([]frame, clients)
		var answering sync.WaitGroup
		for i, c := range tabs {
			r := as[approval.Request](t, c.until("approvalRequest"))
			status := []string{"approved", "denied"}[i%2]
			answering.Go(func() {
				c.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": status})
				replies[i] = c.reply("a")
			})
		}
		answering.Wait()
		var stands approval.Response
		acks := 0
		for _, f := range replies {
			if f.Event == "ack" {
				acks++
				stands = as[ack](t, f).Response
			}
		}
		for i, f := range replies {
			if f.Event == "ack" {
				continue
			}
			told := as[failure](t, f)
			if told.Code != "already_decided" || told.Response.By != stands.By || told.Response.Status != stands.Status {
				t.Errorf("client %d was told %+v, but %+v stands", i, told, stands)
			}
		}
		tabs[0].lastWordsOf(t, id)
		want := int64(0)
		if stands.Status == approval.Approved {
			want = 1
		}
		if acks != 1 || ran.Load() != want {
			t.Errorf("%d answers were taken, the tool ran %d times, want 1 and %d", acks, ran.Load(), want)
		}
	})
}

// lastWordsOf waits for the turn's end by subscribing again, since the frames
// so far have been read.
func (c *client) lastWordsOf(t *testing.T, id string) {
	t.Helper()
	c.send("subscribe", "again", map[string]any{"session": id})
	c.lastWords(t)
}

func (in *instant) answer(t *testing.T, next func(context.Context) (bus.Event, error), calls int) {
	for range calls {
		e, err := next(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		r, _ := approval.Requests.From(e)
		_, err = in.manager.Decide(context.Background(), ada(), approval.Response{
			ApprovalID: r.ApprovalID, Status: approval.Approved, By: approval.By{Via: "test"},
		})
		if err != nil {
			t.Error(err)
			return
		}
		in.decided.Add(1)
	}
}

func TestTheVeryFirstTabMissesNothing(t *testing.T) {
	t.Parallel()
	for range 50 {
		g := start(t, setup{})
		tab := g.tab(t)
		id := g.session(t)
		if e := as[session.Event](t, tab.until("sessionEvent")); e.SessionID != id || e.Type != session.TypeCreated {
			t.Fatalf("it got %+v", e)
		}
	}
}

func TestAnAnswerThatAProgramPutsOnTheBusItselfLeavesTheCallToThePeople(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, sqlite bool) {
		var ran atomic.Int64
		g := start(t, setup{sqlite: sqlite, tools: []agent.Tool{{Tool: echo{ran: func(tool.Call) { ran.Add(1) }}}}})
		tab := g.tab(t)
		tab.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
		r := as[approval.Request](t, tab.until("approvalRequest"))
		for _, status := range []approval.Status{approval.Approved, approval.Denied} {
			approval.Responses.Publish(g.bus, approval.Response{ApprovalID: r.ApprovalID, SessionID: r.SessionID, Status: status})
		}
		tab.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "denied"})
		if got := tab.reply("a"); got.Event != "ack" || as[ack](t, got).Response.By.Subject != "ada" {
			t.Errorf("the person's answer got %s %s", got.Event, got.Data)
		}
		row, err := g.manager.Outcome(t.Context(), r.ApprovalID)
		if err != nil || row.Status != approval.Denied || ran.Load() > 0 {
			t.Errorf("it is %s, %v; ran %d times", row.Status, err, ran.Load())
		}
	})
}
