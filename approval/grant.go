package approval

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// GrantsPerSession is how many grants a session can hold; the oldest gives way
// to one more.
const GrantsPerSession = 64

// Errors about grants.
var (
	// ErrNoGrant is returned for a grant that does not exist.
	ErrNoGrant = errors.New("approval: unknown grant")
	// ErrGrantEnded refuses to clear a call by a grant that has ended.
	ErrGrantEnded = errors.New("approval: the grant has ended")
)

// Grant is a remembered approval: it answers the question again in the same
// session, for the same agent and tool. A standing one does so in every session of the
// agent with the same working directory, where the configuration allows that for the
// tool. It is given in the transaction that settles the approval it comes from; a standing one can also
// be given before such a call is made, and then belongs to no session and no approval.
type Grant struct {
	ID         string    `json:"grantId"` // the grant's id
	Scope      Scope     `json:"scope"`
	AgentID    string    `json:"agentId"`
	SessionID  string    `json:"sessionId,omitempty"` // where it was given; left out: before any call was made
	ToolName   string    `json:"toolName"`
	Covers     Coverage  `json:"covers"`
	Args       tool.JSON `json:"args,omitzero"`        // what CoverExact covers, for people; left out where that is long
	Digest     string    `json:"argsDigest"`           // of the call that was approved, which is what CoverExact covers
	ToolDigest string    `json:"toolDigest"`           // of the tool as it was shown when it was given
	ApprovalID string    `json:"approvalId,omitempty"` // of the request it comes from; left out: before any call was made
	GivenBy    By        `json:"givenBy"`
	GivenAt    time.Time `json:"givenAt"`                    // when it was given
	Standing   bool      `json:"standing,omitzero"`          // holds beyond the session in which it was given
	Directory  string    `json:"workingDirectory,omitempty"` // where it holds, if it is standing or a program's
	Credential string    `json:"-"`                          // of a standing one: what its giver was let in by; it ends with the right to answer
	ExpiresAt  time.Time `json:"expiresAt,omitzero"`         // left out: as long as the session lives
	MaxUses    int       `json:"maxUses,omitzero"`           // left out: no limit
	Uses       int       `json:"uses"`                       // how often it has cleared a call
	Ended      GrantEnd  `json:"ended,omitzero"`
}

// GrantEnd is how a grant ended; the zero value is "it has not".
type GrantEnd struct {
	Reason GrantReason `json:"reason"`
	By     By          `json:"by"`
	At     time.Time   `json:"at"` // when it ended
}

// GrantReason says why a grant ended.
type GrantReason string

// The reasons.
const (
	GrantRevoked      GrantReason = "revoked"
	GrantSessionEnded GrantReason = "session_ended"
	GrantExpired      GrantReason = "expired"
	GrantUsedUp       GrantReason = "used_up"
	GrantCrowdedOut   GrantReason = "crowded_out"
	GrantToolChanged  GrantReason = "tool_changed"
	GrantGiverGone    GrantReason = "giver_gone" // who gave a standing one may not answer any more
	GrantForgotten    GrantReason = "forgotten"  // allowedToolsStorage is memory, and the process was started again
)

// ranOut reports whether the grant came to its end by itself, so that what it
// had cleared by then still counts.
func (r GrantReason) RanOut() bool {
	return r == GrantUsedUp || r == GrantExpired || r == GrantCrowdedOut
}

// Grants finds remembered approvals and refusals.
type Grants interface {
	// Refused returns the newest refusals of a session, at most MaxRefusals.
	Refused(ctx context.Context, sessionID string) ([]Refusal, error)

	// Held returns the grants of an agent's session for a tool that have not
	// ended, newest first, with the agent's standing ones.
	Held(ctx context.Context, sessionID, agentID, toolName string) ([]Grant, error)
}

// GrantQuery says which grants are wanted; its zero value is the newest MaxGrants.
type GrantQuery struct {
	ID        string
	SessionID string
	Live      bool // only those that have not ended
	Limited   bool // only those with an expiry or a number of uses
}

// MaxGrants is how many grants a query without conditions finds, the newest.
const MaxGrants = 500

// All reports whether no condition is set.
func (q GrantQuery) All() bool { return q == GrantQuery{} }

// Matches reports whether a grant meets the conditions.
func (q GrantQuery) Matches(g Grant) bool {
	return (q.ID == "" || g.ID == q.ID) && (q.SessionID == "" || g.SessionID == q.SessionID) && (!q.Live || g.Ended.Reason == "") &&
		(!q.Limited || g.MaxUses > 0 || !g.ExpiresAt.IsZero())
}

// Fits reports whether the grant can speak about a case: it is alive, and of
// the same agent, session and tool, which is still the same. Whether it covers
// the call, its coverage decides.
func (g Grant) Fits(c Case, now time.Time) bool {
	r := c.Request
	here := g.SessionID == r.SessionID && (r.Origin.Kind != OriginProgram || g.Directory == r.WorkingDirectory)
	if g.Standing {
		here = c.Terms.Standing > 0 && g.Directory == r.WorkingDirectory
	}
	return r.Type == ToolConfirmation && g.Alive(now) && here &&
		g.AgentID == r.AgentID && g.ToolName == r.ToolName && g.ToolDigest == r.ToolDigest
}

// maxGrantArgs is how many bytes of arguments a grant has for people.
const maxGrantArgs = 4 << 10

// Naming is the grant with the arguments that it covers exactly, if they are short.
func (g Grant) Naming(args tool.JSON) Grant {
	if g.Covers.Kind == CoverExact && len(args) <= maxGrantArgs {
		g.Args = args
	}
	return g
}

// Words say what the grant covers, on one line: of exactly one call, its arguments.
func (g Grant) Words() string {
	if g.Covers.Kind != CoverExact || len(g.Args) == 0 {
		return g.Covers.Text
	}
	var only map[string]string
	if json.Unmarshal(g.Args, &only) == nil && len(only) == 1 {
		for _, text := range only {
			return "exactly " + text
		}
	}
	return "exactly " + string(g.Args)
}

// Masked is the grant as people are shown it.
func (g Grant) Masked(s *mask.Secrets) Grant {
	g.Covers = g.Covers.Masked(s)
	if len(g.Args) > 0 {
		g.Args, _ = s.JSON(g.Args)
	}
	return g
}

// SameAs reports whether a standing grant clears the same calls as another, however long each holds.
func (g Grant) SameAs(other Grant) bool {
	return g.Standing && other.Standing && g.AgentID == other.AgentID && g.ToolName == other.ToolName && g.ToolDigest == other.ToolDigest &&
		g.Directory == other.Directory && g.Covers.Kind == other.Covers.Kind && (g.Covers.Kind != CoverExact || g.Digest == other.Digest) &&
		slices.Equal(g.Covers.Command, other.Covers.Command) && slices.Equal(g.Covers.Paths, other.Covers.Paths)
}

// SharesRoom reports whether the two are counted together: those of a session, and the
// standing ones of an agent.
func (g Grant) SharesRoom(other Grant) bool {
	if g.Standing || other.Standing {
		return g.Standing && other.Standing && g.AgentID == other.AgentID
	}
	return g.SessionID == other.SessionID
}

// CoversPlainly reports whether the coverage is one that needs no judgement
// and takes in the request.
func (g Grant) CoversPlainly(r Request) bool {
	switch g.Covers.Kind {
	case CoverExact:
		return g.Digest == r.ArgsDigest
	case CoverTool:
		return true
	case CoverCommand, CoverPath:
		return false
	default:
		return false
	}
}

// Rule names the grant as the ground of a decision.
func (g Grant) Rule() string {
	if g.Standing {
		return "granted until " + g.ExpiresAt.Format(time.DateOnly) + " by " + g.GivenBy.Subject + ": " + g.Covers.Text
	}
	return "granted for this " + string(Session) + " by " + g.GivenBy.Subject + ": " + g.Covers.Text
}

// Use counts one more call cleared by the grant. It is refused once the grant
// has ended.
func (g Grant) Use(now time.Time) (Grant, error) {
	if !g.Alive(now) {
		return g, ErrGrantEnded
	}
	g.Uses++
	return g, nil
}

// End ends the grant. One that has ended is returned as it is, with false; but
// one that has only run out can still be revoked, since what it cleared last may
// not have started.
func (g Grant) End(reason GrantReason, by By, now time.Time) (Grant, bool) {
	if g.Ended.Reason != "" && (reason != GrantRevoked || !g.Ended.Reason.RanOut()) {
		return g, false
	}
	g.Ended = GrantEnd{Reason: reason, By: by.kept(), At: now}
	return g, true
}

// Overdue says why a grant that has not been ended is over all the same; empty
// when it is not.
func (g Grant) Overdue(now time.Time) GrantReason {
	switch {
	case g.Ended.Reason != "":
		return ""
	case g.expired(now):
		return GrantExpired
	case g.usedUp():
		return GrantUsedUp
	default:
		return ""
	}
}

// Alive reports whether the grant can still clear a call.
func (g Grant) Alive(now time.Time) bool { return g.Ended.Reason == "" && g.Overdue(now) == "" }

func (g Grant) expired(now time.Time) bool { return !g.ExpiresAt.IsZero() && !now.Before(g.ExpiresAt) }

func (g Grant) usedUp() bool { return g.MaxUses > 0 && g.Uses >= g.MaxUses }
