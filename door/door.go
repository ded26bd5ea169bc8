package door

import (
	"context"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

// Approvals is what doors do with requests, grants and modes; *gate.Manager is it.
type Approvals interface {
	Open(ctx context.Context, who auth.Identity, r approval.Request) (approval.Approval, error)
	Get(ctx context.Context, approvalID string) (approval.Approval, error)
	Find(ctx context.Context, q approval.Query) ([]approval.Approval, error)
	Change(ctx context.Context, approvalID string) (tool.Preview, error)
	Search(ctx context.Context, q approval.Search) (approval.Found, error)
	Outcome(ctx context.Context, approvalID string) (approval.Approval, error)
	Now() time.Time
	Adopt(ctx context.Context, row approval.Approval) error
	Seen(approvalID string) (left func())
	Extend(ctx context.Context, who auth.Identity, approvalID string, wait time.Duration) (approval.Approval, error)
	Retract(ctx context.Context, who auth.Identity, via approval.Via, approvalID string) (approval.Approval, error)
	Decide(ctx context.Context, who auth.Identity, r approval.Response) (approval.Approval, error)
	Cancel(ctx context.Context, who auth.Identity, via approval.Via, approvalID string) (approval.Approval, error)
	Decline(ctx context.Context, who auth.Identity, approvalID string) (approval.Approval, error)
	CancelWaiting(ctx context.Context, who auth.Identity, via approval.Via, w approval.Which) ([]approval.Approval, error)
	Halt(ctx context.Context, who auth.Identity, via approval.Via, agentID string) (approval.Halt, error)
	Lift(ctx context.Context, who auth.Identity, via approval.Via, agentID string) (approval.Halt, error)
	Halts() []approval.Halt
	Reveal(ctx context.Context, who auth.Identity, via approval.Via, approvalID string) (approval.Request, error)
	Claim(ctx context.Context, who auth.Identity, approvalID string) (approval.Approval, error)
	Report(ctx context.Context, who auth.Identity, approvalID string, result tool.Result) error
	Tool(ctx context.Context, approvalID string) (tool.Spec, error)
	Grants(ctx context.Context, q approval.GrantQuery) ([]approval.Grant, error)
	Give(ctx context.Context, who auth.Identity, via approval.Via, r approval.Request, shown string, terms approval.GrantTerms) (approval.Grant, error)
	Revoke(ctx context.Context, who auth.Identity, via approval.Via, grantID string) (approval.Grant, error)
	SetMode(ctx context.Context, who auth.Identity, via approval.Via, agentID string, mode approval.Mode, seen int64) (approval.ModeSetting, error)
}

// Sessions is what doors read; every session.Log is it.
type Sessions interface {
	List(ctx context.Context, q session.Query) ([]session.Session, error)
	Get(ctx context.Context, id string) (session.Session, error)
	Head(ctx context.Context, id string) (session.Session, error)
	Events(ctx context.Context, id string, after int64, limit int) ([]session.Event, error)
}

// Agents is what doors do with agents; *agent.Roster is it.
type Agents interface {
	Agents() []agent.Info
	NewSession(ctx context.Context, who auth.Identity, agentID, title string) (session.Session, error)
	External(ctx context.Context, who auth.Identity, agentID, client string, run *session.Run) (session.Session, error)
	EndRun(ctx context.Context, who auth.Identity, sessionID string) error
	Prompt(ctx context.Context, sessionID string, events []session.Event) (model.Prompt, error)
	Send(ctx context.Context, who auth.Identity, sessionID, text string) (int64, error)
	Interrupt(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) (over <-chan struct{}, err error)
	End(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) error
}

// Backend is what doors lead to; all of it but Secrets is required.
type Backend struct {
	Bus       *bus.Bus
	Approvals Approvals
	Sessions  Sessions
	Agents    Agents
	Secrets   *mask.Secrets // taken out of what is shown; nil: none
}

// Door is one way in.
type Door struct {
	b    Backend
	via  approval.Via
	chat *transcript.Door
}

// New makes the door of a name.
func New(b Backend, via approval.Via) *Door {
	return &Door{b: b, via: via, chat: transcript.New(transcript.Backend{Approvals: b.Approvals, Sessions: b.Sessions, Agents: b.Agents})}
}

// Now is the clock by which deadlines are counted.
func (d *Door) Now() time.Time { return d.b.Approvals.Now() }

// As is the same door under another name, for what comes in by it in another way.
func (d *Door) As(via approval.Via) *Door {
	other := *d
	other.via = via
	return &other
}

// Subscribe follows topics of the bus; see View.
func (d *Door) Subscribe(queue int, topics ...bus.Named) *bus.Subscription {
	return d.b.Bus.Subscribe(queue, topics...)
}

// Text is a text as people are shown it.
func (d *Door) Text(text string) string {
	shown, _ := d.b.Secrets.Text(text)
	return shown
}

// Agents lists the agents that an identity may know of, by name.
func (d *Door) Agents(who auth.Identity) []agent.Info {
	var known []agent.Info
	for _, a := range d.b.Agents.Agents() {
		if who.Check(a.AgentID, auth.See) == nil {
			known = append(known, d.agent(a))
		}
	}
	return known
}

// SetMode sets an agent's mode; see gate.Settings.
func (d *Door) SetMode(ctx context.Context, who auth.Identity, agentID string, mode approval.Mode, seen int64) (approval.ModeSetting, error) {
	return d.b.Approvals.SetMode(ctx, who, d.via, agentID, mode, seen)
}
