package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
)

// The forms of answering that name no approval: by the tool's call, or by the
// session alone.

type callAnswerBody struct {
	Decision string `json:"decision"`          // in the words of the table in docs/protocol.md
	Scope    string `json:"scope,omitempty"`   // instead of the one that the word stands for
	Message  string `json:"message,omitempty"` // for the model
	Round    *int   `json:"round,omitempty"`   // which of the call's requests is meant, where it was asked more than once
}

// answerCall answers the request of a tool call, whatever its approval's id.
// Where the call was asked again because what it depends on has changed, an
// answer has to say which of its rounds it is about: one that comes twice must
// not answer a request that its sender has never seen.
func (s *Server) answerCall(c *call, in callAnswerBody) (door.Approval, error) {
	answer, err := in.answer()
	if err != nil {
		return door.Approval{}, err
	}
	rows, err := s.Door.Find(c.r.Context(), c.who, approval.Query{
		SessionID: c.r.PathValue("id"), Below: true, ToolCallID: c.r.PathValue("toolCallId"),
	})
	if err != nil {
		return door.Approval{}, err
	}
	if len(rows) == 0 {
		return door.Approval{}, approval.ErrUnknown
	}
	if in.Round == nil {
		if len(rows) > 1 {
			return door.Approval{}, &fault{409, fmt.Sprintf("this call was asked %d times: look at it again and send its round, which is %d for the newest", len(rows), len(rows)-1)}
		}
		in.Round = &rows[0].Round
	}
	i := slices.IndexFunc(rows, func(row door.Approval) bool { return row.Round == *in.Round })
	if i < 0 {
		return door.Approval{}, invalid("round: this call has no round %d", *in.Round)
	}
	answer.ApprovalID = rows[i].ApprovalID
	return s.decide(c, answer)
}

func (in callAnswerBody) answer() (approval.Answer, error) {
	if in.Decision == "" {
		return approval.Answer{}, invalid("decision: missing; use approve, deny or cancel")
	}
	status, scope, err := approval.ParseWord(in.Decision)
	if err != nil {
		return approval.Answer{}, invalid("decision: %v", err)
	}
	if in.Scope != "" {
		var wide approval.Status
		if wide, scope, err = approval.ParseWord(in.Scope); err != nil || wide != approval.Approved {
			return approval.Answer{}, invalid("scope: unknown scope %q: use once, session or always", in.Scope)
		}
		if status != approval.Approved {
			return approval.Answer{}, invalid("scope: belongs to an approval only")
		}
	}
	if scope == approval.Once {
		scope = "" // as if nothing was said
	}
	return approval.Answer{Status: status, Scope: scope, Message: in.Message}, nil
}

type soleAnswerBody struct {
	Decision string `json:"decision,omitempty"` // approve when left out
	Scope    string `json:"scope,omitempty"`
	Message  string `json:"message,omitempty"`
	Seen     *int64 `json:"seen"` // the newest event of the session that the sender had seen
}

// answerSole answers the only request that waits in a session, if the sender
// had seen it. With several, it says which there are.
func (s *Server) answerSole(c *call, in soleAnswerBody) (door.Approval, error) {
	if in.Seen == nil {
		return door.Approval{}, invalid("seen: missing; send the seq of the newest event that was on the screen")
	}
	if in.Decision == "" {
		in.Decision = "approve"
	}
	answer, err := callAnswerBody{Decision: in.Decision, Scope: in.Scope, Message: in.Message}.answer()
	if err != nil {
		return door.Approval{}, err
	}
	id := c.r.PathValue("id")
	shown, err := s.soleSeen(c, id, *in.Seen)
	if err != nil {
		return door.Approval{}, err
	}
	answer.ApprovalID = shown
	return s.decide(c, answer)
}

// soleSeen is the only request that waits in a session or below it, provided that it
// was announced at or before the event that the sender had seen.
func (s *Server) soleSeen(c *call, sessionID string, seen int64) (approvalID string, err error) {
	found, err := s.Door.Session(c.r.Context(), sessionID)
	if err != nil {
		return "", err
	}
	pending := slices.DeleteFunc(found.PendingApprovals, func(p session.PendingApproval) bool { return !c.who.Covers(p.AgentID) })
	switch len(pending) {
	case 0:
		return "", &fault{409, "nothing waits in this session"}
	case 1:
	default:
		ids := make([]string, 0, len(pending))
		for _, p := range pending {
			ids = append(ids, p.ApprovalID)
		}
		return "", &fault{409, "several requests wait in this session: answer one by its id: " + strings.Join(ids, ", ")}
	}
	if pending[0].Seq > seen {
		return "", &fault{409, "the request that waits came after what you had seen: look at it first: " + pending[0].ApprovalID}
	}
	return pending[0].ApprovalID, nil
}
