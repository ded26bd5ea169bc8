package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

const isApproved = `{"approvalId":"a","status":"approved"}`

func TestACallThatIsTakenBackWhileItIsClaimedIsReportedAsNotRun(t *testing.T) {
	ctx, takeBack := context.WithCancelCause(t.Context())
	gone := errors.New("nobody waits")
	g, c := serve(t, says(200, isApproved), func(w http.ResponseWriter, r *http.Request) {
		takeBack(gone)
		says(200, `{"args":{},"approval":`+isApproved+`}`)(w, r)
	}, says(200, isApproved))
	_, err := c.Guard(ctx, client.Question{ToolName: "deploy", Key: "k"}, func(context.Context, tool.JSON) (tool.Result, error) {
		t.Error("it is run")
		return tool.Result{}, nil
	})
	if !errors.Is(err, gone) {
		t.Errorf("it ends with %v", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.asked) != 3 || !strings.HasPrefix(g.asked[2], "POST /api/approvals/a/result ") || !strings.Contains(g.asked[2], "before it was run") {
		t.Errorf("it was asked %q", g.asked)
	}
}

func TestWhatIsTakenBackBeforeItIsClaimedIsWithdrawn(t *testing.T) {
	ctx, takeBack := context.WithCancel(t.Context())
	takeBack()
	g, c := serve(t, says(200, `{}`))
	if args, err := c.ClaimAnswered(ctx, client.Approval{Request: approval.Request{ApprovalID: "a"}, Status: approval.Approved}); !errors.Is(err, context.Canceled) {
		t.Errorf("it may run with %s, %v", args, err)
	}
	g.wasAsked(t, `POST /api/approvals/a/cancel {"reason":"asker_gone"}`)
}
