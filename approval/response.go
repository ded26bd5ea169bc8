package approval

import (
	"errors"
	"time"

	"github.com/lineclear/lineclear/tool"
)

// Response is an answer: as a door hands it in, and, with By, At and Rev set,
// as it is stored and told to everyone.
type Response struct {
	ApprovalID string     `json:"approvalId"`
	SessionID  string     `json:"sessionId,omitempty"` // the conversation or run of the request
	Status     Status     `json:"status"`
	Reason     Reason     `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"`    // the person's own words; the model reads them
	Scope      Scope      `json:"scope,omitempty"`      // of an approval; once where empty
	Grant      GrantTerms `json:"grant,omitzero"`       // of an approval for the session: what is remembered
	GrantID    string     `json:"grantId,omitempty"`    // the grant that this gave, or, by.via being "grant", was cleared by
	Edit       tool.JSON  `json:"edit,omitzero"`        // JSON merge patch (RFC 7396) on the arguments
	FormData   tool.JSON  `json:"formData,omitzero"`    // what was filled in, for an elicitation
	ArgsDigest string     `json:"argsDigest,omitempty"` // of what the responder saw
	By         By         `json:"by,omitzero"`
	At         time.Time  `json:"at,omitzero"`  // when it was decided
	Rev        int64      `json:"rev,omitzero"` // grows with each change of the row
}

// Reprinted reports whether the edit is no person's: a command line that a rule, a grant or a mode
// cleared, printed again from what was read.
func (r Response) Reprinted() bool {
	return len(r.Edit) > 0 && (r.By.Via == ViaPolicy || r.By.Via == ViaGrant)
}

// By says who decided, and through which door.
type By struct {
	Subject string `json:"subject"` // the person or program, or what stands for the gateway
	Via     Via    `json:"via"`

	// Credential is the id of what let them in. A store may refuse one that does not hold any more; it is not kept.
	Credential string `json:"-"`
}

// kept is without the credential.
func (b By) kept() By { return By{Subject: b.Subject, Via: b.Via} }

// Status is where an answer stands. The zero Status is no answer at all and
// is never taken for one.
type Status string

// The statuses. Pending is the only one that changes.
const (
	Pending   Status = "pending"
	Approved  Status = "approved"
	Denied    Status = "denied"
	Cancelled Status = "cancelled"
)

// UnmarshalText accepts the statuses' names and nothing else.
func (s *Status) UnmarshalText(text []byte) error {
	if Status(text) == Pending { // it is read from rows, and is no answer
		*s = Pending
		return nil
	}
	return readWord(s, "status", text, Approved, Denied, Cancelled)
}

// Reason says why a request was denied or cancelled.
type Reason string

// The reasons. An approval has none, unless it is Observed.
const (
	UserDenied       Reason = "user_denied"
	PolicyDenied     Reason = "policy_denied"
	Timeout          Reason = "timeout"
	UserCancelled    Reason = "user_cancelled"
	SystemCancelled  Reason = "system_cancelled"
	Superseded       Reason = "superseded"
	ValidationFailed Reason = "validation_failed"
	NoHandler        Reason = "no_handler"
	HandlerFailed    Reason = "handler_failed"
	TooManyPending   Reason = "too_many_pending"
	AskerGone        Reason = "asker_gone" // the program that asked withdrew it or went away
	Halted           Reason = "halted"
	Observed         Reason = "observed" // approved by the system, since its agent is observed: a person would have been asked
)

// Reasons lists every reason.
var Reasons = []Reason{
	UserDenied, PolicyDenied, Timeout, UserCancelled, SystemCancelled, Superseded, ValidationFailed, NoHandler, HandlerFailed, TooManyPending,
	AskerGone, Halted, Observed,
}

// UnmarshalText accepts the reasons' names and nothing else.
func (r *Reason) UnmarshalText(text []byte) error { return readWord(r, "reason", text, Reasons...) }

// Unanswered reports whether nobody answered: the deadline passed, there was nobody to ask, asking failed, or
// too many requests were pending already. Nobody decided against the call.
func (r Reason) Unanswered() bool {
	return r == Timeout || r == NoHandler || r == HandlerFailed || r == TooManyPending
}

// ByGrant reports whether the answer is a grant's, given before by a person.
func (r Response) ByGrant() bool { return r.Status == Approved && r.By.Via == ViaGrant }

// Repeats reports whether b says what a says, so that b is a repetition.
func (a Response) Repeats(b Response) bool {
	return a.Status == b.Status && a.By.Subject == b.By.Subject && a.Message == b.Message &&
		a.Scope.OrOnce() == b.Scope.OrOnce() && a.Grant == b.Grant && string(a.Edit) == string(b.Edit) && string(a.FormData) == string(b.FormData)
}

// Errors of Decide and Cancel; nothing has been decided when they are returned.
var (
	// ErrForeign is returned for an answer that names another session than the
	// approval's.
	ErrForeign = errors.New("approval: the approval belongs to another session")
	// ErrDigest is returned for an answer to something else than what is waiting.
	ErrDigest = errors.New("approval: argsDigest is not that of the waiting request: look at it again")
	// ErrInvalid is returned for an answer that can't be taken as it is.
	ErrInvalid = errors.New("approval: invalid answer")
	// ErrRequest is returned for a request that can't be put as it is.
	ErrRequest = errors.New("approval: invalid request")
)
