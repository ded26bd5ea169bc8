package wsapprover_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
)

func TestASecretInARequestIsMaskedInEveryFrame(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	one, two := g.tab(t), g.tab(t)
	id := g.session(t)
	two.send("subscribe", "s", map[string]any{"session": id})
	one.send("message", "m", map[string]any{"sessionId": id, "text": "curl -u ada:hunter2hunter2 x"})
	masked := func(what string, f frame) {
		t.Helper()
		if strings.Contains(string(f.Data), "hunter2") || !strings.Contains(string(f.Data), mask.Mark) {
			t.Errorf("%s: %s %s", what, f.Event, f.Data)
		}
	}
	masked("the request, to who asked for it", one.until("approvalRequest"))
	masked("the request, to another tab", two.until("approvalRequest"))
	three := g.connect(t, ada())
	masked("the request, to a tab that comes later", three.until("snapshot"))
	three.send("subscribe", "s", map[string]any{"session": id})
	for {
		f := three.until("sessionEvent")
		if as[session.Event](t, f).Type == session.TypeApprovalRequested {
			masked("the journal's request", f)
			return
		}
	}
}

func TestASecretInAnAnswerIsMaskedInEveryFrame(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	one, two := g.tab(t), g.tab(t)
	id := g.session(t)
	two.send("subscribe", "s", map[string]any{"session": id})
	one.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
	wanted := as[approval.Request](t, one.until("approvalRequest"))
	two.until("approvalRequest")
	approve := map[string]any{"approvalId": wanted.ApprovalID, "status": "approved", "edit": map[string]string{"text": "curl -u ada:hunter2hunter2 x"}}
	masked := func(what string, f frame) {
		t.Helper()
		if strings.Contains(string(f.Data), "hunter2") || !strings.Contains(string(f.Data), mask.Mark) {
			t.Errorf("%s: %s %s", what, f.Event, f.Data)
		}
	}
	one.send("approvalResponse", "first", approve)
	masked("the answer, told to everyone", one.until("approvalResponse"))
	one.send("approvalResponse", "again", approve)
	masked("its confirmation", one.reply("again"))
	one.send("approvalResponse", "late", map[string]any{"approvalId": wanted.ApprovalID, "status": "denied"})
	masked("the refusal of another", one.reply("late"))
	for {
		f := two.until("sessionEvent")
		switch as[session.Event](t, f).Type {
		case session.TypeApprovalResolved:
			masked("the journal's answer", f)
		case session.TypeToolResult:
			masked("the journal's result", f)
			return
		default:
		}
	}
}
