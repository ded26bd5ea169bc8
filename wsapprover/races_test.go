package wsapprover_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// However a cancel falls into a turn, nothing of the turn is left over: no
// request waits, no turn is open, every call has its result, and what was
// cancelled does not run with the next message.
func TestACancelAtAnyMomentLeavesNothingOver(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ran []string
	g := start(t, setup{sqlite: true, timeout: gate.NoTimeout, tools: []agent.Tool{{Tool: echo{ran: func(c tool.Call) {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, string(c.Args))
	}}}}})
	events := g.bus.Subscribe(1<<16, session.Events)
	defer events.Close()
	for n := range 200 {
		id := g.session(t)
		if _, err := g.agent.Send(t.Context(), ada(), id, "dangerous"); err != nil {
			t.Fatal(err)
		}
		// Cancel as the n-th of the turn's first events is published.
		for seen := 0; seen < n%6; {
			e, err := events.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s, _ := session.Events.From(e); s.SessionID == id {
				seen++
			}
			if s, _ := session.Events.From(e); s.SessionID == id && s.Type == session.TypeApprovalRequested {
				break
			}
		}
		if err := g.agent.Cancel(t.Context(), ada(), "test", id); err != nil {
			t.Fatal(err)
		}
		g.wantNothingOpen(t, id)
	}
	if len(ran) != 0 {
		t.Errorf("%d calls ran: %v", len(ran), ran)
	}
}

func (g *gateway) wantNothingOpen(t *testing.T, id string) {
	t.Helper()
	s, err := g.log.Get(t.Context(), id)
	if err != nil || s.TurnOpen && s.Seq > 2 {
		t.Errorf("the session is %+v, %v", s, err)
	}
	if list, err := g.manager.Pending(t.Context(), id); err != nil || len(list) != 0 {
		t.Errorf("%d requests are pending, %v", len(list), err)
	}
	journal, err := g.log.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var conv session.Conversation
	for _, e := range journal {
		if err := conv.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if open := conv.Open(); len(open) != 0 {
		t.Errorf("%d calls have no result", len(open))
	}
}

func TestAHubThatEndsWhileTabsComeEnds(t *testing.T) {
	t.Parallel()
	for range 20 {
		g := start(t, setup{})
		var coming sync.WaitGroup
		for range 8 {
			coming.Go(func() {
				ws, _, err := g.dial(issue(t, g.tickets, ada()), http.Header{"Origin": {g.server.URL}})
				if err != nil {
					return // it came too late
				}
				defer func() { _ = ws.Close() }()
				for {
					if _, _, err := ws.ReadMessage(); err != nil {
						return
					}
				}
			})
		}
		g.stopHub()
		<-g.hubEnded
		g.hubEnded <- context.Canceled // for the cleanup, which waits too
		g.server.CloseClientConnections()
		coming.Wait()
	}
}

func TestOnlyAnApprovalCanBeViewed(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab := g.tab(t)
	tab.send("viewing", "v", map[string]any{"approvalId": strings.Repeat("x", 200<<10)})
	if got := as[failure](t, tab.reply("v")); got.Code != "invalid" {
		t.Errorf("told %+v", got)
	}
}

// stubborn is a tool that takes its time to end.
type stubborn struct{ started, end chan struct{} }

func (stubborn) Spec() tool.Spec { return tool.Spec{Name: "echo"} }

func (s stubborn) Run(context.Context, tool.Call) (tool.Result, error) {
	close(s.started)
	<-s.end
	return tool.Result{Text: "ended"}, nil
}

func TestATabGoesOnWhileItsCancelTakesTime(t *testing.T) {
	t.Parallel()
	tl := stubborn{make(chan struct{}), make(chan struct{})}
	g := start(t, setup{
		tools: []agent.Tool{{Tool: tl, Terms: approval.Terms{Need: approval.NeedNone}}},
	})
	tab := g.tab(t)
	id := g.session(t)
	tab.send("message", "m", map[string]any{"sessionId": id, "text": "go"})
	<-tl.started
	tab.send("cancel", "c", map[string]any{"sessionId": id})
	tab.send("viewing", "v", map[string]any{"approvalId": ""})
	if f := tab.reply("v"); f.Event != "ack" {
		t.Errorf("another frame got %s", f.Event)
	}
	close(tl.end)
	if f := tab.reply("c"); f.Event != "ack" {
		t.Errorf("the cancel got %s", f.Event)
	}
}

func TestASubscriptionThatCanNotBeMadeIsToldSo(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab := g.tab(t)
	tab.send("subscribe", "s", map[string]any{"session": "nowhere"})
	if got := as[failure](t, tab.reply("s")); got.Code != "unknown_session" {
		t.Errorf("told %+v", got)
	}
	_ = tab.ws.WriteControl(websocket.CloseMessage, nil, time.Now().Add(patience))
}
