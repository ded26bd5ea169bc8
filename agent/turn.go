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

// answer is one turn in the journal: a new one, or one that was left open when
// a process ended. One that the agent's stop ends leaves no mark.
func (a *Agent) answer(ctx context.Context, t *turn) error {
	var conv session.Conversation
	if err := a.runtime.catchUp(ctx, t.sessionID, &conv); err != nil {
		return err
	}
	turnID := conv.Turn
	if turnID == "" {
		if conv.Answered() {
			return nil
		}
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("agent: id: %w", err)
		}
		turnID = id.String()
		if _, err := a.runtime.Sessions.Append(ctx, t.sessionID, session.TurnStarted{TurnID: turnID}); err != nil {
			return err
		}
	}
	err := a.converse(ctx, t, &conv)
	if errors.Is(context.Cause(ctx), ErrStopping) {
		return ErrStopping
	}
	return errors.Join(err, a.runtime.finish(ctx, t.sessionID, &conv, turnID, err))
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
		if err := a.runtime.catchUp(ctx, t.sessionID, conv); err != nil {
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
	if errors.Is(err, ErrNoTool) {
		return a.runtime.closeCall(ctx, t.sessionID, call, err.Error())
	}
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
