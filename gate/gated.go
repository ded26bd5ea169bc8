package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

var errNoGate = errors.New("gate: this tool was not put behind a gate")

// Gated is a tool behind a gate, and the only form in which an agent runs one.
// Only Gate.Guard makes it; the zero Gated refuses every call.
type Gated struct {
	gate   *Gate
	inner  tool.Tool
	spec   tool.Spec
	schema strictjson.Schema
	digest string // ToolDigest of the spec

	terms approval.Terms // under gate.mu
}

// Spec is the tool's own.
func (t *Gated) Spec() tool.Spec { return t.spec }

// fits says what is wrong with arguments, in the tool's own words where it has some.
func (t *Gated) fits(args tool.JSON) error {
	invalid := t.schema.CheckObject(args)
	if own, ok := t.inner.(tool.Explainer); ok && invalid != nil {
		if err := own.Explain(args); err != nil {
			return err
		}
	}
	return invalid
}

// Run asks, and runs the call if it is cleared. The result is in the session's
// journal when Run returns. Refusals are results, worded for the model; an
// error means that there is no result: ctx ended while waiting, or the store
// failed.
func (t *Gated) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if t.gate == nil {
		return tool.Result{}, errNoGate
	}
	if err := awaitTurn(ctx); err != nil {
		return tool.Result{}, err
	}
	for round := 0; ; round++ {
		row, err := t.ask(ctx, &call, round)
		if err != nil {
			return tool.Result{}, err
		}
		result, err := t.carryOut(ctx, row, &call)
		if !errors.Is(err, approval.ErrStale) {
			return result, err
		}
		if round = row.Round; round+1 >= maxRounds { // asked again: the next round voids this one
			return t.giveUp(ctx, row, fmt.Sprintf("What the call depends on changed each time it was approved, %d times.", maxRounds))
		}
		now, gone := t.now(ctx, call.SessionID)
		switch {
		case ctx.Err() != nil:
			return tool.Result{}, context.Cause(ctx)
		case gone != nil:
			return t.giveUp(ctx, row, gone.Error())
		}
		t = now
	}
}

// maxRounds is how often one call is asked. A file that is never twice the same
// would have it asked for ever, and where nobody need be asked, at full speed.
const maxRounds = 8

// giveUp refuses a call that was approved and can't be carried out as it was.
func (t *Gated) giveUp(ctx context.Context, row *approval.Approval, why string) (tool.Result, error) {
	m := t.gate.asker
	row, err := m.withdrawn(ctx, row, why)
	if err != nil {
		return tool.Result{}, err
	}
	return m.conclude(ctx, row, tool.Failed(row.Explain()))
}

// Refuse answers a call with a no of the agent's own, without asking anyone. It
// is kept and explained like one of the policy's.
func (t *Gated) Refuse(ctx context.Context, call tool.Call, why string) (tool.Result, error) {
	if t.gate == nil {
		return tool.Result{}, errNoGate
	}
	if err := awaitTurn(ctx); err != nil {
		return tool.Result{}, err
	}
	r, refused, err := t.request(ctx, &call, 0)
	if err != nil {
		return tool.Result{}, err
	}
	if refused == nil {
		r.Policy.Rule = why
		if refused, err = t.settledRow(*r, approval.Response{Status: approval.Denied, Reason: approval.PolicyDenied, Message: why, By: approval.ByPolicy()}); err != nil {
			return tool.Result{}, err
		}
	}
	row, err := t.gate.asker.open(ctx, t.gate, refused)
	if err != nil {
		return tool.Result{}, err
	}
	return t.carryOut(ctx, row, &call)
}

// settledRow is a request as a row that nobody need be asked about.
func (t *Gated) settledRow(r approval.Request, answer approval.Response) (*approval.Approval, error) {
	r, _, err := completed(r, t.gate, approval.Terms{})
	if err != nil {
		return nil, err
	}
	row, err := approval.New(r).Settle(answer, r.RequestedAt)
	return &row, err
}

// ask puts the call to the manager. Arguments that the tool could not take are
// refused without asking anyone.
func (t *Gated) ask(ctx context.Context, call *tool.Call, round int) (*approval.Approval, error) {
	var r *approval.Request
	var refused *approval.Approval
	err := Aside(func() (err error) {
		r, refused, err = t.request(ctx, call, round)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return t.gate.asker.open(ctx, t.gate, refused)
	}
	return t.gate.asker.ask(ctx, r, t.gate.terms(call.SessionID, t.spec.Name))
}

// request is the call as a question, or, where nobody need be asked, as a row
// that refuses it.
func (t *Gated) request(ctx context.Context, call *tool.Call, round int) (*approval.Request, *approval.Approval, error) {
	r := approval.Request{
		SessionID: call.SessionID, AgentID: t.gate.agentID, Type: approval.ToolConfirmation,
		ToolName: t.spec.Name, ToolDigest: t.digest, ToolCallID: call.ID, Position: call.Position, Round: round, Unanswered: call.Unanswered, CutOff: call.CutOff,
		Args: call.Args, WorkingDirectory: call.WorkingDirectory, Sandbox: t.spec.Sandbox,
		Origin: approval.Origin{Kind: "agent", Parent: call.Path}, Context: call.Context, SentBy: call.SentBy,
		Traceparent: call.Traceparent,
	}
	invalid := t.fits(call.Args)
	if invalid == nil {
		var err error
		r.Preview, err = t.shown(ctx, call, round)
		return &r, nil, err
	}
	if _, err := strictjson.Canonicalize(call.Args); err != nil {
		// Not JSON, or not exactly representable: kept as the text it is.
		if r.Args, err = json.Marshal(string(call.Args), jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, nil, fmt.Errorf("gate: arguments of %s: %w", call.ID, err)
		}
	}
	why := "arguments: " + invalid.Error()
	if r.CutOff {
		why += "; the reply was cut off at its limit of tokens, perhaps in the middle of them: write less at once"
	}
	row, err := t.settledRow(r, approval.Response{Status: approval.Denied, Reason: approval.ValidationFailed, Message: why, By: approval.BySystem()})
	return nil, row, err
}
