package session

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// Masked is the event as people are shown it: with what looks like a secret
// taken out of titles, people's words, calls, requests, answers and results, and
// without what is only for a model's provider. A model's words are left as they
// were said: they are read while they are written.
func (e Event) Masked(s *mask.Secrets) Event {
	switch e.Type {
	case TypeCreated:
		var c Created
		if e.Decode(&c) == nil {
			c.Session = c.Session.Masked(s)
			if data, err := json.Marshal(c, json.Deterministic(true)); err == nil {
				e.Data = data
			}
		}
	case TypeUserMessage:
		var m UserMessage
		if e.Decode(&m) != nil {
			return e
		}
		if text, found := s.Text(m.Text); found {
			m.Text = text
			if data, err := json.Marshal(m, json.Deterministic(true)); err == nil {
				e.Data = data
			}
		}
	case TypeApprovalRequested:
		e.Data = maskedRequest(s, e.Data)
	case TypeApprovalResolved, TypeApprovalVoided, TypeToolResult, TypeGrantGiven, TypeGrantEnded:
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

// maskedRequest is a request's JSON as people are shown it. Secrets found in the call are
// also masked in the texts derived from it: the reasons, and what is misleading.
func maskedRequest(s *mask.Secrets, data tool.JSON) tool.JSON {
	var r map[string]jsontext.Value
	if json.Unmarshal(data, &r) != nil {
		data, _ = s.JSON(data)
		return data
	}
	asked, _ := json.Marshal([]jsontext.Value{r["args"], r["metadata"], r["context"], r["message"], r["workingDirectory"]}) // it was just parsed
	derived := s.Knowing(asked)
	for name, v := range r {
		switch name {
		case "policy", "risk", "misleading":
			r[name], _ = derived.JSON(v)
		default:
			r[name], _ = s.JSON(v)
		}
	}
	masked, _ := json.Marshal(r, json.Deterministic(true)) // it was just parsed
	return masked
}

// Masked is the session as people are shown it.
func (s Session) Masked(secrets *mask.Secrets) Session {
	s.Title, _ = secrets.Text(s.Title)
	if s.Run != nil {
		run := *s.Run
		run.WorkingDirectory, _ = secrets.Text(run.WorkingDirectory)
		s.Run = &run
	}
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
