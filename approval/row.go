package approval

import (
	"errors"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Errors of the transitions; each but ErrExpired leaves the row as it was.
var (
	// ErrDecided is what a DecidedError is.
	ErrDecided = errors.New("approval: already decided")
	// ErrExpired is returned for an answer that came at or after the deadline. The row
	// has been settled as timed out, by this answer's coming if by nothing before.
	ErrExpired = errors.New("approval: too late: nobody had answered by the deadline, the call was denied")
	// ErrVoid refuses to run a call whose row can't be claimed any more.
	ErrVoid = errors.New("approval: the call was not cleared, or was withdrawn before it ran")
	// ErrClaimed refuses to run a call that has been started before.
	ErrClaimed = errors.New("approval: the call has been started already")
	// ErrElsewhere refuses what another gateway of a cluster has to do with: it runs the call, or the asker waits there.
	ErrElsewhere = errors.New("approval: another gateway has to do with this call")
	// ErrHasResult refuses a second result of a call.
	ErrHasResult = errors.New("approval: the call has its result already")
	// ErrOutdated refuses to run a call whose judgement may not hold any more.
	ErrOutdated = errors.New("approval: something has changed since the call was judged")
	// ErrStale refuses to run a call that was approved too long ago.
	ErrStale = errors.New("approval: approved too long ago: it has to be asked again")
)

// DecidedError refuses an answer because there is one; Outcome carries it.
type DecidedError struct{ Outcome Approval }

// Error says who decided what.
func (e *DecidedError) Error() string {
	return fmt.Sprintf("already decided: %s by %s", e.Outcome.Status, e.Outcome.Response.By.Subject)
}

// Is makes errors.Is(err, ErrDecided) hold.
func (e *DecidedError) Is(target error) bool { return target == ErrDecided }

// Approval is one row: the request, its answer and what became of the run.
// Its methods are the whole state machine; they take and return values, and
// every store applies them inside its own transaction.
type Approval struct {
	Request
	Status    Status
	Response  Response // meaningful once Status is not Pending
	Run       Run
	Voided    Response // who took an approved call back before it ran; meaningful where that happened
	HasResult bool     // the call's one result is in the journal

	ClaimedAt time.Time // when the call was claimed, so that it could run
	ResultSeq int64     // the number of its result's event in the session's journal; set by the store

	// Touches is set by the judge if a person is asked or a rule denies the call. Stores keep it for
	// Refused.
	Touches []Touch

	// MaxPending is for Store.Create alone: how many requests of the agent may wait
	// with this one; of programs outside, each one's requests (Origin.Subject) are counted
	// for themselves. Zero: any number.
	MaxPending int
}

// CheckLimit settles a new row if its agent has too many pending requests already: a
// call is denied, a question cancelled.
func (a Approval) CheckLimit(waiting int) (Approval, error) {
	most := a.MaxPending
	a.MaxPending = 0
	if most == 0 || a.Status != Pending || waiting < most {
		return a, nil
	}
	a.Request = a.slim()
	return a.Settle(Unanswerable(a.Type, TooManyPending), a.RequestedAt)
}

// keptArgs is how many bytes of arguments are kept of a request that is refused for numbers.
const keptArgs = 1 << 10

// slim is the request without what whoever floods the gateway could fill its disk with:
// of long arguments the digest stays, and how long they were.
func (r Request) slim() Request {
	if len(r.Args) > keptArgs {
		r.Args = tool.JSON(fmt.Sprintf(`{"notKept":"%d bytes"}`, len(r.Args)))
	}
	r.Message, r.Schema, r.Metadata, r.Context, r.Preview, r.Commands, r.Misleading, r.Policy.Trace = "", nil, nil, nil, tool.Preview{}, nil, nil, nil
	return r
}

// Last is the newest word on the row: of who took it back, or of who answered.
func (a Approval) Last() Response {
	if a.Voided.Status != "" {
		return a.Voided
	}
	return a.Response
}

// Open reports whether the call may still run: it waits for an answer, or is
// approved and has not been started.
func (a Approval) Open() bool {
	return a.Status == Pending || a.Status == Approved && a.Run == RunNone
}

// Run is what became of the call that an approval cleared.
type Run string

// The states of a run. Void means that it will never run.
const (
	RunNone     Run = "none"
	RunClaimed  Run = "claimed"
	RunFinished Run = "finished"
	RunVoid     Run = "void"
)

// New makes the pending row of a request.
func New(r Request) Approval {
	r.Rev = 1
	return Approval{Request: r, Status: Pending, Run: RunNone}
}

// Settle gives a pending row its answer. The clock decides: at or after the
// deadline the answer is a timeout, whatever r says. A row that is settled is
// a *DecidedError, except that cancelling one that is approved and has not
// been claimed voids its run.
func (a Approval) Settle(r Response, now time.Time) (Approval, error) {
	takeBack := a.Status == Approved && a.Run == RunNone && r.Status == Cancelled
	switch {
	case a.Status != Pending && !takeBack:
		return a, &DecidedError{Outcome: a}
	case a.Status == Pending && a.Expired(now):
		r = TimedOut()
	}
	if err := known(r); err != nil {
		return a, err
	}
	switch r.Status {
	case Approved:
		r.Scope = r.Scope.OrOnce()
		if r.Reason != Observed || r.By != BySystem() {
			r.Reason = ""
		}
	case Denied, Cancelled:
		r.Scope = ""
		a.Run = RunVoid
	case Pending:
		fallthrough
	default:
		return a, fmt.Errorf("approval: status %q is not an answer", r.Status)
	}
	a.Rev++
	r.ApprovalID, r.SessionID, r.ArgsDigest = a.ApprovalID, a.SessionID, a.ArgsDigest
	r.At, r.Rev, r.By = now, a.Rev, r.By.kept()
	if takeBack {
		a.Voided = r
		return a, nil
	}
	a.Status, a.Response = r.Status, r
	if a.Type != ToolConfirmation && a.Status == Approved {
		a.Run = RunFinished // a question has nothing to run: its answer is all
	}
	return a, nil
}

// Extend moves a pending row's deadline, which has not come, to a later time.
func (a Approval) Extend(until, now time.Time) (Approval, error) {
	switch {
	case a.Status != Pending:
		return a, &DecidedError{Outcome: a}
	case a.Expired(now):
		return a, ErrExpired
	case a.ExpiresAt.IsZero() || !until.After(a.ExpiresAt):
		return a, fmt.Errorf("%w: expiresIn: the request waits at least that long already", ErrInvalid)
	}
	a.ExpiresAt = until
	a.Rev++
	return a, nil
}

// known refuses words that no row may hold, since nothing could read it again.
func known(r Response) error {
	if r.Reason != "" {
		if err := new(Reason).UnmarshalText([]byte(r.Reason)); err != nil {
			return fmt.Errorf("approval: %w", err)
		}
	}
	if r.Scope != "" {
		if err := new(Scope).UnmarshalText([]byte(r.Scope)); err != nil {
			return fmt.Errorf("approval: %w", err)
		}
	}
	return nil
}

// Claim takes the one right to run the call. It is refused unless the row is
// approved, was approved within the given time (no limit when zero), and has
// not been claimed.
func (a Approval) Claim(within time.Duration, now time.Time) (Approval, error) {
	switch {
	case a.Status != Approved || a.Run == RunVoid:
		return a, ErrVoid
	case a.Run != RunNone:
		return a, ErrClaimed
	case within > 0 && now.Sub(a.Response.At) > within:
		return a, ErrStale
	}
	a.Run, a.ClaimedAt = RunClaimed, now
	a.Rev++
	return a, nil
}

// Finish takes the call's one result: it closes the run of a claimed row. A
// row that will never run stays void; its call has a result all the same, the
// refusal. A second result is ErrHasResult; what is pending or unclaimed can't have
// one.
func (a Approval) Finish() (Approval, error) {
	switch {
	case a.HasResult:
		return a, ErrHasResult
	case a.Run == RunClaimed:
		a.Run, a.HasResult = RunFinished, true
		a.Rev++
		return a, nil
	case a.Run == RunVoid:
		a.HasResult = true
		a.Rev++
		return a, nil
	default:
		return a, fmt.Errorf("approval: %s has no result to take: answer %s, run %s", a.ApprovalID, a.Status, a.Run)
	}
}

// Supersede voids a row whose call is asked again, if it could still run.
func (a Approval) Supersede(now time.Time) (next Approval, changed bool) {
	if a.Status != Approved || a.Run != RunNone {
		return a, false
	}
	next, err := a.Settle(Response{Status: Cancelled, Reason: Superseded, By: BySystem()}, now)
	return next, err == nil
}

// RunArgs are the arguments that run: the request's, with the approver's edit.
// A row of an older version may have none; that means the empty object.
func (a Approval) RunArgs() (tool.JSON, error) {
	if len(a.Response.Edit) == 0 {
		return strictjson.OrEmptyObject(a.Args), nil
	}
	return MergePatch(a.Args, a.Response.Edit)
}

// TimedOut is the answer of silence.
func TimedOut() Response {
	return Response{Status: Denied, Reason: Timeout, By: BySystem()}
}

// BySystem is who decides when nobody did.
func BySystem() By { return By{Subject: "system", Via: ViaSystem} }

// ByPolicy is who decides when a rule did.
func ByPolicy() By { return By{Subject: "policy", Via: ViaPolicy} }

// Unanswerable is the answer to what nobody could, or would, look at: a tool call is
// denied, a question is cancelled.
func Unanswerable(t Type, reason Reason) Response {
	status := Denied
	if t != ToolConfirmation {
		status = Cancelled
	}
	return Response{Status: status, Reason: reason, By: BySystem()}
}
