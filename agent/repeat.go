package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
)

// repeats is what became of the same call before, since a person last spoke.
type repeats struct {
	denied     int // by a person, a rule, or the tool's schema
	unanswered int // timed out
}

// before counts the same call's earlier outcomes.
func (a *Agent) before(ctx context.Context, sessionID string, conv *session.Conversation, call session.ToolCall) (repeats, error) {
	var n repeats
	for _, step := range slices.Backward(conv.Steps) {
		if step.User != nil {
			break
		}
		for _, earlier := range step.Assistant.ToolCalls {
			// What was denied has a result that says so.
			if result, over := step.Results[earlier.ID]; !over || !result.Result.IsError || !sameCall(earlier, call) {
				continue
			}
			rows, err := a.runtime.Approvals.Find(ctx, approval.Query{SessionID: sessionID, ToolCallID: earlier.ID, Status: approval.Denied})
			if err != nil {
				return n, err
			}
			n.count(rows)
		}
	}
	return n, nil
}

// count takes one call's denied rows into account.
func (n *repeats) count(rows []approval.Approval) {
	var denied, unanswered bool
	for _, row := range rows {
		switch row.Response.Reason {
		case approval.UserDenied, approval.PolicyDenied, approval.ValidationFailed:
			denied = true
		case approval.Timeout:
			unanswered = true
		default: // neither a denial nor a timeout
		}
	}
	switch {
	case denied:
		n.denied++
	case unanswered:
		n.unanswered++
	}
}

// refusal says why a call is not even asked for; it is empty for most.
func (n repeats) refusal(most int) string {
	if n.denied < most {
		return ""
	}
	return fmt.Sprintf("this same call was denied %d times before (maxDenials)", n.denied)
}

func sameCall(a, b session.ToolCall) bool {
	if a.Name != b.Name {
		return false
	}
	one, err := strictjson.Canonicalize(a.Args)
	if err != nil {
		return string(a.Args) == string(b.Args)
	}
	other, err := strictjson.Canonicalize(b.Args)
	return err == nil && one == other
}
