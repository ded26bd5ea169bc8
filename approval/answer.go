package approval

import (
	"github.com/lineclear/lineclear/tool"
)

// Answer is what a person may say at a door. It is not a Response: who decided,
// when and through which door is not for a client to say.
type Answer struct {
	ApprovalID string     `json:"approvalId"`
	SessionID  string     `json:"sessionId,omitempty"`
	Status     Status     `json:"status"`
	Reason     Reason     `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"` // for the model
	Scope      Scope      `json:"scope,omitempty"`
	Grant      GrantTerms `json:"grant,omitzero"`
	Edit       tool.JSON  `json:"edit,omitzero"`     // JSON merge patch (RFC 7396) on the arguments
	FormData   tool.JSON  `json:"formData,omitzero"` // what was filled in, for an elicitation
	ArgsDigest string     `json:"argsDigest,omitempty"`
}

// Response is the answer as it is handed to Desk.Decide by the door named.
func (a Answer) Response(via Via) Response {
	return Response{
		ApprovalID: a.ApprovalID, SessionID: a.SessionID, Status: a.Status, Reason: a.Reason, Message: a.Message,
		Scope: a.Scope, Grant: a.Grant, Edit: a.Edit, FormData: a.FormData, ArgsDigest: a.ArgsDigest, By: By{Via: via},
	}
}

// WordedAnswer is an Answer as it comes in at a door, in this package's words or in those of
// other systems.
type WordedAnswer struct {
	Answer
	OtherWords
}

// Read is the answer in this package's words.
func (s WordedAnswer) Read() (Answer, error) {
	status, scope, err := s.OtherWords.Read(s.Status, string(s.Scope))
	if err != nil {
		return Answer{}, err
	}
	a := s.Answer
	a.Status = status
	if a.Scope == "" {
		a.Scope = scope
	}
	return a, nil
}
