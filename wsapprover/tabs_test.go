package wsapprover_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/wsapprover"
)

func TestAThousandTabsAllGetTheRequestAndItsEnd(t *testing.T) {
	t.Parallel()
	const n = 1000
	g := start(t, setup{places: auth.NewPlaces(2000, 0)})
	tabs := make([]*client, n)
	for i := range tabs {
		tabs[i] = g.tab(t)
	}
	tabs[0].send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	r := as[approval.Request](t, tabs[0].until("approvalRequest"))
	tabs[n-1].send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "approved"})
	for i, tab := range tabs {
		if i > 0 {
			if got := as[approval.Request](t, tab.until("approvalRequest")); got.ApprovalID != r.ApprovalID {
				t.Fatalf("tab %d got %s", i, got.ApprovalID)
			}
		}
		if got := as[approval.Response](t, tab.until("approvalResponse")); got.ApprovalID != r.ApprovalID || got.By.Subject != "ada" {
			t.Fatalf("tab %d was told %+v", i, got)
		}
	}
}

func TestATabThatNeverReadsIsCutOffAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const events = 300
	g := start(t, setup{limits: wsapprover.Limits{QueueFrames: 32, QueueBytes: 4 << 20}})
	id := g.session(t)
	quick, stuck := g.tab(t), g.tab(t)
	for _, tab := range []*client{quick, stuck} {
		tab.send("subscribe", "s", map[string]any{"session": id})
		tab.reply("s")
	}
	text := strings.Repeat("x", 100<<10)
	for i := range events {
		if _, err := g.log.Append(t.Context(), id, session.UserMessage{Text: text}); err != nil {
			t.Fatal(err)
		}
		if e := as[session.Event](t, quick.until("sessionEvent")); e.Seq != int64(i+2) {
			t.Fatalf("the quick tab got event %d as number %d", e.Seq, i+2)
		}
	}
	last := int64(1)
	for {
		f, err := stuck.read()
		if err != nil {
			// Its close frame may not have got through what it did not read.
			var closed *websocket.CloseError
			if errors.As(err, &closed) && closed.Code != websocket.CloseTryAgainLater && closed.Code != websocket.CloseAbnormalClosure {
				t.Errorf("closed with %d", closed.Code)
			}
			break
		}
		e := as[session.Event](t, f)
		if e.Seq != last+1 {
			t.Fatalf("the stuck tab got event %d after %d", e.Seq, last)
		}
		last = e.Seq
	}
	if last >= events {
		t.Errorf("the stuck tab was never cut off: it got up to event %d", last)
	}
	if _, slow := g.hub.Tabs(); slow != 1 {
		t.Errorf("%d tabs were too slow", slow)
	}
	again := g.tab(t)
	again.send("subscribe", "s", map[string]any{"session": id, "after": last})
	for want := last + 1; want <= events+1; want++ {
		if e := as[session.Event](t, again.until("sessionEvent")); e.Seq != want {
			t.Fatalf("resumed with event %d, want %d", e.Seq, want)
		}
	}
}

func TestWhoFollowsASessionGetsEveryEventOnceWhateverIsGoingOn(t *testing.T) {
	t.Parallel()
	const writers, each, followers = 4, 100, 8
	both(t, func(t *testing.T, sqlite bool) {
		g := start(t, setup{sqlite: sqlite, limits: wsapprover.Limits{QueueFrames: 2000}})
		id := g.session(t)
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range each {
					if _, err := g.log.Append(context.Background(), id, session.UserMessage{Text: "x"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for n := range followers {
			tab := g.tab(t)
			all.Go(func() {
				after := int64(n * 10)
				tab.send("subscribe", "s", map[string]any{"session": id, "after": after})
				for want := after + 1; want <= writers*each+1; want++ {
					e := as[session.Event](t, tab.until("sessionEvent"))
					for e.Type == session.TypeCreated && e.Seq < want { // as every tab gets it, before it followed
						e = as[session.Event](t, tab.until("sessionEvent"))
					}
					if e.Seq != want {
						t.Errorf("got event %d, want %d", e.Seq, want)
						return
					}
				}
			})
		}
		all.Wait()
	})
}

func TestWhoUnsubscribesGetsOnlyWhatChangesTheStatus(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	id := g.session(t)
	tab := g.tab(t)
	tab.send("subscribe", "s", map[string]any{"session": id, "after": 1})
	tab.reply("s")
	add := func(body session.Body) int64 {
		t.Helper()
		e, err := g.log.Append(t.Context(), id, body)
		if err != nil {
			t.Fatal(err)
		}
		return e.Seq
	}
	if seq := add(session.UserMessage{Text: "followed"}); as[session.Event](t, tab.until("sessionEvent")).Seq != seq {
		t.Error("who follows is not told")
	}
	tab.send("unsubscribe", "u", map[string]any{"session": id})
	tab.reply("u")
	unseen := add(session.UserMessage{Text: "not followed"})
	ended := add(session.Ended{Outcome: session.Cancelled})
	if e := as[session.Event](t, tab.until("sessionEvent")); e.Seq != ended {
		t.Errorf("it is told of event %d of type %s", e.Seq, e.Type)
	}
	tab.send("subscribe", "again", map[string]any{"session": id, "after": unseen - 1})
	if e := as[session.Event](t, tab.until("sessionEvent")); e.Seq != unseen {
		t.Errorf("who follows again from %d is told of %d", unseen-1, e.Seq)
	}
}

func TestALongJournalReachesATabWhoseQueueIsShort(t *testing.T) {
	t.Parallel()
	const events = 500
	g := start(t, setup{limits: wsapprover.Limits{QueueFrames: 16}})
	id := g.session(t)
	for range events {
		if _, err := g.log.Append(t.Context(), id, session.UserMessage{Text: strings.Repeat("x", 4<<10)}); err != nil {
			t.Fatal(err)
		}
	}
	tab := g.tab(t)
	tab.send("subscribe", "s", map[string]any{"session": id})
	for want := int64(1); want <= events+1; want++ {
		if e := as[session.Event](t, tab.until("sessionEvent")); e.Seq != want {
			t.Fatalf("got event %d, want %d", e.Seq, want)
		}
	}
	if got := as[ack](t, tab.reply("s")); got.Seq != events+1 {
		t.Errorf("acknowledged up to %d", got.Seq)
	}
}

// halting says some words, waits, and says the rest.
type halting struct{ waiting, goOn chan struct{} }

func (h halting) Generate(_ context.Context, _ model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	onDelta(model.Delta{Text: "half "})
	onDelta(model.Delta{Text: "of it "})
	close(h.waiting)
	<-h.goOn
	onDelta(model.Delta{Text: "and the rest"})
	return model.Reply{Text: "half of it and the rest"}, nil
}

func TestALateTabIsGivenWhatHasBeenSaidOfAMessageSoFar(t *testing.T) {
	t.Parallel()
	h := halting{make(chan struct{}), make(chan struct{})}
	g := start(t, setup{model: h})
	id := g.session(t)
	early := g.tab(t)
	early.send("subscribe", "s", map[string]any{"session": id})
	early.reply("s")
	if _, err := g.agent.Send(t.Context(), ada(), id, "go"); err != nil {
		t.Fatal(err)
	}
	<-h.waiting
	early.until("delta")
	early.until("delta") // the hub has both
	late := g.tab(t)
	late.send("subscribe", "s", map[string]any{"session": id})
	if d := as[session.Delta](t, late.until("delta")); d.Text != "half of it " || d.Offset != 0 {
		t.Errorf("it was given %+v", d)
	}
	close(h.goOn)
	if d := as[session.Delta](t, late.until("delta")); d.Text != "and the rest" || d.Offset != len("half of it ") {
		t.Errorf("it went on with %+v", d)
	}
	if words := late.lastWords(t); words != "half of it and the rest" {
		t.Errorf("the whole is %q", words)
	}
}

func TestAStopAsksEveryTabToReconnectAndLeavesRequestsPending(t *testing.T) {
	t.Parallel()
	g, tab, _ := asked(t)
	other := g.tab(t)
	if open, slow := g.hub.Tabs(); open != 2 || slow != 0 || !g.hub.Running() {
		t.Errorf("%d tabs, %d too slow, running %t", open, slow, g.hub.Running())
	}
	g.stopHub()
	for _, c := range []*client{tab, other} {
		if code := c.closed(); code != websocket.CloseServiceRestart {
			t.Errorf("closed with %d", code)
		}
	}
	if g.hub.Running() {
		t.Error("it runs on")
	}
	g.wantPending(t, 1)
}

func TestCancelFromATabWithdrawsOneRequestOrStopsTheSession(t *testing.T) {
	t.Parallel()
	_, tab, r := asked(t)
	tab.send("cancel", "c", map[string]any{"approvalId": r.ApprovalID})
	if got := as[ack](t, tab.reply("c")); got.Response.Status != approval.Cancelled || got.Response.Reason != approval.UserCancelled {
		t.Errorf("acknowledged with %+v", got.Response)
	}
	_, tab, r = asked(t)
	tab.send("cancel", "c", map[string]any{"sessionId": r.SessionID})
	acknowledged, told := false, false
	for !acknowledged || !told { // in either order
		switch f := tab.next(); f.Event {
		case "ack":
			acknowledged = acknowledged || f.ID == "c"
		case "approvalResponse":
			told = true
			if got := as[approval.Response](t, f); got.Status != approval.Cancelled || got.By.Subject != "ada" {
				t.Errorf("told %+v", got)
			}
		}
	}
}
