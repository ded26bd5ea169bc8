package gate_test

import (
	"context"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

func TestWhatARuleClearsRunsAsTheJudgeReadIt(t *testing.T) {
	d := newDesk(t, deskOptions{judge: readingJudge(func(c approval.Case) {
		if got := string(c.Request.Args); got != `{"command":"uname"}` {
			t.Errorf("judged is %s", got)
		}
	})})
	if got := d.run(t, "a").Text; got != "ran" {
		t.Errorf("the model reads %q", got)
	}
	if got := d.args.Load(); got != `{"command":"read"}` {
		t.Errorf("it ran with %s", got)
	}
	row := d.row(t, "a")
	if string(row.Response.Edit) != `{"command":"read"}` || !row.Response.Reprinted() {
		t.Errorf("the row has %+v", row.Response)
	}
}

func TestWhatIsReadOtherwiseByTheTimeItRunsIsJudgedAgain(t *testing.T) {
	edits := []string{`{"command":"one"}`, `{"command":"two"}`, `{"command":"two"}`, `{"command":"two"}`}
	judged := 0
	d := newDesk(t, deskOptions{judge: judgeFunc(func() (approval.Verdict, error) {
		v := approval.Verdict{Effect: approval.Allow, Rule: "rules[0]", Edit: tool.JSON(edits[min(judged, len(edits)-1)])}
		judged++
		return v, nil
	})})
	d.run(t, "a")
	if got := d.args.Load(); got != `{"command":"two"}` || d.ran.Load() != 1 || d.row(t, "a").Round != 1 {
		t.Errorf("it ran %d times, with %s, in round %d", d.ran.Load(), got, d.row(t, "a").Round)
	}
}

// readingJudge allows every call, as something else.
type readingJudge func(approval.Case)

func (f readingJudge) Judge(_ context.Context, c approval.Case) (approval.Verdict, error) {
	f(c)
	return approval.Verdict{Effect: approval.Allow, Rule: "rules[0]", Edit: tool.JSON(`{"command":"read"}`)}, nil
}
