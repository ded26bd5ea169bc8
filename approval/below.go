package approval

import (
	"slices"
	"time"
)

// BelowRequest is what the sessions above a sub-agent's are told of a request: that
// it waits, and for which tool. Its arguments are for who may see the sub-agent.
type BelowRequest struct {
	ApprovalID  string    `json:"approvalId"`
	SessionID   string    `json:"sessionId"` // of the sub-agent
	AgentID     string    `json:"agentId"`
	Type        Type      `json:"type"`
	ToolName    string    `json:"toolName,omitempty"`
	ToolCallID  string    `json:"toolCallId,omitempty"`
	Origin      Origin    `json:"origin,omitzero"`
	RequestedAt time.Time `json:"requestedAt"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"`
}

// BelowResponse is what they are told of its answer.
type BelowResponse struct {
	ApprovalID string    `json:"approvalId"`
	SessionID  string    `json:"sessionId"` // of the sub-agent
	Status     Status    `json:"status"`
	Reason     Reason    `json:"reason,omitempty"`
	By         By        `json:"by"`
	At         time.Time `json:"at"` // when it was decided
}

// Below is the request for the sessions above.
func (r Request) Below() BelowRequest {
	return BelowRequest{
		ApprovalID: r.ApprovalID, SessionID: r.SessionID, AgentID: r.AgentID, Type: r.Type,
		ToolName: r.ToolName, ToolCallID: r.ToolCallID, Origin: r.Origin, RequestedAt: r.RequestedAt, ExpiresAt: r.ExpiresAt,
	}
}

// Below is the answer for the sessions above.
func (r Response) Below() BelowResponse {
	return BelowResponse{ApprovalID: r.ApprovalID, SessionID: r.SessionID, Status: r.Status, Reason: r.Reason, By: r.By, At: r.At}
}

// In reports whether the request is asked in a session, or below it.
func (r Request) In(sessionID string) bool {
	return r.SessionID == sessionID || slices.Contains(r.Above, sessionID)
}
