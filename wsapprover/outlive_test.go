package wsapprover_test

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

func TestARunOutlivesEveryTab(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, sqlite bool) {
		g := start(t, setup{sqlite: sqlite})
		tab := g.tab(t)
		id := g.session(t)
		tab.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
		r := as[approval.Request](t, tab.until("approvalRequest"))
		_ = tab.ws.Close() // nobody watches any more
		ended := g.bus.Subscribe(64, session.Events)
		defer ended.Close()
		if _, err := g.manager.Decide(t.Context(), ada(), approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved}); err != nil {
			t.Fatal(err)
		}
		for {
			e, err := ended.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s, _ := session.Events.From(e); s.Type == session.TypeTurnFinished {
				break
			}
		}
		late := g.tab(t)
		late.send("subscribe", "s", map[string]any{"session": id})
		if words := late.lastWords(t); words != "echo: hello\n" {
			t.Errorf("the agent said %q", words)
		}
	})
}
