package wsapprover_test

import (
	"testing"

	"github.com/lineclear/lineclear/session"
)

func TestHowFarACallIsIsToldToWhoFollowsItsSession(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	follower, other := g.tab(t), g.tab(t)
	id := g.session(t)
	follower.send("subscribe", "s", map[string]any{"session": id})
	follower.reply("s")
	for _, tab := range []*client{follower, other} {
		tab.send("viewing", "v", map[string]any{"approvalId": ""})
		tab.reply("v")
	}
	session.Progresses.Publish(g.bus, session.Progress{SessionID: id, CallID: "c", Done: 1, Total: 4, Message: "reading"})
	session.Progresses.Publish(g.bus, session.Progress{SessionID: "another", CallID: "d", Done: 1})
	session.Progresses.Publish(g.bus, session.Progress{SessionID: id, CallID: "c", Done: 2})
	first := as[session.Progress](t, follower.until("progress"))
	second := as[session.Progress](t, follower.until("progress"))
	if first.CallID != "c" || first.Total != 4 || first.Message != "reading" || second.CallID != "c" || second.Done != 2 {
		t.Errorf("the follower is told %+v and %+v", first, second)
	}
	other.send("viewing", "w", map[string]any{"approvalId": ""})
	for f := other.next(); f.ID != "w"; f = other.next() {
		if f.Event == "progress" {
			t.Errorf("who does not follow is told %s", f.Data)
		}
	}
}
