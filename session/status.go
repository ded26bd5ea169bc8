package session

import (
	"slices"
	"time"
)

// Status says what a session is doing.
type Status string

// The statuses.
const (
	StatusIdle            Status = "idle"
	StatusActive          Status = "active"
	StatusWaitingApproval Status = "waiting_approval"
	StatusCompleted       Status = "completed"
	StatusError           Status = "error"
	StatusCancelled       Status = "cancelled"
)

// Facts are the rows from which a session's status follows.
type Facts struct {
	Ended    Outcome // of the session; empty while it lives
	TurnOpen bool    // a turn has started and not finished, or a message waits for one
	LastTurn Outcome // of the newest finished turn; empty when there was none
	Pending  []PendingApproval
	Usage    Usage // of all replies

	calls       callsFacts
	started     bool  // as Add has found it
	said, heard int64 // the newest message, and the newest that a finished turn was about
}

// StatusOf derives the status. A cancelled session stays cancelled; a session
// with a request waiting is waiting, whatever else it does.
func StatusOf(f Facts) Status {
	switch {
	case f.Ended != "":
		return f.Ended.status()
	case len(f.Pending) > 0:
		return StatusWaitingApproval
	case f.TurnOpen:
		return StatusActive
	default:
		return f.LastTurn.status()
	}
}

func (o Outcome) status() Status {
	switch o {
	case Completed:
		return StatusCompleted
	case Cancelled:
		return StatusCancelled
	case Failed:
		return StatusError
	default:
		return StatusIdle
	}
}

// Calls returns how the calls so far ended.
func (f *Facts) Calls() Calls { return f.calls.Calls }

// Add takes one more event of the journal into account.
func (f *Facts) Add(e Event) error {
	switch e.Type {
	case TypeUserMessage:
		f.said = e.Seq
	case TypeTurnStarted:
		f.started, f.calls.Calls = true, Calls{}
	case TypeTurnFinished:
		var t TurnFinished
		if err := e.Decode(&t); err != nil {
			return err
		}
		f.started, f.heard, f.LastTurn = false, max(f.heard, t.Heard), t.Outcome
		f.Usage = f.Usage.Plus(t.Usage)
	case TypeEnded:
		var end Ended
		if err := e.Decode(&end); err != nil {
			return err
		}
		f.Ended = end.Outcome
	case TypeApprovalRequested, TypeBelowRequested:
		if err := f.calls.add(e); err != nil {
			return err
		}
		p, err := PendingOf(e.Data)
		if err != nil {
			return err
		}
		p.Seq = e.Seq
		f.Pending = append(f.Pending, p)
	case TypeApprovalResolved, TypeBelowResolved:
		if err := f.calls.add(e); err != nil {
			return err
		}
		answered, err := PendingOf(e.Data) // of which only the id is told
		if err != nil {
			return err
		}
		f.Pending = slices.DeleteFunc(f.Pending, func(p PendingApproval) bool {
			return p.ApprovalID == answered.ApprovalID
		})
	case TypeAssistantMessage:
		var m AssistantMessage
		if err := e.Decode(&m); err != nil {
			return err
		}
		f.Usage = f.Usage.Plus(m.Usage)
	case TypeApprovalExtended:
		var moved struct {
			ApprovalID string    `json:"approvalId"`
			ExpiresAt  time.Time `json:"expiresAt"`
		}
		if err := e.Decode(&moved); err != nil {
			return err
		}
		for i := range f.Pending {
			if f.Pending[i].ApprovalID == moved.ApprovalID {
				f.Pending[i].ExpiresAt = moved.ExpiresAt
			}
		}
	case TypeCreated, TypeToolResult, TypeApprovalVoided, TypeApprovalRevealed, TypeGrantGiven, TypeGrantEnded:
		// These change nothing about the status.
	}
	f.TurnOpen = f.started || f.said > f.heard
	return nil
}
