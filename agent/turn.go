package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// ErrTurnLimit ends a turn in which the model asked for too many rounds.
var ErrTurnLimit = errors.New("agent: the model was asked too often for one message")

// turn is a session at work on what was said before it.
type turn struct {
	sessionID string
	cancel    context.CancelCauseFunc
	done      chan struct{}
	next      *turn // answers what is said while this one works; under Agent.mu

	delay time.Duration // before it begins, after one that the store failed
	path  string        // of the session's agent, where it works for another
	words string        // once done: the last thing the agent has said
	err   error         // once done: why it ended early
}

// cancelled is the cause of a turn that somebody stopped.
type cancelled struct {
	who auth.Identity
	via string
}

func (c *cancelled) Error() string { return "cancelled by " + c.who.Subject }

// rouse has the session's newest message answered, and returns the turn by
// whose end it has been: one that begins now, or the one after the turn under
// way, which may have read everything already, or be about to end.
func (a *Agent) rouse(sessionID string) (*turn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base == nil {
		return nil, ErrNotStarted
	}
	now := a.active[sessionID]
	if now != nil && now.next != nil {
		return now.next, nil
	}
	t := &turn{sessionID: sessionID, done: make(chan struct{})}
	if now != nil {
		now.next = t
		return t, nil
	}
	a.begin(t)
	return t, nil
}

// begin starts a turn; under Agent.mu.
func (a *Agent) begin(t *turn) {
	ctx, cancel := a.base()
	t.cancel = cancel
	a.active[t.sessionID] = t
	a.work.Go(func() { a.serve(ctx, t) })
}

// interrupt ends the session's turn, and with it the one that was to answer what
// has been said since; what is said from now on begins another. It returns the
// turn, nil when the session is at rest.
func (a *Agent) interrupt(sessionID string, why *cancelled) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.active[sessionID]
	if t == nil {
		return nil
	}
	t.cancel(why)
	if t.next != nil {
		t.next.err = why
		close(t.next.done)
		t.next = nil
	}
	return t
}

// serve runs a turn, and begins the next one if more has been said. A turn that
// comes too late for Stop ends before it has begun.
func (a *Agent) serve(ctx context.Context, t *turn) {
	defer close(t.done)
	defer t.cancel(nil)
	closed := false
	if t.err = pause(ctx, t.delay); !errors.Is(t.err, ErrStopping) {
		closed, t.err = a.answer(ctx, t) // which closes a turn that was cancelled meanwhile
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.active, t.sessionID)
	if !closed && t.next == nil {
		t.next = &turn{sessionID: t.sessionID, done: make(chan struct{}), delay: min(2*t.delay+firstRetry, lastRetry)}
	}
	switch {
	case t.next == nil:
	case a.base != nil:
		a.begin(t.next)
	default:
		t.next.err = ErrStopping
		close(t.next.done)
	}
}

// The pauses before a turn that the store has failed is tried again.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answer is one turn in the journal: a new one, or one that was left open when
// a process ended. One that the agent's stop ends leaves no mark. It reports
// whether the journal has the turn's end; where the store failed, it has not,
// and the turn is still to be gone on with.
func (a *Agent) answer(ctx context.Context, t *turn) (closed bool, err error) {
	var conv session.Conversation
	reading := context.WithoutCancel(ctx) // also a turn that is cancelled has to be closed
	if err := a.runtime.catchUp(reading, t.sessionID, &conv); err != nil {
		return errors.Is(err, session.ErrUnknown), err
	}
	s, err := a.runtime.Sessions.Get(reading, t.sessionID)
	if err != nil {
		return false, err
	}
	t.path = s.Path
	turnID := conv.Turn
	if turnID == "" {
		if conv.Answered() {
			t.words = conv.LastWords()
			return true, nil
		}
		id, err := uuid.NewV7()
		if err != nil {
			return true, fmt.Errorf("agent: id: %w", err)
		}
		turnID = id.String()
		if _, err := a.runtime.Sessions.Append(ctx, t.sessionID, session.TurnStarted{TurnID: turnID}); err != nil {
			return errors.Is(err, session.ErrEnded) || ctx.Err() != nil, err // then there is nothing to close
		}
	}
	err = a.converse(ctx, t, &conv)
	t.words = conv.LastWords()
	if errors.Is(context.Cause(ctx), ErrStopping) || errors.Is(err, tool.ErrSuspended) {
		return false, ErrStopping
	}
	unclosed := a.runtime.finish(ctx, t.sessionID, &conv, turnID, err)
	return unclosed == nil, errors.Join(err, unclosed)
}

// converse goes round: open calls run, then the model speaks, until it asks
// for nothing more.
func (a *Agent) converse(ctx context.Context, t *turn, conv *session.Conversation) error {
	asked, heard := 0, conv.Heard()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if newest := conv.Heard(); newest > heard { // the limit is for one message
			asked, heard = 0, newest
		}
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
	if len(calls) == 1 { // as most often, and then without a goroutine that waits for hours
		return a.runOne(ctx, t, calls[0])
	}
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
		Args: call.Args, WorkingDirectory: a.config.WorkingDirectory, Path: t.path,
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
	voice := &voice{bus: a.runtime.Bus, sessionID: t.sessionID, messageID: said.MessageID}
	reply, err := a.config.Model.Generate(ctx, a.prompt(conv), voice.say)
	if err != nil {
		return fmt.Errorf("agent: model: %w", err)
	}
	said.Text = strings.ToValidUTF8(reply.Text, "\uFFFD")
	for _, c := range reply.Calls {
		// The provider's id may be empty or used twice; ours keys everything.
		callID, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("agent: id: %w", err)
		}
		args, err := readable(c.Args)
		if err != nil {
			return fmt.Errorf("agent: arguments of %s: %w", c.Name, err)
		}
		said.ToolCalls = append(said.ToolCalls, session.ToolCall{
			ID: callID.String(), ProviderID: strings.ToValidUTF8(c.ID, "\uFFFD"),
			Name: strings.ToValidUTF8(c.Name, "\uFFFD"), Args: args,
		})
	}
	_, err = a.runtime.Sessions.Append(ctx, t.sessionID, said)
	return err
}
