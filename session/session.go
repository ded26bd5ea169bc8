// Package session keeps conversations: a Session is a row, and everything that
// happens in it is an Event in its journal, numbered from 1 without gaps.
//
// The journal is the truth. What a person is shown and what a model is given
// are projections of it (Messages), and a session's Status follows from its
// rows (StatusOf); neither is stored apart from them.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// ErrUnknown is returned for a session that does not exist.
var ErrUnknown = errors.New("session: unknown session (there is none, or it is no longer kept)")

// ErrEnded is returned for work in a session that has been closed or cancelled.
var ErrEnded = errors.New("session: the session has ended: start another one")

// ErrElsewhere is returned if the session is for another gateway of the cluster to work in.
var ErrElsewhere = errors.New("session: another gateway works in this session")

// ErrBehind is returned for a call if another gateway's version of the agent counts.
var ErrBehind = errors.New("session: this gateway's file says something else about the agent than the cluster's other gateways: nothing runs here for it until they agree")

// ErrUnwritten marks an error of a store that can't keep anything now, as on a full disk: nothing was changed,
// and the same may succeed later. Only if the store stops while it looks up a commit whose answer was lost may the
// change have been made; the error says so.
var ErrUnwritten = errors.New("nothing can be kept now")

// ErrNoAgent is returned for a session with an agent that is not there.
var ErrNoAgent = errors.New("session: there is no such agent")

// Kind says who runs the conversation.
type Kind string

// The kinds of sessions.
const (
	KindAgent    Kind = "agent"    // an agent of this gateway
	KindExternal Kind = "external" // a program that only asks for approvals
)

// Session is one conversation. Status, TurnOpen, Seq, Usage, Calls and PendingApprovals
// are filled in by the Log when it is read.
type Session struct {
	ID        string    `json:"sessionId"` // the conversation's id
	AgentID   string    `json:"agentId"`
	ParentID  string    `json:"parentId,omitempty"` // the session whose agent handed the work on
	Path      string    `json:"path,omitempty"`     // then also the agents above and this one, such as "demo › researcher"
	Kind      Kind      `json:"kind"`
	Title     string    `json:"title,omitempty"`     // one line, for people
	CreatedAt time.Time `json:"createdAt"`           // when it began
	CreatedBy string    `json:"createdBy,omitempty"` // who began it
	Asker     string    `json:"asker,omitempty"`     // in a program's session: the id of its login or token
	Run       *Run      `json:"run,omitempty"`       // in a program's session: its run, if it began one
	Ended     Outcome   `json:"ended,omitempty"`     // how it ended; empty while it lives
	Status    Status    `json:"status"`
	TurnOpen  bool      `json:"turnOpen,omitzero"` // the agent is at work or about to be, also while it waits for an approval
	Seq       int64     `json:"seq"`               // the number of its newest event
	Usage     Usage     `json:"usage,omitzero"`    // of all its replies
	Calls     Calls     `json:"calls,omitzero"`    // how its calls ended

	PendingApprovals []PendingApproval `json:"pendingApprovals,omitempty"` // also of the sub-agents below, in the order of Seq
}

// Run is a run of a program, as the program reports it.
type Run struct {
	Name             string `json:"name"`                       // the run's name; the same name joins it until it ends
	WorkingDirectory string `json:"workingDirectory,omitempty"` // the folder of the run
	Parent           string `json:"parent,omitempty"`           // the name of the run that started this one
}

// RunKey identifies the run that a program's session belongs to; an agent's has none ("").
func (s Session) RunKey() string {
	if s.Kind != KindExternal {
		return ""
	}
	name := ""
	if s.Run != nil {
		name = s.Run.Name
	}
	return fmt.Sprintf("%q %q %q %q", s.Asker, s.AgentID, s.Title, name)
}

// Head is the session without what is derived from its events, except Ended.
func (s Session) Head() Session {
	s.Status, s.TurnOpen, s.Seq, s.Usage, s.Calls, s.PendingApprovals = "", false, 0, Usage{}, Calls{}, nil
	return s
}

// PendingApproval is a request of the session, or of one below it, that waits for
// an answer. The arguments of one below stand with that session alone.
type PendingApproval struct {
	ApprovalID  string    `json:"approvalId"`
	Seq         int64     `json:"seq"`       // of the event of this session that announced it
	SessionID   string    `json:"sessionId"` // in which it is asked
	AgentID     string    `json:"agentId"`
	Path        string    `json:"path,omitempty"` // of a sub-agent's: the agents above and its own, such as "demo › researcher"
	ToolName    string    `json:"toolName,omitempty"`
	ToolCall    ToolCall  `json:"toolCall,omitzero"`
	RequestedAt time.Time `json:"requestedAt"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // absent: it waits without limit
}

// PendingOf reads what a session shows of a request from the request's JSON,
// as approval.Request or approval.BelowRequest has it.
func PendingOf(request tool.JSON) (PendingApproval, error) {
	var r struct {
		ApprovalID string `json:"approvalId"`
		SessionID  string `json:"sessionId"`
		AgentID    string `json:"agentId"`
		Origin     struct {
			Parent string `json:"parent"`
		} `json:"origin"`
		ToolName    string    `json:"toolName"`
		ToolCallID  string    `json:"toolCallId"`
		Args        tool.JSON `json:"args"`
		RequestedAt time.Time `json:"requestedAt"`
		ExpiresAt   time.Time `json:"expiresAt"`
	}
	if err := json.Unmarshal(request, &r); err != nil {
		return PendingApproval{}, fmt.Errorf("session: request: %w", err)
	}
	return PendingApproval{
		ApprovalID: r.ApprovalID, SessionID: r.SessionID, AgentID: r.AgentID, Path: r.Origin.Parent, ToolName: r.ToolName, RequestedAt: r.RequestedAt, ExpiresAt: r.ExpiresAt,
		ToolCall: ToolCall{ID: r.ToolCallID, Name: r.ToolName, Args: r.Args},
	}, nil
}

// PageBytes is how many bytes of data end a page of events. The last event may exceed it.
const PageBytes = 1 << 20

// PageSize is how many sessions are listed where no limit is named.
const PageSize = 100

// allPage is how many sessions All reads at a time.
const allPage = 1000

// Query says which sessions are wanted.
type Query struct {
	Agents []string // only with these; none: with any
	Busy   bool     // only those with an open turn, or with a request that waits
	Before string   // only sessions made before this one, by id
	Limit  int      // the most to list; zero: PageSize
}

// All goes through all sessions that a query names, newest first, page by page.
func All(ctx context.Context, log interface {
	List(ctx context.Context, q Query) ([]Session, error)
}, q Query) iter.Seq2[Session, error] {
	q.Limit = cmp.Or(q.Limit, allPage)
	return func(yield func(Session, error) bool) {
		for {
			page, err := log.List(ctx, q)
			if err != nil {
				yield(Session{}, err)
				return
			}
			for _, s := range page {
				if !yield(s, nil) {
					return
				}
			}
			if len(page) < q.Most() {
				return
			}
			q.Before = page[len(page)-1].ID
		}
	}
}

// Most is how many sessions are listed at most.
func (q Query) Most() int { return cmp.Or(q.Limit, PageSize) }

// Matches reports whether a session meets the conditions; Before and Limit are for
// the whole of an answer.
func (q Query) Matches(s Session) bool {
	return (len(q.Agents) == 0 || slices.Contains(q.Agents, s.AgentID)) &&
		(!q.Busy || s.TurnOpen || len(s.PendingApprovals) > 0)
}

// Stop says who wants a session's turn to end; the zero Stop: no one does.
type Stop struct {
	By  string `json:"by"`
	Via string `json:"via"`          // the door
	Seq int64  `json:"seq,omitzero"` // the newest event when the turn was open; 0: the turn that is open now
}

// Log is where sessions and their journals are kept. Every method is atomic;
// what Append returns is durable where the Log is.
type Log interface {
	// Create adds a session and its first event, TypeCreated. An empty ID or
	// CreatedAt is filled in.
	Create(ctx context.Context, s Session) (Session, error)
	// Join returns the Head of the open session with the same RunKey, or creates it. If
	// several callers join at once, they get the same session.
	Join(ctx context.Context, s Session) (Session, error)
	// EndIdle ends the programs' open sessions whose last event is older than since, unless
	// a call in them is pending or running, or spared returns true. A call claimed more
	// than a day before since no longer counts as running. It returns the ids.
	EndIdle(ctx context.Context, since time.Time, spared func(id string) bool) ([]string, error)
	// Get returns one session, or ErrUnknown.
	Get(ctx context.Context, id string) (Session, error)
	// Head returns the session as Session.Head has it, or ErrUnknown. It does not read the
	// session's events or requests.
	Head(ctx context.Context, id string) (Session, error)
	// List returns the newest sessions that meet every condition set, newest first.
	// ErrUnknown if there is no session Before.
	List(ctx context.Context, q Query) ([]Session, error)
	// Append adds one event. It returns ErrUnknown or ErrEnded for a session
	// that can take none; the results of calls that were running at its end
	// and the end of its turn are still taken.
	Append(ctx context.Context, id string, body Body) (Event, error)
	// Work makes this process the one that works in a session, and returns who wants its turn to end. ErrElsewhere if
	// another live process works there, or this one may not work for the agent. Without a cluster it always may.
	Work(ctx context.Context, id string) (Stop, error)
	// Stop asks the other process that works in a session to end its open turn, before it goes on with anything that
	// is decided later. If none works there, the next one gets the Stop from Work. It does nothing if this process
	// works there, or no such turn is open.
	Stop(ctx context.Context, id string, by Stop) error
	// Left returns sessions with an open turn in which no live process works, as Session.Head has them, and makes
	// this process work in them. It leaves out those whose parent has an open turn too. In a cluster it returns only
	// sessions of these agents. With more there may be others: ask again.
	Left(ctx context.Context, agents []string) (list []Session, more bool, err error)
	// Events returns the events with a sequence number greater than after, in order. A limit
	// other than zero returns one page: at most limit events, and none after PageBytes. An
	// empty page means that there are no more.
	Events(ctx context.Context, id string, after int64, limit int) ([]Event, error)
}
