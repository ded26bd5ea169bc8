package approval

// Outcome says in one word how a request stands. Nobody's answer is never told as a person's no.
type Outcome string

// The outcomes. What was approved and taken back before it ran is OutcomeCancelled.
const (
	OutcomePending        Outcome = "pending"
	OutcomeApproved       Outcome = "approved"         // by a person, or a program's own function
	OutcomeAllowedByRule  Outcome = "allowed_by_rule"  // by a rule or the mode: nobody was asked
	OutcomeAllowedByGrant Outcome = "allowed_by_grant" // by what a person approved before
	OutcomeObserved       Outcome = "observed"         // ran although a person would have been asked
	OutcomeDenied         Outcome = "denied"           // by a person
	OutcomeDeniedByRule   Outcome = "denied_by_rule"   // by a rule or the mode: nobody was asked
	OutcomeTimedOut       Outcome = "timed_out"        // nobody answered
	OutcomeHalted         Outcome = "halted"           // the agent was halted
	OutcomeNotAsked       Outcome = "not_asked"        // nobody could be asked
	OutcomeInvalid        Outcome = "invalid"          // its arguments don't fit the tool: nobody was asked
	OutcomeCancelled      Outcome = "cancelled"        // withdrawn
)

// Outcomes are all that there are.
var Outcomes = []Outcome{
	OutcomePending, OutcomeApproved, OutcomeAllowedByRule, OutcomeAllowedByGrant, OutcomeObserved,
	OutcomeDenied, OutcomeDeniedByRule, OutcomeTimedOut, OutcomeHalted, OutcomeNotAsked, OutcomeInvalid, OutcomeCancelled,
}

// UnmarshalText accepts the outcomes' names and nothing else.
func (o *Outcome) UnmarshalText(text []byte) error { return readWord(o, "outcome", text, Outcomes...) }

// Outcome is how the row stands.
func (a Approval) Outcome() Outcome {
	switch r := a.Last(); {
	case a.Status == Pending:
		return OutcomePending
	case r.Status == Approved:
		return allowed(r)
	default:
		return refused(r)
	}
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

// unexplained is the outcome of a no without a reason.
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
