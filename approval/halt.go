package approval

import (
	"errors"
	"time"

	"github.com/lineclear/lineclear/bus"
)

// ErrHalted refuses to approve or to start what is halted.
var ErrHalted = errors.New("approval: halted: nothing is approved or run until an admin lifts the halt")

// Halts carries each halt that was set or lifted. A store publishes on it after
// the change is durable.
var Halts = bus.NewTopic[Halt]("halt")

// Halt stops an agent, or all of them: while it is on, what is asked is denied,
// nothing is approved and no call is started.
type Halt struct {
	AgentID string    `json:"agentId,omitempty"` // empty: every agent
	On      bool      `json:"on"`                // whether it is on
	By      By        `json:"by"`                // who set it, or has lifted it
	At      time.Time `json:"at"`                // when it was set or lifted
}

// Stops reports whether the halt holds for an agent.
func (h Halt) Stops(agentID string) bool {
	return h.On && (h.AgentID == "" || h.AgentID == agentID)
}

// Answer is what becomes of a row under the halt; false for one that it leaves as it is.
func (h Halt) Answer(a Approval) (Response, bool) {
	switch {
	case a.Status == Pending:
		r := Unanswerable(a.Type, Halted)
		r.By = h.By
		return r, true
	case a.Open():
		return Response{Status: Cancelled, Reason: Halted, By: h.By}, true
	default:
		return Response{}, false
	}
}

// Set is the halt as it is set or lifted at a time.
func (h Halt) Set(now time.Time) Halt {
	h.At, h.By = now, h.By.kept()
	return h
}

// Born is a new row under the halt.
func (h Halt) Born(a Approval) (Approval, error) {
	if !h.Stops(a.AgentID) || a.Status == Denied || a.Status == Cancelled {
		return a, nil
	}
	row := New(a.Request)
	r, _ := h.Answer(row)
	return row.Settle(r, a.RequestedAt)
}
