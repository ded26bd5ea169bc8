package approval

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lineclear/lineclear/tool"
)

// Errors of looking an approval up and of asking.
var (
	// ErrUnknown is returned for an approval that does not exist.
	ErrUnknown = errors.New("approval: unknown approval (there is none, or it is no longer kept)")
	// ErrConflict is returned when a call is asked again with other arguments.
	ErrConflict = errors.New("approval: the same call was asked before with other arguments")
)

// Store keeps the rows. Each method is one atomic change, durable where the
// store is, and has been published (to Requests, Responses and the session's
// journal) when it returns. One whose ctx ends before it is begun is not made,
// and its time is not after that end. A store that also keeps credentials refuses within the
// change whoever is named by a By.Credential, or a Grant.Credential that is given, and does not
// have the right any more; it need not be able to. The transitions are Approval's; a store only
// applies them. approvaltest is the suite that every store passes.
type Store interface {
	Finder
	// Create adds a row, pending or settled. If the call already has a row of
	// this round or a later one, nothing changes and the latest is returned;
	// ErrConflict if that has another digest. A row of an earlier round that is
	// approved and not claimed is voided in the same change (Supersede). A row
	// that a grant clears counts as a use of it; ErrGrantEnded if it can't be.
	// A new row is CheckLimit: it comes back settled where too many wait. It fills in
	// Above; that a sub-agent's row waits, and its answer, is journaled in each of the
	// sessions above that lives.
	Create(ctx context.Context, a Approval) (Approval, error)
	// Settle applies Approval.Settle, and gives the grant (which may be nil) if
	// the row is approved by it; the oldest that has not ended gives way where
	// the session has GrantsPerSession of them. An answer of a grant counts as a use of it, as in Create.
	// A refused settle returns the row beside the error; ErrElsewhere where the system says of an asker
	// that it is gone, who waits at another process.
	Settle(ctx context.Context, r Response, g *Grant) (Approval, error)
	// Claim applies Approval.Claim; the row's session has to be alive, and still,
	// which is called within the change, has to say that the judgement on which
	// the claim rests holds: ErrOutdated otherwise. ErrElsewhere for a call that another process runs.
	Claim(ctx context.Context, approvalID string, within time.Duration, still func() bool) (Approval, error)
	// Adopt says that the asker of a pending row waits at this process.
	Adopt(ctx context.Context, approvalID string) error
	// Finish applies Approval.Finish and journals the result of the call.
	Finish(ctx context.Context, approvalID string, result tool.Result) error
	// Extend applies Approval.Extend, and journals the new deadline.
	Extend(ctx context.Context, approvalID string, until time.Time) (Approval, error)
	// Revealed writes down that somebody has looked at the secrets of a request.
	Revealed(ctx context.Context, approvalID string, by By) error
	// ListGrants returns the grants that meet every condition set, newest first.
	ListGrants(ctx context.Context, q GrantQuery) ([]Grant, error)
	// GiveGrant gives a standing grant that comes from no approval, in no session. ErrHalted while its agent
	// is halted. One that is SameAs a grant that is alive changes nothing: that one is returned.
	GiveGrant(ctx context.Context, g Grant) (Grant, error)
	// EndGrant ends a grant, and returns it; ErrNoGrant if there is none. One
	// that has ended stays as it is. A session's end ends its grants.
	EndGrant(ctx context.Context, grantID string, reason GrantReason, by By) (Grant, error)
	// SetModes applies ModeSetting.Set to the settings of the agents, to all or,
	// with the first refusal and its setting, to none. Each setting names in its
	// Version the one that was seen.
	SetModes(ctx context.Context, next ...ModeSetting) ([]ModeSetting, error)
	// SetHalt sets a halt or lifts it, and returns how it stands; one that stands so
	// already is not changed. While one is on, Create applies Halt.Born, and an
	// approval by Settle, or a Claim, is ErrHalted beside the row.
	SetHalt(ctx context.Context, h Halt) (Halt, error)
	// ListHalts returns the halts that are on.
	ListHalts(ctx context.Context) ([]Halt, error)
	// ListModes returns the modes that were set.
	ListModes(ctx context.Context) ([]ModeSetting, error)
}

// Finder reads rows.
type Finder interface {
	// Get returns one row, or ErrUnknown.
	Get(ctx context.Context, approvalID string) (Approval, error)
	// Change returns a row's preview with its diff as far as it is stored, or
	// ErrUnknown. No other method returns the rest of a long diff, and it is never
	// published.
	Change(ctx context.Context, approvalID string) (tool.Preview, error)
	// Find returns the rows that meet every condition set, oldest first;
	// ErrUnbounded for a query that Check refuses.
	Find(ctx context.Context, q Query) ([]Approval, error)
	// Search returns a page of the rows that meet every condition set, newest first;
	// ErrUnknown if the row Before doesn't exist or belongs to an agent that isn't wanted.
	Search(ctx context.Context, q Search) (Found, error)
}

// ErrUnbounded refuses a query that would find all rows there ever were.
var ErrUnbounded = errors.New("approval: a query names a session, a status that ends, ids, or the Newest of a call or of an agent's tool")

// Query says which rows are wanted. It has to be bounded.
type Query struct {
	SessionID  string
	Below      bool // also of the sessions below SessionID
	AgentID    string
	Agents     []string // only of these; none: of any
	ToolName   string
	ToolCallID string
	Status     Status
	IDs        []string  // nil: any
	Settled    bool      // only rows that have an answer
	Open       bool      // only rows whose call may still run; see Approval.Open
	Running    bool      // only rows whose call was claimed and has no result
	Left       bool      // only rows with which no process has to do that is there; where there is one process: all
	AskedBy    string    // only of a program that has logged in as this subject
	AskedUntil time.Time // only rows that were made before this time
	ExpiredBy  time.Time // only rows whose deadline has come by then
	Newest     int       // the most to find, the newest; zero: all
}

// Check returns ErrUnbounded for a query whose answer grows with all that has ever
// happened.
func (q Query) Check() error {
	newest := q.Newest > 0 && (q.ToolCallID != "" || q.AgentID != "" && q.ToolName != "")
	if q.SessionID == "" && q.Status != Pending && !q.Open && !q.Running && q.IDs == nil && !newest {
		return ErrUnbounded
	}
	return nil
}

// Matches reports whether a row meets the conditions; Newest is for the whole
// of an answer.
func (q Query) Matches(a Approval) bool {
	switch {
	case q.SessionID != "" && a.SessionID != q.SessionID && !(q.Below && a.In(q.SessionID)),
		q.AgentID != "" && a.AgentID != q.AgentID,
		len(q.Agents) > 0 && !slices.Contains(q.Agents, a.AgentID),
		q.ToolName != "" && a.ToolName != q.ToolName,
		q.ToolCallID != "" && a.ToolCallID != q.ToolCallID,
		q.Status != "" && a.Status != q.Status,
		q.Settled && a.Status == Pending,
		q.Open && !a.Open(),
		q.Running && a.Run != RunClaimed,
		q.AskedBy != "" && !a.Origin.Of(q.AskedBy),
		!q.AskedUntil.IsZero() && !a.RequestedAt.Before(q.AskedUntil),
		!q.ExpiredBy.IsZero() && !a.Expired(q.ExpiredBy):
		return false
	}
	return q.IDs == nil || slices.Contains(q.IDs, a.ApprovalID)
}
