package wsapprover_test

import (
	"context"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// restart stops the agent, starts it again, and goes on with what is open.
func (g *gateway) restart(t *testing.T) {
	t.Helper()
	g.agent.Stop(0)
	if err := g.agent.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := g.roster().Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A cancel that has been acknowledged holds over a restart, at whatever moment
// of the turn it came.
func TestACancelHoldsOverARestart(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, sqlite bool) {
		g := start(t, setup{sqlite: sqlite, tools: []agent.Tool{{
			Tool:  echo{ran: func(c tool.Call) { t.Errorf("%s ran", c.Args) }},
			Terms: approval.Terms{}, // asked, and never answered
		}}})
		var ids []string
		for range 30 {
			id := g.session(t)
			if _, err := g.agent.Send(t.Context(), ada(), id, "dangerous"); err != nil {
				t.Fatal(err)
			}
			if err := g.agent.Cancel(t.Context(), ada(), "test", id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		g.restart(t)
		for _, id := range ids {
			if s, err := g.log.Get(t.Context(), id); err != nil || s.TurnOpen || s.Status == session.StatusActive {
				t.Errorf("after the restart the session is %s, %v", s.Status, err)
			}
			g.wantNothingOpen(t, id)
		}
	})
}

// A message that came as a turn ended is answered after a restart, although the
// turn's end stands after it in the journal.
func TestAMessageThatATurnDidNotHearIsAnsweredAfterARestart(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, sqlite bool) {
		g := start(t, setup{sqlite: sqlite, tools: []agent.Tool{{Tool: echo{}, Terms: approval.Terms{Need: approval.NeedNone}}}})
		id := g.session(t)
		for _, body := range []session.Body{
			session.UserMessage{Text: "one"},
			session.TurnStarted{TurnID: "1"},
			session.AssistantMessage{MessageID: "m", Seen: 2, Text: "re: one"},
			session.UserMessage{Text: "two"},
			session.TurnFinished{TurnID: "1", Outcome: session.Completed, Heard: 2},
		} {
			if _, err := g.log.Append(t.Context(), id, body); err != nil {
				t.Fatal(err)
			}
		}
		tab := g.tab(t)
		tab.send("subscribe", "s", map[string]any{"session": id, "after": 6})
		tab.reply("s")
		g.restart(t)
		if words := tab.lastWords(t); words != "echo: two\n" {
			t.Errorf("the agent said %q", words)
		}
	})
}

// A journal is read in pages: a tab goes live after the last one alone, whatever
// happens meanwhile.
func TestALongJournalReachesATabWholeWhileItGrows(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	s, err := g.log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	const before, during = 1200, 300
	say := func(n int) {
		for range n {
			if _, err := g.log.Append(t.Context(), s.ID, session.UserMessage{Text: "x"}); err != nil {
				t.Error(err)
			}
		}
	}
	say(before)
	tab := g.tab(t)
	tab.send("subscribe", "s", map[string]any{"session": s.ID})
	var growing sync.WaitGroup
	growing.Go(func() { say(during) })
	for want := int64(1); want <= 1+before+during; want++ {
		if e := as[session.Event](t, tab.until("sessionEvent")); e.Seq != want {
			t.Fatalf("event %d came, want %d", e.Seq, want)
		}
	}
	growing.Wait()
}
