package agent

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Runtime is what agents of one process share.
type Runtime struct {
	Bus       *bus.Bus
	Sessions  session.Log
	Approvals *gate.Manager
	Traces    bool // calls say of which trace they are part

	conversations conversations
}

// Topics are the topics that a Runtime's bus has to carry.
func Topics() []bus.Named {
	return append(approval.Topics(), session.Events, session.Deltas, session.Progresses)
}

// newRuntime is a runtime in memory, without rules.
func newRuntime() *Runtime {
	promises := gate.NewPromises()
	b := bus.New(Topics(), promises.Inline())
	log := session.NewMemory(b)
	rows := approval.NewMemory(b, log)
	return &Runtime{
		Bus: b, Sessions: log,
		Approvals: gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{}),
	}
}

// catchUp takes in what has been journaled since.
func (r *Runtime) catchUp(ctx context.Context, sessionID string, conv *session.Conversation) error {
	events, err := r.Sessions.Events(ctx, sessionID, conv.Seq, 0)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := conv.Add(e); err != nil {
			return err
		}
	}
	return nil
}

// finish closes a turn. One that failed or was cancelled leaves nothing open:
// what it still asks is withdrawn, and every call without a result gets one,
// so that the conversation is one that any model takes.
func (r *Runtime) finish(
	ctx context.Context, sessionID string, conv *session.Conversation, turnID string, spent session.Usage, failure error,
) error {
	c := cancelledBy(ctx)
	ctx = context.WithoutCancel(ctx)
	end := session.TurnFinished{TurnID: turnID, Outcome: session.Completed, Heard: conv.Heard(), Usage: spent}
	if failure != nil {
		var err error
		if c != nil {
			end.Outcome, end.Message = session.Cancelled, c.Error()
			err = r.Approvals.CancelAll(ctx, c.who, c.via, sessionID)
		} else {
			end.Outcome, end.Message = session.Failed, tool.Words(failure)
			err = r.Approvals.Withdraw(ctx, sessionID, end.Message)
		}
		if err = errors.Join(err, r.closeCalls(ctx, sessionID, conv, end)); err != nil {
			return err
		}
		if c != nil {
			end.Heard = conv.HeardBy(cmp.Or(c.seq, math.MaxInt64)) // who cancels, cancels all that had been said
		}
	}
	_, err := r.Sessions.Append(ctx, sessionID, end)
	return err
}

func (r *Runtime) closeCalls(ctx context.Context, sessionID string, conv *session.Conversation, end session.TurnFinished) error {
	if err := r.catchUp(ctx, sessionID, conv); err != nil {
		return err
	}
	why := "the turn was " + end.Message
	if end.Outcome == session.Failed {
		why = "the turn ended with an error: " + end.Message
	}
	for _, call := range conv.Open() {
		if err := r.closeCall(ctx, sessionID, call, why); err != nil {
			return err
		}
	}
	return nil
}

// closeCall gives a call that will not run its one result: through its row if
// it has been asked for, and by itself otherwise.
func (r *Runtime) closeCall(ctx context.Context, sessionID string, call session.ToolCall, why string) error {
	child, err := r.Sessions.Get(ctx, call.ID)
	if err == nil && child.TurnOpen { // of a sub-agent that worked for this call
		err = r.orphan(ctx, child, errors.New(why))
	}
	if err != nil && !errors.Is(err, session.ErrUnknown) {
		return err
	}
	closed, err := r.Approvals.CloseCall(ctx, sessionID, call.ID, why)
	if closed || err != nil {
		return err
	}
	_, err = r.Sessions.Append(ctx, sessionID, session.ToolResult{
		CallID: call.ID, ToolName: call.Name, Result: tool.Failed("Not run: " + why + "."),
	})
	return err
}
