package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
)

// refusal says why a call is not even asked for: the same one has been denied
// too often since a person last spoke. It is empty for all others.
func (a *Agent) refusal(ctx context.Context, sessionID string, conv *session.Conversation, call session.ToolCall) (string, error) {
	denied := 0
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
				return "", err
			}
			denied += min(len(rows), 1)
		}
	}
	if denied < a.config.MaxDenials {
		return "", nil
	}
	return fmt.Sprintf("this same call was denied %d times before (maxDenials)", denied), nil
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
