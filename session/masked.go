package session

import (
	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
)

// Masked is the event as people are shown it: with what looks like a secret
// taken out of calls, requests, answers and results, and without what is only for
// a model's provider. What somebody or a model has said is left as it was said.
func (e Event) Masked(s *mask.Secrets) Event {
	switch e.Type {
	case TypeApprovalRequested, TypeApprovalResolved, TypeApprovalVoided, TypeToolResult, TypeGrantGiven, TypeGrantEnded:
		e.Data, _ = s.JSON(e.Data)
	case TypeAssistantMessage:
		var m AssistantMessage
		if e.Decode(&m) != nil || len(m.ToolCalls)+len(m.Kept) == 0 {
			return e
		}
		m.Kept = nil
		for i := range m.ToolCalls {
			m.ToolCalls[i].Args, _ = s.JSON(m.ToolCalls[i].Args)
		}
		if data, err := json.Marshal(m, json.Deterministic(true)); err == nil {
			e.Data = data
		}
	default:
	}
	return e
}

// Masked is the session as people are shown it.
func (s Session) Masked(secrets *mask.Secrets) Session {
	pending := make([]PendingApproval, len(s.PendingApprovals))
	for i, p := range s.PendingApprovals {
		if len(p.ToolCall.Args) > 0 {
			p.ToolCall.Args, _ = secrets.JSON(p.ToolCall.Args)
		}
		pending[i] = p
	}
	if len(pending) > 0 {
		s.PendingApprovals = pending
	}
	return s
}
