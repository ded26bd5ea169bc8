package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// What programs do that ask and run their calls themselves. One approval gives
// one right to run: the program claims it, runs, and reports the result.

// ErrNotYours refuses what only the program may do that asked: to claim a request,
// to withdraw it, and, without another right, to look at it.
var ErrNotYours = errors.New("gate: this request is another's: a program sees, claims and withdraws its own alone")

// Open puts a request and returns its row at once: pending, or settled where
// nobody need be asked. It is idempotent like Ask. The request says in its
// origin who asks.
func (a *Asker) Open(ctx context.Context, id auth.Identity, r approval.Request) (approval.Approval, error) {
	if err := id.Check(r.AgentID, auth.Ask); err != nil {
		return approval.Approval{}, err
	}
	r.Origin.Kind, r.Origin.Subject = approval.OriginProgram, id.Subject
	if err := sound(r); err != nil {
		return approval.Approval{}, fmt.Errorf("%w: %w", approval.ErrRequest, err)
	}
	gate := a.gate(r.AgentID)
	if gate == nil {
		return approval.Approval{}, fmt.Errorf("%w: %q", ErrNoAgent, r.AgentID)
	}
	if t := gate.Tool(r.SessionID, r.ToolName); t != nil && r.Type != approval.Elicitation && r.Type != approval.Custom {
		if err := t.schema.CheckObject(strictjson.OrEmptyObject(r.Args)); err != nil {
			return approval.Approval{}, fmt.Errorf("%w: args: %w", approval.ErrRequest, err)
		}
	}
	for {
		row, err := a.judged(ctx, gate, r, gate.terms(r.SessionID, r.ToolName))
		if err != nil {
			return approval.Approval{}, fmt.Errorf("%w: %w", approval.ErrRequest, err)
		}
		stored, err := a.store.Create(ctx, row)
		if errors.Is(err, approval.ErrGrantEnded) && ctx.Err() == nil {
			continue // it ended just now: the rules have to find something else
		}
		if err == nil && stored.Status == approval.Pending && stored.Origin.Waits {
			a.askers.asked(stored.ApprovalID)
		}
		return stored, err
	}
}

// sound says what a program's request lacks.
func sound(r approval.Request) error {
	question := r.Type == approval.Elicitation || r.Type == approval.Custom
	switch {
	case !question && r.ToolName == "":
		return errors.New("toolName: missing")
	case question && r.Editable:
		return errors.New("editable: belongs to a tool call: leave it out")
	case question && !r.Arguments.IsZero():
		return errors.New("arguments: belongs to a tool call: leave it out")
	case question && r.Message == "" && (r.Type == approval.Elicitation || r.ToolName == ""):
		return errors.New("message: missing; say what is asked")
	}
	if question && len(r.Schema) > 0 {
		if err := approval.CheckForm(r.Schema); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
		r.Schema = nil // it is of the answer
	}
	schema, err := strictjson.CompileSchema(r.Schema)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if err := schema.CheckObject(strictjson.OrEmptyObject(r.Args)); err != nil {
		return fmt.Errorf("args: %w", err)
	}
	return nil
}

// Outcome waits until the request is answered, or ctx ends, and returns the row
// as it then is.
func (a *Asker) Outcome(ctx context.Context, approvalID string) (approval.Approval, error) {
	defer a.promises.Expect(approvalID)()
	row, err := a.store.Get(ctx, approvalID)
	if err != nil || row.Status != approval.Pending {
		return row, err
	}
	outcome, err := a.await(ctx, a.promises, &row)
	if ctx.Err() != nil {
		return row, nil
	}
	if err != nil {
		return row, err
	}
	return *outcome, nil
}

// Claim takes the one right to run the call, for the program that asked. The
// row's RunArgs are what it may run. ErrStale means that it has to ask again.
func (a *Asker) Claim(ctx context.Context, id auth.Identity, approvalID string) (approval.Approval, error) {
	row, gate, err := a.own(ctx, id, approvalID)
	if err != nil {
		return row, err
	}
	claimed, err := a.claim(ctx, gate, &row)
	if err != nil {
		return row, err
	}
	return *claimed, nil
}

// Report writes down what came of a claimed call.
func (a *Asker) Report(ctx context.Context, id auth.Identity, approvalID string, result tool.Result) error {
	row, _, err := a.own(ctx, id, approvalID)
	if err != nil {
		return err
	}
	if row.Run != approval.RunClaimed && row.Run != approval.RunFinished {
		return fmt.Errorf("%w: the call has not been claimed", approval.ErrVoid)
	}
	result.Unreported = false
	return a.store.Finish(ctx, approvalID, writable(result))
}

// AskWithin is Ask for a question that is over when ctx ends: then it is
// withdrawn. Its ToolCallID has to be its own.
func (a *Asker) AskWithin(ctx context.Context, r approval.Request) (approval.Approval, error) {
	row, err := a.Ask(ctx, r, approval.Terms{})
	if err == nil || ctx.Err() == nil {
		return row, err
	}
	return row, errors.Join(err, a.withdrawAll(context.WithoutCancel(ctx),
		approval.Query{SessionID: r.SessionID, ToolCallID: r.ToolCallID, Status: approval.Pending}, "the call that it belonged to is over"))
}

// EndOrphans withdraws the questions whose call ran in an earlier process.
func (a *Asker) EndOrphans(ctx context.Context) error {
	rows, err := a.store.Find(ctx, approval.Query{Status: approval.Pending})
	if err != nil {
		return fmt.Errorf("gate: questions: %w", err)
	}
	for _, row := range rows {
		if row.Origin.Kind != approval.OriginServer {
			continue
		}
		if _, err := a.withdrawn(ctx, &row, "the gateway was stopped in the middle of the call that it belonged to"); err != nil {
			return err
		}
	}
	return nil
}

func (a *Asker) withdrawAll(ctx context.Context, q approval.Query, why string) error {
	rows, err := a.store.Find(ctx, q)
	for _, row := range rows {
		if _, failed := a.withdrawn(ctx, &row, why); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// own is a row of the program that asks for it.
func (a *Asker) own(ctx context.Context, id auth.Identity, approvalID string) (approval.Approval, *Gate, error) {
	row, err := a.lookedUp(ctx, id, approvalID, auth.Ask)
	if err != nil {
		return row, nil, err
	}
	if !row.Origin.Of(id.Subject) {
		return row, nil, ErrNotYours
	}
	gate := a.gate(row.AgentID)
	if gate == nil {
		return row, nil, fmt.Errorf("%w: %q", ErrNoAgent, row.AgentID)
	}
	return row, gate, nil
}
