package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/failpoint"
	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// carryOut does what a settled row says: runs the call, or words the refusal;
// either way the result is journaled with the row's last transition.
func (t *Gated) carryOut(ctx context.Context, row *approval.Approval, call *tool.Call) (tool.Result, error) {
	m := t.gate.asker
	if _, asks := t.inner.(tool.Questioner); !asks {
		endTurn(ctx)
	}
	if row.Status != approval.Approved {
		return m.conclude(ctx, row, tool.Failed(row.Explain()))
	}
	if ctx.Err() != nil { // whoever wanted the call to run wants it no more
		return tool.Result{}, context.Cause(ctx)
	}
	if row.Run == approval.RunNone { // otherwise it is no question any more what is run
		if err := t.asShown(ctx, row, call); err != nil {
			return tool.Result{}, err
		}
	}
	if !m.begin(row.ApprovalID) {
		return tool.Result{}, approval.ErrClaimed
	}
	defer m.end(row.ApprovalID)
	claimed, err := m.claim(ctx, t.gate, row)
	switch {
	case errors.Is(err, approval.ErrVoid):
		return m.conclude(ctx, claimed, tool.Failed(claimed.Explain()))
	case errors.Is(err, approval.ErrHalted):
		if claimed, err = m.haltedRow(ctx, row); err != nil {
			return tool.Result{}, err
		}
		return m.conclude(ctx, claimed, tool.Failed(claimed.Explain()))
	case errors.Is(err, approval.ErrElsewhere):
		return tool.Result{}, err
	case errors.Is(err, approval.ErrClaimed) && claimed.Run == approval.RunClaimed:
		return t.afterCrash(ctx, claimed, call)
	case err != nil:
		return tool.Result{}, err
	}
	return t.runClaimed(ctx, claimed, call)
}

// runClaimed runs the call that the row cleared, as the row has it.
func (t *Gated) runClaimed(ctx context.Context, claimed *approval.Approval, call *tool.Call) (tool.Result, error) {
	m := t.gate.asker
	args, err := claimed.RunArgs()
	if err != nil {
		return tool.Result{}, err
	}
	run := *call
	run.Args = args
	if claimed.Traceparent != "" {
		run.Traceparent = trace.Of(claimed.Traceparent, trace.Running, claimed.ApprovalID).String()
	}
	result, err := t.runGuarded(ctx, run)
	if err != nil {
		return tool.Result{}, err
	}
	result.Text = editNote(claimed, args) + result.Text
	return m.conclude(ctx, claimed, result)
}

// afterCrash concludes a call that was running when its process died. What may
// still be running is ended. Nobody knows what the call has done, so it is not
// run again, unless its tool is one that is entered again.
func (t *Gated) afterCrash(ctx context.Context, claimed *approval.Approval, call *tool.Call) (tool.Result, error) {
	m := t.gate.asker
	if _, waits := m.keptResult(claimed.ApprovalID); waits {
		return m.conclude(ctx, claimed, tool.Result{})
	}
	if t.spec.Resume == tool.ResumeReenter {
		return t.runClaimed(ctx, claimed, call)
	}
	if l, ok := t.inner.(tool.Leftovers); ok {
		if err := l.EndLeftovers(ctx, call.ID); err != nil {
			return tool.Result{}, fmt.Errorf("gate: what is left of call %s: %w", call.ID, err)
		}
	}
	return m.conclude(ctx, claimed, tool.Failed(outcomeUnknown))
}

// CloseCall closes a call that nobody will carry out any more: its tool or its
// agent is gone, or its turn has ended. What waits or has not started is
// withdrawn, the result is journaled. It reports false for a call that was
// never asked for, whose result is the caller's to write.
func (a *Asker) CloseCall(ctx context.Context, sessionID, callID, why string) (closed bool, err error) {
	rows, err := a.store.Find(ctx, approval.Query{SessionID: sessionID, ToolCallID: callID})
	if err != nil || len(rows) == 0 {
		return false, err
	}
	row := newestRound(rows)
	if row.Status == approval.Pending || row.Run == approval.RunNone {
		if row, err = a.withdrawn(ctx, row, why); err != nil {
			return false, err
		}
	}
	switch row.Run {
	case approval.RunFinished:
		return true, nil
	case approval.RunClaimed:
		_, err = a.conclude(ctx, row, tool.Failed(outcomeUnknown))
	case approval.RunNone, approval.RunVoid:
		_, err = a.conclude(ctx, row, tool.Failed(row.Explain()))
	}
	return err == nil, err
}

// claim takes the right to run, unless the current policy denies.
func (a *Asker) claim(ctx context.Context, gate *Gate, row *approval.Approval) (*approval.Approval, error) {
	for {
		seen := a.changed.Load()
		if row.Run == approval.RunNone { // otherwise nothing is left to deny
			if refused, err := a.refusal(ctx, gate, row); err != nil {
				return refused, err
			}
		}
		claimed, err := a.store.Claim(ctx, row.ApprovalID, a.runWithin, func() bool { return a.changed.Load() == seen })
		if !errors.Is(err, approval.ErrOutdated) {
			return &claimed, err
		}
	}
}

// refusal judges an approved call once more, as it would run: it is withdrawn
// where the policy now denies it, and asked again where what cleared it is
// gone, or it would run otherwise.
func (a *Asker) refusal(ctx context.Context, gate *Gate, row *approval.Approval) (*approval.Approval, error) {
	about := row.Request
	if !row.Response.Reprinted() {
		args, err := row.RunArgs()
		if err != nil {
			return row, err
		}
		about.Args = args
	}
	read, err := about.CanonicalArgs()
	if err == nil {
		about.ArgsDigest, err = approval.DigestWith(about, read)
	}
	if err != nil {
		return row, err
	}
	v := a.verdict(ctx, gate.about(about, read, gate.terms(row.SessionID, row.ToolName)))
	if v.Effect != approval.Allow && v.Effect != approval.AskPerson {
		voided, err := a.settleRow(ctx, row.ApprovalID, approval.Response{
			Status: approval.Cancelled, Reason: approval.PolicyDenied, Message: v.Rule, By: approval.ByPolicy(),
		})
		if err != nil {
			return row, err
		}
		return voided, approval.ErrVoid
	}
	switch outdated, err := a.outdated(ctx, row, v); {
	case err != nil:
		return row, err
	case outdated:
		return row, approval.ErrStale
	}
	return row, nil
}

// withdrawn is the row after the gateway itself has taken it back.
func (a *Asker) withdrawn(ctx context.Context, row *approval.Approval, why string) (*approval.Approval, error) {
	return a.settleRow(ctx, row.ApprovalID, approval.Response{
		Status: approval.Cancelled, Reason: approval.SystemCancelled, Message: why, By: approval.BySystem(),
	})
}

// conclude journals the one result of a call. It is written even when ctx has
// ended: what ran has run. A result that can't be written is kept, and written in the
// place of whatever is concluded next about the call.
func (a *Asker) conclude(ctx context.Context, row *approval.Approval, result tool.Result) (tool.Result, error) {
	if kept, waits := a.keptResult(row.ApprovalID); waits {
		result = kept
	}
	result = writable(result)
	err := a.store.Finish(context.WithoutCancel(ctx), row.ApprovalID, result)
	if err != nil && !errors.Is(err, approval.ErrHasResult) {
		err = fmt.Errorf("gate: result of %s: %w", row.ToolCallID, err)
		a.keep(row, result, err)
		return tool.Result{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.kept, row.ApprovalID)
	return result, nil
}

// keptResult is what a call that has run came to, while it can't be written.
func (a *Asker) keptResult(approvalID string) (result tool.Result, waits bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	result, waits = a.kept[approvalID]
	return result, waits
}

// keep keeps the result of a call that has run until it can be written.
func (a *Asker) keep(row *approval.Approval, result tool.Result, err error) {
	a.mu.Lock()
	_, before := a.kept[row.ApprovalID]
	if row.Run == approval.RunClaimed && !errors.Is(err, approval.ErrUnknown) {
		a.kept[row.ApprovalID] = result
	}
	a.mu.Unlock()
	if !before {
		a.failed("result", err)
	}
}

// writable is a result that the journal can hold: a tool may return bytes that
// are no text, and JSON that is not valid, and has run all the same.
func writable(r tool.Result) tool.Result {
	r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
	if strictjson.Kind(r.Structured) == 'n' || !jsontext.Value(r.Structured).IsValid() {
		r.Structured = nil
	}
	return r
}

// runGuarded runs the tool itself; an error or a panic is a failed result,
// except that a tool which can be entered again may be suspended.
func (t *Gated) runGuarded(ctx context.Context, call tool.Call) (result tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result = tool.Failed(fmt.Sprintf("The tool %s broke while it ran: %s", call.Tool, tool.Words(fmt.Errorf("%v", p))))
		}
	}()
	ctx, done := withGrace(ctx, t.gate.asker.held)
	defer done()
	failpoint.Here("before", "run")
	if err := t.gate.asker.held(); err != nil {
		return tool.Result{}, fmt.Errorf("gate: call %s: %w", call.ID, err)
	}
	result, err = t.inner.Run(ctx, call)
	failpoint.Here("after", "run")
	if errors.Is(err, tool.ErrSuspended) && t.spec.Resume == tool.ResumeReenter {
		return tool.Result{}, err
	}
	if err != nil {
		return tool.Failed(fmt.Sprintf("The tool %s failed: %s", call.Tool, tool.Words(err))), nil
	}
	return result, nil
}

// withGrace is ctx for a tool: when ctx ends with a cause that has a Grace, the
// tool has that long before its context ends too, while this process may run it.
func withGrace(ctx context.Context, held func() error) (context.Context, func()) {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if g, ok := cause.(interface{ Grace() time.Duration }); ok {
			giveGrace(run, g.Grace(), held)
		}
		cancel(cause)
	})
	return run, func() { release(); cancel(nil) }
}

func giveGrace(run context.Context, grace time.Duration, held func() error) {
	over := time.After(grace)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for held() == nil {
		select {
		case <-over:
			return
		case <-run.Done():
			return
		case <-look.C:
		}
	}
}

// begin marks a call as this process's to run, and reports false for one that
// is marked already.
func (a *Asker) begin(approvalID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, running := a.running[approvalID]; running {
		return false
	}
	a.running[approvalID] = struct{}{}
	return true
}

func (a *Asker) end(approvalID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, approvalID)
}

// outcomeUnknown is what the model reads of a call that was running when the
// gateway died.
const outcomeUnknown = "Outcome unknown: the gateway stopped while this call was running. " +
	"It was not run again. Check what it did before you repeat it."

// editNote tells the model that it was not its own arguments that ran.
func editNote(a *approval.Approval, ran tool.JSON) string {
	if a.Response.Reprinted() {
		return ""
	}
	left := a.Request
	left.Args = ran
	if digest, err := approval.Digest(left); err == nil && digest == a.ArgsDigest {
		return ""
	}
	return fmt.Sprintf("%s changed the arguments before clearing this call. It ran with: %s\n\n", a.Response.By.Subject, ran)
}

// outdated reports whether a row that the rules or a grant cleared now needs a
// person.
func (a *Asker) outdated(ctx context.Context, row *approval.Approval, v approval.Verdict) (bool, error) {
	switch {
	case row.Response.Reprinted() && v.Effect == approval.Allow && string(v.Edit) != string(row.Response.Edit):
		return true, nil // what was read then is read otherwise now: files came or went
	case v.Effect != approval.AskPerson:
		return false, nil
	case row.Response.By == approval.ByPolicy():
		return true, nil
	case row.Response.Reason == approval.Observed:
		return !v.Observed, nil
	case !row.Response.ByGrant():
		return false, nil
	}
	// The grant may be over without having been taken back: this call was its
	// last one.
	found, err := a.store.ListGrants(ctx, approval.GrantQuery{ID: row.Response.GrantID})
	if err != nil || len(found) == 0 {
		return true, err
	}
	return !cmp.Or(found[0].Ended.Reason, approval.GrantUsedUp).RanOut(), nil
}
