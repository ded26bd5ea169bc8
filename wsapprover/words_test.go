package wsapprover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
)

func TestTheAckOfWordsSaysWhatTheyAnswered(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab := g.tab(t)
	id := g.session(t)
	tab.send("message", "m", map[string]any{"sessionId": id, "text": "hello"})
	r := as[approval.Request](t, tab.until("approvalRequest"))

	tab.send("message", "early", map[string]any{"sessionId": id, "text": "approve", "seen": 1})
	early := as[ack](t, tab.reply("early"))
	if early.Note == "" || len(early.Answered) > 0 || early.Seq > 0 {
		t.Errorf("words about what was not seen: %+v", early)
	}

	tab.send("message", "now", map[string]any{"sessionId": id, "text": "approve", "seen": 1000})
	now := as[ack](t, tab.reply("now"))
	if diff := cmp.Diff([]string{r.ApprovalID}, now.Answered); diff != "" || now.Note == "" || now.Seq > 0 {
		t.Errorf("answered %+v (-want +got):\n%s", now, diff)
	}
}
