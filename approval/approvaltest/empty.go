package approvaltest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func empty(t *testing.T, f Fixture) {
	nothing := tool.JSON("{}")
	sessionID := f.session(t)
	call := Request(t, sessionID, "call-1")
	call.Args = nothing
	question := Request(t, sessionID, "call-2")
	question.Type, question.ToolName, question.Message, question.Args = approval.Elicitation, "", "Which?", nil
	for name, c := range map[string]struct {
		asked  approval.Request
		answer approval.Response
		result tool.Result
	}{
		"everything empty":  {call, approval.Response{Edit: nothing, FormData: nothing}, tool.Result{Text: "ran", Structured: nothing}},
		"everything absent": {question, approval.Response{}, tool.Result{Text: "ran"}},
	} {
		row := f.create(t, approval.New(c.asked))
		c.answer.ApprovalID, c.answer.Status, c.answer.By = row.ApprovalID, approval.Approved, approval.By{Subject: "ada"}
		_, err := f.Store.Settle(t.Context(), c.answer, nil)
		wantErr(t, err, nil)
		f = f.again(t)
		got := f.row(t, row.ApprovalID)
		if diff := cmp.Diff([]tool.JSON{c.asked.Args, c.answer.Edit, c.answer.FormData}, []tool.JSON{got.Args, got.Response.Edit, got.Response.FormData}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if row.Type != approval.ToolConfirmation {
			continue
		}
		_, err = f.Store.Claim(t.Context(), row.ApprovalID, 0, Holds)
		wantErr(t, err, nil)
		wantErr(t, f.Store.Finish(t.Context(), row.ApprovalID, c.result), nil)
		events, err := f.again(t).Log.Events(t.Context(), sessionID, 0, 0)
		wantErr(t, err, nil)
		var told session.ToolResult
		wantErr(t, events[len(events)-1].Decode(&told), nil)
		wantEqual(t, told.Result, c.result)
	}
}
