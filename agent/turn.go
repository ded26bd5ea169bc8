package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// ErrTurnLimit ends a turn in which the model asked for too many rounds.
var ErrTurnLimit = errors.New("agent: the model was asked too often for one message")

// answer is one turn in the journal: a new one, or one that was left open when
// a process ended. One that the agent's stop ends leaves no mark. It reports
// whether the journal has the turn's end; where the store failed, it has not,
// and the turn is still to be gone on with.
func (a *Agent) answer(ctx context.Context, t *turn) (closed bool, err error) {
	known := a.runtime.conversations.take(a, t.sessionID)
	conv := &known.conv
	t.settled = known.settled
	reading := context.WithoutCancel(ctx) // also a turn that is cancelled has to be closed
	err = gate.Aside(func() error {
		if err := a.enter(ctx, t); err != nil {
			return err
		}
		s, err := a.runtime.Sessions.Head(reading, t.sessionID)
		if err != nil {
			return err
		}
		t.path = s.Path
		return a.runtime.catchUp(reading, t.sessionID, conv)
	})
	if err != nil {
		return errors.Is(err, session.ErrUnknown) || errors.Is(err, session.ErrElsewhere), err
	}
	defer func() {
		if closed && err == nil {
			a.settle(&known.settled, conv)
			a.runtime.conversations.keep(known)
		}
	}()
	defer a.gate.DropSessionTools(t.sessionID)
	if c := cancelledBy(ctx); c != nil && c.seq != 0 && conv.Turn == "" && conv.HeardBy(c.seq) <= conv.Last.Heard {
		t.more = conv.Waiting() // what was to be stopped has ended
		return true, nil
	}
	if !conv.Waiting() {
		t.words = conv.LastWords()
		return true, nil
	}
	var turnID string
	err = gate.Aside(func() (err error) {
		turnID, err = a.open(ctx, t.sessionID, conv)
		return err
	})
	if errors.Is(err, session.ErrEnded) {
		return true, err // what an ended session has open is closed with it
	}
	if err == nil {
		err = a.converse(ctx, t, conv)
		t.words = conv.LastWords()
	} else if cancelledBy(ctx) == nil {
		return false, err
	}
	if errors.Is(context.Cause(ctx), ErrStopping) || errors.Is(err, tool.ErrSuspended) {
		return false, ErrStopping
	}
	if (errors.Is(err, session.ErrUnwritten) || errors.Is(err, session.ErrBehind)) && cancelledBy(ctx) == nil {
		return false, err // the turn is taken up again when the store is back, or left to another process
	}
	unclosed := a.runtime.finish(ctx, t.sessionID, conv, turnID, t.spent, err)
	if c := cancelledBy(ctx); c != nil && unclosed == nil {
		unclosed = a.runtime.catchUp(reading, t.sessionID, conv)
		t.more = conv.Waiting()
	}
	return unclosed == nil, errors.Join(err, unclosed)
}

// open begins a turn in the journal, unless one is open, once the agent is not halted.
func (a *Agent) open(ctx context.Context, sessionID string, conv *session.Conversation) (turnID string, err error) {
	if err := a.runtime.Approvals.AwaitLift(ctx, a.config.ID); err != nil {
		return conv.Turn, err
	}
	if conv.Turn != "" {
		return conv.Turn, nil
	}
	if turnID, err = newID(); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	_, err = a.runtime.Sessions.Append(ctx, sessionID, session.TurnStarted{TurnID: turnID, Traceparent: partOf(conv)})
	return turnID, err
}

// partOf is the traceparent of what was said last.
func partOf(conv *session.Conversation) string {
	for _, step := range slices.Backward(conv.Steps) {
		if step.User != nil {
			return step.User.Traceparent
		}
	}
	return ""
}

func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("agent: id: %w", err)
	}
	return id.String(), nil
}

// converse goes round: open calls run, then the model speaks, until it asks
// for nothing more.
func (a *Agent) converse(ctx context.Context, t *turn, conv *session.Conversation) error {
	for ran := false; ; ran = true {
		var calls []session.ToolCall
		var over bool
		err := gate.Aside(func() (err error) {
			if ran {
				err = a.runtime.catchUp(ctx, t.sessionID, conv)
			}
			if err == nil {
				calls, over, err = a.next(ctx, t, conv)
			}
			return err
		})
		if err != nil || over {
			return err
		}
		if err := a.runAll(ctx, t, conv, calls); err != nil {
			return err
		}
	}
}

// next has the model speak where no call is open. It returns the calls to run, and whether there is nothing more to do.
func (a *Agent) next(ctx context.Context, t *turn, conv *session.Conversation) (calls []session.ToolCall, over bool, err error) {
	for {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		if err := a.refresh(ctx, t); err != nil {
			return nil, false, err
		}
		open := conv.Open()
		switch {
		case len(open) > 0:
			if calls, err = a.ready(ctx, t, open); err != nil || len(calls) > 0 {
				return calls, false, err
			}
			err = pause(ctx, lookAgain)
		case conv.Answered():
			return nil, true, nil
		case conv.Replies() >= a.config.MaxTurns: // the limit is for one message
			return nil, false, fmt.Errorf("%w: the limit is %d (maxTurns)", ErrTurnLimit, a.config.MaxTurns)
		default:
			if err = a.runtime.Approvals.AwaitLift(ctx, a.config.ID); err == nil {
				err = a.generate(ctx, t, conv)
			}
		}
		if err == nil {
			err = a.runtime.catchUp(ctx, t.sessionID, conv)
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// runAll runs the calls of a reply side by side; they are asked for in the order in
// which the model made them. It waits for all of them, also when one can't be brought
// to a result.
func (a *Agent) runAll(ctx context.Context, t *turn, conv *session.Conversation, calls []session.ToolCall) error {
	if len(calls) == 1 { // as most often, and then without a goroutine that waits for hours
		return a.runOne(ctx, t, conv, calls[0])
	}
	errs := make([]error, len(calls))
	var all sync.WaitGroup
	for i, turn := range gate.InOrder(len(calls)) {
		all.Go(func() {
			defer turn.Over()
			errs[i] = a.runOne(turn.In(ctx), t, conv, calls[i])
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (a *Agent) runOne(ctx context.Context, t *turn, conv *session.Conversation, call session.ToolCall) error {
	run := tool.Call{
		ID: call.ID, SessionID: t.sessionID, AgentID: a.config.ID, Tool: call.Name,
		Args: call.Args, WorkingDirectory: a.config.WorkingDirectory, Path: t.path, Context: lately(conv),
		SentBy: senders(conv), Position: conv.Position(call.ID), CutOff: conv.CutOff(call.ID),
	}
	if a.runtime.Traces {
		run.Traceparent = trace.Of(conv.Part, trace.Turn, conv.Turn).String()
	}
	earlier, err := a.before(ctx, t.sessionID, conv, call)
	run.Unanswered = earlier.unanswered
	why := earlier.refusal(a.config.MaxDenials)
	switch {
	case err != nil:
		return err
	case why != "":
		_, err = a.tools.Refuse(ctx, run, why)
	default:
		_, err = a.tools.Run(ctx, run)
	}
	if errors.Is(err, ErrNoTool) {
		why := strings.Join(append([]string{tool.Words(err)}, t.missing...), ". ")
		return a.runtime.closeCall(ctx, t.sessionID, call, strings.TrimSuffix(why, "."))
	}
	return err
}
