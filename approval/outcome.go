package approval

// Outcome is the status of a request in one word. A request that nobody answered never counts as denied by a person.
type Outcome string

// The outcomes. A call that was approved, but withdrawn before it ran, is OutcomeCancelled.
const (
	OutcomePending        Outcome = "pending"
	OutcomeApproved       Outcome = "approved"         // by a person, or by a program's own function
	OutcomeAllowedByRule  Outcome = "allowed_by_rule"  // by a rule or the mode: nobody was asked
	OutcomeAllowedByGrant Outcome = "allowed_by_grant" // by a grant: a person approved it before
	OutcomeObserved       Outcome = "observed"         // ran, although a person would have been asked
	OutcomeDenied         Outcome = "denied"           // by a person, or by a program's own function
	OutcomeDeniedByRule   Outcome = "denied_by_rule"   // by a rule or the mode: nobody was asked
	OutcomeTimedOut       Outcome = "timed_out"        // nobody answered
	OutcomeHalted         Outcome = "halted"           // the agent was halted
	OutcomeNotAsked       Outcome = "not_asked"        // nobody could be asked
	OutcomeInvalid        Outcome = "invalid"          // the arguments don't fit the tool: nobody was asked
	OutcomeCancelled      Outcome = "cancelled"        // withdrawn
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{
	OutcomePending, OutcomeApproved, OutcomeAllowedByRule, OutcomeAllowedByGrant, OutcomeObserved,
	OutcomeDenied, OutcomeDeniedByRule, OutcomeTimedOut, OutcomeHalted, OutcomeNotAsked, OutcomeInvalid, OutcomeCancelled,
}

// UnmarshalText accepts only the names of outcomes.
func (o *Outcome) UnmarshalText(text []byte) error { return readWord(o, "outcome", text, Outcomes...) }

// Outcome returns the row's outcome.
func (a Approval) Outcome() Outcome {
	if a.Status == Pending {
		return OutcomePending
	}
	return a.Last().Outcome()
}

// Outcome returns the outcome of a request with this answer.
func (r Response) Outcome() Outcome {
	if r.Status == Approved {
		return allowed(r)
	}
	return refused(r)
}

func allowed(r Response) Outcome {
	switch {
	case r.Reason == Observed:
		return OutcomeObserved
	case r.By.Via == ViaPolicy:
		return OutcomeAllowedByRule
	case r.By.Via == ViaGrant:
		return OutcomeAllowedByGrant
	default:
		return OutcomeApproved
	}
}

func refused(r Response) Outcome {
	switch r.Reason {
	case UserDenied:
		return OutcomeDenied
	case PolicyDenied:
		return OutcomeDeniedByRule
	case Timeout:
		return OutcomeTimedOut
	case Halted:
		return OutcomeHalted
	case NoHandler, HandlerFailed, TooManyPending:
		return OutcomeNotAsked
	case ValidationFailed:
		return OutcomeInvalid
	case UserCancelled, SystemCancelled, Superseded, AskerGone:
		return OutcomeCancelled
	case Observed:
		fallthrough
	default:
		return unexplained(r)
	}
}

// unexplained returns the outcome of a denied or cancelled row without a reason.
func unexplained(r Response) Outcome {
	switch {
	case r.Status != Denied:
		return OutcomeCancelled
	case r.By.Via == ViaPolicy:
		return OutcomeDeniedByRule
	case r.By.Via == ViaSystem:
		return OutcomeNotAsked
	default:
		return OutcomeDenied
	}
}
