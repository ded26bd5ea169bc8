package door

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// Conflict is a refused answer, with the answer that was recorded instead.
type Conflict struct {
	Err      error
	Response *Response
}

// Error says why.
func (c *Conflict) Error() string { return c.Err.Error() }

// Unwrap is the refusal itself.
func (c *Conflict) Unwrap() error { return c.Err }

// Ask puts a request of a program that runs the call itself, and returns its id.
func (d *Door) Ask(ctx context.Context, who auth.Identity, r approval.Request) (approvalID string, err error) {
	row, err := d.b.Approvals.Open(ctx, who, r)
	return row.ApprovalID, err
}

// Get returns one row.
func (d *Door) Get(ctx context.Context, approvalID string) (Approval, error) {
	row, err := d.b.Approvals.Get(ctx, approvalID)
	return d.approval(row), err
}

// Find returns the rows that meet every condition set and that the identity may
// know of, oldest first.
func (d *Door) Find(ctx context.Context, who auth.Identity, q approval.Query) ([]Approval, error) {
	if !who.May(auth.See) {
		return nil, auth.ErrForbidden
	}
	q.Agents = who.Agents
	rows, err := d.b.Approvals.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	views := make([]Approval, len(rows))
	for i, row := range rows {
		views[i] = d.approval(row)
	}
	return views, nil
}

// Page is a page of a search's results.
type Page struct {
	Approvals []Approval // newest first
	Next      string     // the next page's Before; empty on the last page
	NextAt    time.Time  // with Next: how far back the search got
}

// Search returns a page of the rows that meet every condition set and that the identity may
// know of. Words match only what the identity is shown.
func (d *Door) Search(ctx context.Context, who auth.Identity, q approval.Search) (Page, error) {
	found, err := d.search(ctx, who, q)
	page := Page{Approvals: []Approval{}, Next: found.Next, NextAt: found.NextAt}
	for _, row := range found.Rows {
		if view := d.approval(row); q.Matches(view.row()) {
			page.Approvals = append(page.Approvals, view)
		}
	}
	return page, err
}

func (d *Door) search(ctx context.Context, who auth.Identity, q approval.Search) (approval.Found, error) {
	if !who.May(auth.See) {
		return approval.Found{}, auth.ErrForbidden
	}
	q.Agents = who.Agents
	return d.b.Approvals.Search(ctx, q)
}

// Asked returns the newest requests that a program made under an idempotency key, oldest
// first.
func (d *Door) Asked(ctx context.Context, who auth.Identity, key string) ([]Approval, error) {
	if !who.May(auth.Ask) {
		return nil, auth.ErrForbidden
	}
	rows, err := d.b.Approvals.Find(ctx, approval.Query{ToolCallID: key, Agents: who.Agents, AskedBy: who.Subject, Newest: mostAsked})
	views := []Approval{}
	for _, row := range rows {
		views = append(views, d.approval(row))
	}
	return views, err
}

// mostAsked is how many requests Asked looks at.
const mostAsked = 20

// Await waits until the request is answered, or ctx ends, and returns the row as it
// then is. Who asked a question gets the answer as it was given.
func (d *Door) Await(ctx context.Context, who auth.Identity, approvalID string) (OwnAnswer, error) {
	now, err := d.Look(ctx, who, approvalID)
	if err != nil || now.Status != approval.Pending {
		return now, err
	}
	if now.Origin.Of(who.Subject) {
		defer d.b.Approvals.Seen(approvalID)()
	}
	row, err := d.b.Approvals.Outcome(ctx, approvalID)
	if err != nil {
		return OwnAnswer{}, err
	}
	return d.whole(ctx, who, row)
}

// Look is Await without waiting. What a program asked itself is there for it,
// whatever else it may see.
func (d *Door) Look(ctx context.Context, who auth.Identity, approvalID string) (OwnAnswer, error) {
	row, err := d.b.Approvals.Get(ctx, approvalID)
	switch {
	case err != nil:
		return OwnAnswer{}, err
	case row.Origin.Of(who.Subject):
		if err := d.b.Approvals.Adopt(ctx, row); err != nil {
			return OwnAnswer{}, err
		}
		d.b.Approvals.Seen(approvalID)()
	case !who.May(auth.See):
		return OwnAnswer{}, gate.ErrNotYours
	case !who.Covers(row.AgentID):
		return OwnAnswer{}, approval.ErrUnknown
	}
	return d.whole(ctx, who, row)
}

// Change returns what a request's call would change in a file, to whoever may Look at the request.
func (d *Door) Change(ctx context.Context, who auth.Identity, approvalID string) (FileChange, error) {
	if _, err := d.Look(ctx, who, approvalID); err != nil {
		return FileChange{}, err
	}
	p, err := d.b.Approvals.Change(ctx, approvalID)
	p.Diff, _ = d.b.Secrets.Diff(p.Diff)
	return FileChange{p}, err
}

// Decide takes an answer. One that comes too late is a *Conflict.
func (d *Door) Decide(ctx context.Context, who auth.Identity, a approval.Answer) (Approval, error) {
	row, err := d.b.Approvals.Decide(ctx, who, a.Response(d.via))
	return d.outcome(row, err)
}

// Cancel withdraws a request. One that has been decided is a *Conflict.
func (d *Door) Cancel(ctx context.Context, who auth.Identity, approvalID string) (Approval, error) {
	row, err := d.b.Approvals.Cancel(ctx, who, d.via, approvalID)
	return d.outcome(row, err)
}

// Retract is Cancel for the program that asked.
func (d *Door) Retract(ctx context.Context, who auth.Identity, approvalID string) (Approval, error) {
	row, err := d.b.Approvals.Retract(ctx, who, d.via, approvalID)
	return d.outcome(row, err)
}

// Decline ends a request that nobody is there to answer, for the program that runs its session.
func (d *Door) Decline(ctx context.Context, who auth.Identity, approvalID string) (Approval, error) {
	row, err := d.b.Approvals.Decline(ctx, who, approvalID)
	return d.outcome(row, err)
}

// Extend moves the deadline of a program's own request to wait from now.
func (d *Door) Extend(ctx context.Context, who auth.Identity, approvalID string, wait time.Duration) (Approval, error) {
	row, err := d.b.Approvals.Extend(ctx, who, approvalID, wait)
	return d.outcome(row, err)
}

// outcome is a row after an answer, or the refusal with the answer that stands.
func (d *Door) outcome(row approval.Approval, err error) (Approval, error) {
	if errors.Is(err, auth.ErrOutOfScope) {
		err = approval.ErrUnknown // whoever is for other agents does not learn that it is there
	}
	if errors.Is(err, approval.ErrDecided) || errors.Is(err, approval.ErrExpired) {
		err = &Conflict{Err: err, Response: d.response(row.Response)}
	}
	if err != nil {
		return Approval{}, err
	}
	return d.approval(row), nil
}

// Reveal returns a request with its secrets; that is written down first.
func (d *Door) Reveal(ctx context.Context, who auth.Identity, approvalID string) (Revealed, error) {
	r, err := d.b.Approvals.Reveal(ctx, who, d.via, approvalID)
	return Revealed{r}, err
}

// Claim takes the one right to run a call, for the program that asked.
func (d *Door) Claim(ctx context.Context, who auth.Identity, approvalID string) (Claimed, error) {
	row, err := d.b.Approvals.Claim(ctx, who, approvalID)
	if err != nil {
		return Claimed{}, err
	}
	args, err := row.RunArgs()
	return Claimed{Args: args, Approval: d.approval(row)}, err
}

// Report writes down what came of a claimed call.
func (d *Door) Report(ctx context.Context, who auth.Identity, approvalID string, result tool.Result) (Approval, error) {
	if err := d.b.Approvals.Report(ctx, who, approvalID, result); err != nil {
		return Approval{}, err
	}
	return d.Get(ctx, approvalID)
}

// Tool is what a request is about, as its agent has it now or, of a program's tool that
// nobody has declared, as the request shows it.
func (d *Door) Tool(ctx context.Context, approvalID string) (tool.Spec, error) {
	spec, err := d.b.Approvals.Tool(ctx, approvalID)
	if !errors.Is(err, gate.ErrNoTool) {
		return spec, err
	}
	shown, failed := d.Get(ctx, approvalID)
	if failed != nil || shown.Type != approval.ToolConfirmation || len(shown.Schema) == 0 {
		return spec, err
	}
	return tool.Spec{Name: shown.ToolName, Schema: shown.Schema, Location: tool.Client}, nil
}

// Suggestions are rules as people are shown them. One for exactly these arguments
// would tell them where they have a secret.
func (d *Door) Suggestions(about Request, list []approval.Suggestion) []approval.Suggestion {
	if about.HasSecrets {
		list = slices.DeleteFunc(list, func(one approval.Suggestion) bool { return one.Covers.Kind == approval.CoverExact })
	}
	for i := range list {
		list[i].Rule, list[i].Covers, list[i].Sentence = d.Text(list[i].Rule), list[i].Covers.Masked(d.b.Secrets), list[i].Sentence.Each(d.Text)
	}
	return list
}

// Tried is a call that nobody has made, as people would be shown it.
func (d *Door) Tried(r approval.Request) Request { return d.request(r) }

// Give gives a standing grant before a call is made; see gate.Desk.Give.
func (d *Door) Give(ctx context.Context, who auth.Identity, r approval.Request, shown string, terms approval.GrantTerms) (Grant, error) {
	g, err := d.b.Approvals.Give(ctx, who, d.via, r, shown, terms)
	if errors.Is(err, auth.ErrOutOfScope) {
		err = gate.ErrNoAgent
	}
	return d.grant(g), err
}

// Grants lists what is remembered and the identity may know of, newest first.
func (d *Door) Grants(ctx context.Context, who auth.Identity, q approval.GrantQuery) ([]Grant, error) {
	if !who.May(auth.See) {
		return nil, auth.ErrForbidden
	}
	list, err := d.b.Approvals.Grants(ctx, q)
	views := []Grant{}
	for _, g := range list {
		if who.Covers(g.AgentID) {
			views = append(views, d.grant(g))
		}
	}
	return views, err
}

// Revoke ends a grant.
func (d *Door) Revoke(ctx context.Context, who auth.Identity, grantID string) (Grant, error) {
	g, err := d.b.Approvals.Revoke(ctx, who, d.via, grantID)
	if errors.Is(err, auth.ErrOutOfScope) {
		err = approval.ErrNoGrant
	}
	return d.grant(g), err
}

// Outcome is what became of a request, without what it was about: for counting.
type Outcome struct {
	ApprovalID  string
	AgentID     string
	ToolName    string
	RequestedAt time.Time
	Status      approval.Status
	Outcome     approval.Outcome
	Reason      approval.Reason
	By          approval.By
	At          time.Time // of the answer
}

// Outcomes is Search for counting. next is the next page's Before.
func (d *Door) Outcomes(ctx context.Context, who auth.Identity, q approval.Search) (counted []Outcome, next string, err error) {
	found, err := d.search(ctx, who, q)
	for _, row := range found.Rows {
		counted = append(counted, Outcome{
			ApprovalID: row.ApprovalID, AgentID: row.AgentID, ToolName: row.ToolName, RequestedAt: row.RequestedAt,
			Status: row.Status, Outcome: row.Outcome(), Reason: row.Response.Reason, By: row.Response.By, At: row.Response.At,
		})
	}
	return counted, found.Next, err
}
