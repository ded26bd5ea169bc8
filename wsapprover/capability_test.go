package wsapprover_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
)

// hello says what a tab can do.
func (c *client) hello(capabilities ...string) {
	c.t.Helper()
	c.send("hello", "hello", map[string]any{"client": "test", "capabilities": append([]string{}, capabilities...)})
	if f := c.reply("hello"); f.Event != "ack" {
		c.t.Fatalf("hello: %s %s", f.Event, f.Data)
	}
}

func TestOnlyATabThatSaysItTakesApprovalsCountsAsSomebodyWhoIsThere(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab := g.tab(t)
	for _, step := range []struct {
		what     string
		say      func()
		attended bool
	}{
		{"nothing was said", func() {}, false},
		{"the capability", func() { tab.hello("elicitation", "approvals") }, true},
		{"another one", func() { tab.hello("clientTools") }, false},
		{"the capability again", func() { tab.hello("approvals") }, true},
		{"none", func() { tab.hello() }, false},
	} {
		step.say()
		if g.hub.Attended("demo") != step.attended {
			t.Errorf("%s: attended %v", step.what, !step.attended)
		}
	}
}

func TestATabThatHasSaidNothingIsSentRequestsAndMayAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab := g.tab(t)
	tab.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	r := as[approval.Request](t, tab.until("approvalRequest"))
	tab.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "approved"})
	if f := tab.reply("a"); f.Event != "ack" {
		t.Errorf("it got %s %s", f.Event, f.Data)
	}
}

// refusedAnswers sends every answer that a WebSocket can carry, and expects that
// each is refused for want of the capability.
func refusedAnswers(t *testing.T, g *gateway, tab *client, sessionID, approvalID, words string) {
	t.Helper()
	for id, frame := range map[string]struct {
		event string
		data  map[string]any
	}{
		"a response":   {"approvalResponse", map[string]any{"approvalId": approvalID, "status": "approved"}},
		"a cancel":     {"cancel", map[string]any{"approvalId": approvalID}},
		"all at once":  {"cancelWaiting", map[string]any{"all": true}},
		"a word":       {"message", map[string]any{"sessionId": sessionID, "text": "approve", "seen": 1 << 40}},
		"a named word": {"message", map[string]any{"sessionId": sessionID, "text": "deny " + approvalID}},
	} {
		tab.send(frame.event, id, frame.data)
		f := tab.reply(id)
		got := as[failure](t, f)
		if f.Event != "error" || got.Code != "no_capability" || !strings.Contains(got.Message, words) || !strings.Contains(got.Message, `"capabilities": ["approvals"]`) {
			t.Errorf("%s: %s %s", id, f.Event, f.Data)
		}
	}
	if row, err := g.manager.Get(context.Background(), approvalID); err != nil || row.Status != approval.Pending {
		t.Errorf("it is %s, %v", row.Status, err)
	}
}

func TestATabWhoseHelloLeavesApprovalsOutCanNotAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab, id := g.tab(t), g.session(t)
	tab.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
	r := as[approval.Request](t, tab.until("approvalRequest"))
	tab.hello("clientTools")
	refusedAnswers(t, g, tab, id, r.ApprovalID, "its hello does not list")
	tab.send("message", "t", map[string]any{"sessionId": id, "text": "yes", "talk": true})
	if f := tab.reply("t"); f.Event != "ack" || as[ack](t, f).Seq == 0 {
		t.Errorf("what is for the agent got %s %s", f.Event, f.Data)
	}
	tab.send("cancel", "c", map[string]any{"sessionId": id})
	if f := tab.reply("c"); f.Event != "ack" {
		t.Errorf("stopping the turn got %s %s", f.Event, f.Data)
	}
	idle := g.session(t)
	tab.send("message", "y", map[string]any{"sessionId": idle, "text": "yes"})
	if f := tab.reply("y"); f.Event != "ack" || as[ack](t, f).Seq == 0 {
		t.Errorf("a word where nothing waits got %s %s", f.Event, f.Data)
	}
}

func TestATabThatTakesUpApprovalsLaterIsShownWhatWaits(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab, other := g.tab(t), g.tab(t)
	tab.hello()
	other.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	other.until("approvalRequest")
	tab.send("hello", "again", map[string]any{"capabilities": []string{"approvals"}})
	if s := tab.until("snapshot"); !strings.Contains(string(s.Data), `"toolName":"echo"`) {
		t.Errorf("it was shown %s", s.Data)
	}
}

func TestWhereAHelloIsRequiredNothingIsAskedAndNothingAnsweredBefore(t *testing.T) {
	t.Parallel()
	g := start(t, setup{requireHello: true})
	asking, id := g.connect(t, ada()), g.session(t)
	if f := asking.next(); f.Event != "welcome" {
		t.Fatalf("first frame is %s", f.Event)
	}
	asking.hello("approvals")
	mute := g.connect(t, ada())
	asking.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
	r := as[approval.Request](t, asking.until("approvalRequest"))
	refusedAnswers(t, g, mute, id, r.ApprovalID, "before its hello")
	mute.send("hello", "h", map[string]any{"capabilities": []string{"approvals"}})
	for {
		f := mute.next()
		if f.Event == "approvalRequest" {
			t.Fatalf("it was sent %s", f.Data)
		}
		if f.Event != "snapshot" {
			continue
		}
		if !strings.Contains(string(f.Data), r.ApprovalID) {
			t.Errorf("after its hello it was shown %s", f.Data)
		}
		break
	}
	mute.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "denied"})
	if f := mute.reply("a"); f.Event != "ack" {
		t.Errorf("after its hello its answer got %s %s", f.Event, f.Data)
	}
}

func TestWhereAHelloIsRequiredATabWithoutApprovalsIsShownSessionsAndNoRequests(t *testing.T) {
	t.Parallel()
	g := start(t, setup{requireHello: true})
	asking, id := g.connect(t, ada()), g.session(t)
	asking.hello("approvals")
	asking.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
	r := as[approval.Request](t, asking.until("approvalRequest"))
	lamp := g.connect(t, ada())
	lamp.send("hello", "h", map[string]any{"capabilities": []string{"clientTools"}})
	s := lamp.until("snapshot")
	if !strings.Contains(string(s.Data), `"pending":[]`) || !strings.Contains(string(s.Data), id) {
		t.Errorf("it was shown %s", s.Data)
	}
	refusedAnswers(t, g, lamp, id, r.ApprovalID, "its hello does not list")
}
