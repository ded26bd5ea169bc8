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

// wording is an answer in one of the forms of the table in docs/protocol.md.
type wording struct {
	approval.OtherWords
	Status  approval.Status `json:"status,omitempty"`
	Scope   string          `json:"scope,omitempty"`   // may not contradict the words
	Message string          `json:"message,omitempty"` // for the model
}

func (in wording) answer() (approval.Answer, error) {
	status, scope, err := in.Read(in.Status, in.Scope)
	return approval.Answer{Status: status, Scope: scope, Message: in.Message}, err
}

type callAnswerBody struct {
	wording
	Round *int `json:"round,omitempty"` // which of the call's requests is meant, where it was asked more than once
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

type soleAnswerBody struct {
	wording        // approve when nothing is said
	Seen    *int64 `json:"seen"` // the newest event of the session that the sender had seen
}

// answerSole answers the only request that waits in a session, if the sender
// had seen it. With several, it says which there are.
func (s *Server) answerSole(c *call, in soleAnswerBody) (door.Approval, error) {
	if in.Seen == nil {
		return door.Approval{}, invalid("seen: missing; send seen: the seq of the newest event on the screen")
	}
	if in.Status == "" && in.Silent() {
		in.Status = approval.Approved
	}
	answer, err := in.answer()
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
