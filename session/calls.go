package session

import "slices"

// Calls count what became of the calls of an agent's newest turn, and of all calls in a program's session.
type Calls struct {
	Settled    int `json:"settled"`             // that wait no more
	Denied     int `json:"denied,omitzero"`     // by people or rules
	Unanswered int `json:"unanswered,omitzero"` // nobody answered in time, or nobody could be asked
}

// WithCalls is what closes a turn or a session, with the calls that a Log has counted; anything else is as it was.
func WithCalls(body any, calls Calls) any {
	switch body := body.(type) {
	case TurnFinished:
		body.Calls = calls
		return body
	case Ended:
		body.Calls = calls
		return body
	}
	return body
}

// callsFacts count calls as their events come.
type callsFacts struct {
	Calls
	asked []string // the approvals of calls that wait
}

// add takes an approval.Request or an approval.Response into account. A question is no call.
func (c *callsFacts) add(e Event) error {
	var data struct {
		ApprovalID string `json:"approvalId"`
		Type       string `json:"type"`
		Status     string `json:"status"`
		Reason     string `json:"reason"`
	}
	if err := e.Decode(&data); err != nil {
		return err
	}
	if e.Type == TypeApprovalRequested {
		if data.Type == "tool_confirmation" {
			c.asked = append(c.asked, data.ApprovalID)
		}
		return nil
	}
	at := slices.Index(c.asked, data.ApprovalID)
	if at < 0 {
		return nil
	}
	c.asked = slices.Delete(c.asked, at, at+1)
	c.Settled++
	switch data.Reason { // as approval.Reason.Unanswered has it
	case "timeout", "no_handler", "handler_failed", "too_many_pending":
		c.Unanswered++
	default:
		if data.Status == "denied" {
			c.Denied++
		}
	}
	return nil
}
