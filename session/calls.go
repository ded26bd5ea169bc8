package session

import "slices"

// Calls counts how calls ended: those of an agent's newest turn, or all in a program's session.
type Calls struct {
	Settled    int `json:"settled"`             // how many no longer wait
	Denied     int `json:"denied,omitzero"`     // by people, rules and halts, or for invalid arguments
	Unanswered int `json:"unanswered,omitzero"` // nobody answered in time, or nobody could be asked
}

// WithCalls adds the calls that a Log has counted to the event that closes a turn or a session. It returns other
// events as they are.
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

// callsFacts counts calls from the events of a journal.
type callsFacts struct {
	Calls
	asked []string // the approvals of calls that wait
}

// add counts an approval.Request or an approval.Response. A question is no call.
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
	switch data.Reason { // as in approval.Reason.Unanswered
	case "timeout", "no_handler", "handler_failed", "too_many_pending":
		c.Unanswered++
	default:
		if data.Status == "denied" {
			c.Denied++
		}
	}
	return nil
}
