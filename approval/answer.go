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
	Message    string     `json:"message,omitempty"`
	Scope      Scope      `json:"scope,omitempty"`
	Grant      GrantTerms `json:"grant,omitzero"`
	Edit       tool.JSON  `json:"edit,omitzero"`
	FormData   tool.JSON  `json:"formData,omitzero"`
	ArgsDigest string     `json:"argsDigest,omitempty"`
}

// Response is the answer as it is handed to Desk.Decide by the door named.
func (a Answer) Response(via Via) Response {
	return Response{
		ApprovalID: a.ApprovalID, SessionID: a.SessionID, Status: a.Status, Reason: a.Reason, Message: a.Message,
		Scope: a.Scope, Grant: a.Grant, Edit: a.Edit, FormData: a.FormData, ArgsDigest: a.ArgsDigest, By: By{Via: via},
	}
}
