package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// ErrTurnLimit ends a turn in which the model asked for too many rounds.
var ErrTurnLimit = errors.New("agent: the model was asked too often for one message")

// turn is a session at work: from the message that roused it until nothing is
// left to answer.
type turn struct {
	sessionID string
	cancel    context.CancelCauseFunc
	done      chan struct{}
	again     bool // something was said while it worked; under Agent.mu

	words string // once done: the last thing the agent said
	err   error  // once done: why it ended early
}

// cancelled is the cause of a turn that somebody stopped.
type cancelled struct {
	who auth.Identity
	via string
}

func (c *cancelled) Error() string { return "cancelled by " + c.who.Subject }

// rouse has the session's newest message answered: by the turn under way, or
// by a new one.
func (a *Agent) rouse(sessionID string) (*turn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.active[sessionID]; t != nil {
		t.again = true
		return t, nil
	}
	if a.base == nil {
		return nil, ErrNotStarted
	}
	ctx, cancel := a.base()
	t := &turn{sessionID: sessionID, cancel: cancel, done: make(chan struct{})}
	a.active[sessionID] = t
	a.work.Go(func() { a.serve(ctx, t) })
	return t, nil
}

// serve answers until nothing new has been said.
func (a *Agent) serve(ctx context.Context, t *turn) {
	defer close(t.done)
	defer t.cancel(nil)
	for {
		t.err = a.answer(ctx, t)
		a.mu.Lock()
		again := t.again && t.err == nil
		t.again = false
		if !again {
			delete(a.active, t.sessionID)
		}
		a.mu.Unlock()
		if !again {
			return
		}
	}
}

// answer is one turn in the journal. One that the agent's stop ends leaves no
// mark: it is gone on with after the next start.
func (a *Agent) answer(ctx context.Context, t *turn) error {
	var conv session.Conversation
	if err := a.catchUp(ctx, t.sessionID, &conv); err != nil {
		return err
	}
	if conv.Answered() {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("agent: id: %w", err)
	}
	started := session.TurnStarted{TurnID: id.String()}
	if _, err := a.runtime.Sessions.Append(ctx, t.sessionID, started); err != nil {
		return err
	}
	err = a.converse(ctx, t, &conv)
	if errors.Is(context.Cause(ctx), ErrStopping) {
		return ErrStopping
	}
	return errors.Join(err, a.finish(ctx, t, &conv, started.TurnID, err))
}

// finish closes the turn: what it still asks is withdrawn, every call without
// a result gets one, so that the conversation is one that any model takes.
func (a *Agent) finish(ctx context.Context, t *turn, conv *session.Conversation, turnID string, failure error) error {
	cause := context.Cause(ctx)
	ctx = context.WithoutCancel(ctx)
	end := session.TurnFinished{TurnID: turnID, Outcome: session.Completed}
	if failure != nil {
		end.Outcome, end.Message = session.Failed, failure.Error()
		var c *cancelled
		var err error
		if errors.As(cause, &c) {
			end.Outcome, end.Message = session.Cancelled, c.Error()
			err = a.runtime.Approvals.CancelAll(ctx, c.who, c.via, t.sessionID)
		} else {
			err = a.runtime.Approvals.Withdraw(ctx, t.sessionID, "the turn ended with an error")
		}
		if err = errors.Join(err, a.closeCalls(ctx, t.sessionID, conv, end)); err != nil {
			return err
		}
	}
	_, err := a.runtime.Sessions.Append(ctx, t.sessionID, end)
	return err
}

func (a *Agent) closeCalls(ctx context.Context, id string, conv *session.Conversation, end session.TurnFinished) error {
	if err := a.catchUp(ctx, id, conv); err != nil {
		return err
	}
	why := "Not run: the turn was " + end.Message + "."
	if end.Outcome == session.Failed {
		why = "Not run: the turn ended with an error: " + end.Message
	}
	for _, call := range conv.Open() {
		result := session.ToolResult{CallID: call.ID, ToolName: call.Name, Result: tool.Failed(why)}
		if _, err := a.runtime.Sessions.Append(ctx, id, result); err != nil {
			return err
		}
	}
	return nil
}

// converse goes round: open calls run, then the model speaks, until it asks
// for nothing more.
func (a *Agent) converse(ctx context.Context, t *turn, conv *session.Conversation) error {
	for asked := 0; ; {
		open := conv.Open()
		switch {
		case len(open) > 0:
			if err := a.runAll(ctx, t, open); err != nil {
				return err
			}
		case conv.Answered():
			return nil
		case asked >= a.config.MaxTurns:
			return fmt.Errorf("%w: the limit is %d (maxTurns)", ErrTurnLimit, a.config.MaxTurns)
		default:
			asked++
			if err := a.generate(ctx, t, conv); err != nil {
				return err
			}
		}
		if err := a.catchUp(ctx, t.sessionID, conv); err != nil {
			return err
		}
	}
}

// runAll runs the calls of a reply side by side. It waits for all of them,
// also when one can't be brought to a result.
func (a *Agent) runAll(ctx context.Context, t *turn, calls []session.ToolCall) error {
	errs := make([]error, len(calls))
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(func() { errs[i] = a.runOne(ctx, t, call) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (a *Agent) runOne(ctx context.Context, t *turn, call session.ToolCall) error {
	_, err := a.tools.Run(ctx, tool.Call{
		ID: call.ID, SessionID: t.sessionID, AgentID: a.config.ID, Tool: call.Name,
		Args: call.Args, WorkingDirectory: a.config.WorkingDirectory,
	})
	if !errors.Is(err, ErrNoTool) {
		return err
	}
	_, err = a.runtime.Sessions.Append(ctx, t.sessionID, session.ToolResult{
		CallID: call.ID, ToolName: call.Name, Result: tool.Failed("Not run: " + err.Error()),
	})
	return err
}

// generate has the model speak, and journals the whole of it.
func (a *Agent) generate(ctx context.Context, t *turn, conv *session.Conversation) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("agent: id: %w", err)
	}
	said := session.AssistantMessage{MessageID: id.String(), Seen: conv.Seq}
	offset := 0
	reply, err := a.config.Model.Generate(ctx, a.prompt(conv), func(d model.Delta) {
		session.Deltas.Publish(a.runtime.Bus, session.Delta{
			SessionID: t.sessionID, MessageID: said.MessageID, Offset: offset, Text: d.Text,
		})
		offset += utf16Len(d.Text)
	})
	if err != nil {
		return fmt.Errorf("agent: model: %w", err)
	}
	said.Text = reply.Text
	t.words = reply.Text
	for _, c := range reply.Calls {
		// The provider's id may be empty or used twice; ours keys everything.
		callID, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("agent: id: %w", err)
		}
		said.ToolCalls = append(said.ToolCalls, session.ToolCall{
			ID: callID.String(), ProviderID: c.ID, Name: c.Name, Args: c.Args,
		})
	}
	_, err = a.runtime.Sessions.Append(ctx, t.sessionID, said)
	return err
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// catchUp takes in what has been journaled since.
func (a *Agent) catchUp(ctx context.Context, sessionID string, conv *session.Conversation) error {
	events, err := a.runtime.Sessions.Events(ctx, sessionID, conv.Seq)
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
