// Package agent is the loop: a session's words go to a model, the tool calls
// that it asks for go through the gate, each with its own approval, and their
// results go back to the model, until it has nothing more to ask.
//
// # What it promises
//
//   - The agent owns the whole road of a call: there are no callbacks between
//     it and its tools. Executor knows tools and runs them, and can only hold
//     gated ones.
//   - The journal is the state. The loop reads it, does the next thing, writes
//     that down; resuming is the same loop run again.
//   - Calls of one reply run side by side; one that is denied leaves the
//     others alone. Every call gets exactly one result in the journal.
//   - A turn belongs to the agent, not to whoever sent the message.
//
// # How to use it
//
// With zero Options an agent is a library: it keeps everything in memory and
// needs no server. Give it a handler with SetApprovalHandler, Start it, Run a
// message, Stop it. A gateway shares one Runtime among its agents and puts
// them into a Roster.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Errors of starting and stopping.
var (
	// ErrNotStarted is returned for work before Start or after Stop.
	ErrNotStarted = errors.New("agent: not running: call Start first")
	// ErrStopping is the cause with which Stop ends what is under way; it
	// leaves requests pending.
	ErrStopping = errors.New("agent: stopping")
)

// What holds where a Config says nothing else.
const (
	DefaultMaxTurns      = 25
	DefaultContextTokens = 100_000
	DefaultContextBytes  = 16 << 20 // providers take 20 MB and more
	DefaultResultBytes   = 64 << 10
	DefaultMaxDenials    = 2
)

// Config says what an agent is.
type Config struct {
	ID               string // required
	Description      string
	Instructions     string // the system prompt
	Model            model.Model
	ModelName        string // by which its replies are known as its own
	Prices           Prices
	Tools            []Tool
	Toolsets         []Toolset
	WorkingDirectory string
	MaxTurns         int              // how often the model is asked for one message; zero: DefaultMaxTurns
	MaxDenials       int              // of one call, for one message, after which it is not asked again; zero: DefaultMaxDenials
	ContextTokens    int              // of a prompt, as estimated; zero: DefaultContextTokens
	ContextBytes     int              // of a request's body, pictures included, as estimated; zero: DefaultContextBytes
	ResultBytes      int              // of one tool result that the model reads; zero: DefaultResultBytes
	MaxTokens        int64            // that a session may use; zero: no limit
	MaxCost          float64          // that a session may cost, by Prices; zero: no limit
	Mode             approval.Mode    // zero: manual
	Handler          approval.Handler // may also be set later
	Timeout          time.Duration    // of requests; zero: approval.DefaultTimeout
	DenyUnattended   bool             // see gate.AgentOptions
	ObserveUntil     time.Time        // see gate.AgentOptions
	MaxPending       int              // see approval.AgentOptions
}

// Tool is a tool together with the terms on which it is offered.
type Tool struct {
	Tool  tool.Tool
	Terms approval.Terms
}

// Options tune an agent; the zero value keeps everything in memory.
type Options struct {
	Runtime *Runtime // shared; nil: the agent's own, in memory
}

// Agent is one agent, serving any number of sessions at once.
type Agent struct {
	config  Config
	runtime *Runtime
	alone   bool // the runtime is its own, so it also runs the manager
	gate    *gate.Gate
	tools   *Executor

	work sync.WaitGroup

	mu     sync.Mutex
	stop   context.CancelCauseFunc // nil while not running
	base   func() (context.Context, context.CancelCauseFunc)
	active map[string]*turn // by session
}

// New makes an agent; it starts nothing.
func New(c Config, o Options) (*Agent, error) {
	if c.ID == "" || c.Model == nil {
		return nil, errors.New("agent: ID and Model are required")
	}
	c.MaxTurns = cmp.Or(c.MaxTurns, DefaultMaxTurns)
	c.MaxDenials = cmp.Or(c.MaxDenials, DefaultMaxDenials)
	c.ContextTokens = cmp.Or(c.ContextTokens, DefaultContextTokens)
	c.ContextBytes = cmp.Or(c.ContextBytes, DefaultContextBytes)
	c.ResultBytes = cmp.Or(c.ResultBytes, DefaultResultBytes)
	a := &Agent{config: c, runtime: o.Runtime, tools: &Executor{}, active: map[string]*turn{}}
	if a.runtime == nil {
		a.runtime, a.alone = newRuntime(), true
	}
	sets := map[string]gate.SetTerms{}
	for _, set := range c.Toolsets {
		sets[set.Name] = set.Terms
	}
	a.gate = a.runtime.Approvals.Agent(c.ID, gate.AgentOptions{
		Sets: sets,
		Mode: c.Mode, Handler: c.Handler, Timeout: c.Timeout, DenyUnattended: c.DenyUnattended, ObserveUntil: c.ObserveUntil, MaxPending: c.MaxPending,
	})
	a.tools.gate = a.gate
	for _, t := range c.Tools {
		if err := a.Add(t); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Add gives the agent one more tool, behind its gate; to be called before Start.
func (a *Agent) Add(t Tool) error {
	gated, err := a.gate.Guard(t.Tool, t.Terms)
	if err != nil {
		return fmt.Errorf("agent %s: %w", a.config.ID, err)
	}
	if err := a.tools.Register(gated); err != nil {
		return fmt.Errorf("agent %s: %w", a.config.ID, err)
	}
	return nil
}

// Start makes the agent ready for work, until Stop. A manual agent without a
// handler is approval.ErrNoHandler, so that no call can wait for nobody.
func (a *Agent) Start(ctx context.Context) error {
	if err := a.gate.Ready(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		return errors.New("agent: started twice, or not yet stopped")
	}
	ctx, a.stop = context.WithCancelCause(ctx)
	a.base = func() (context.Context, context.CancelCauseFunc) { return context.WithCancelCause(ctx) }
	if a.alone {
		a.work.Go(func() { _ = a.runtime.Approvals.Run(ctx) }) // ends with ctx, and has no other error
	}
	return nil
}

// Stop takes no more work, ends what is under way, and waits for it. Tools that
// run have the grace to finish, then they are killed, and their results say so;
// requests stay pending.
func (a *Agent) Stop(grace time.Duration) {
	a.mu.Lock()
	stop := a.stop
	a.base = nil
	a.mu.Unlock()
	if stop == nil {
		return
	}
	stop(&stopping{grace})
	a.work.Wait()
	if a.alone {
		a.runtime.Approvals.Wait()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop = nil // only now may it be started again
}

// stopping is the cause with which Stop ends turns; approval reads the grace.
type stopping struct{ grace time.Duration }

func (s *stopping) Error() string        { return ErrStopping.Error() }
func (s *stopping) Is(target error) bool { return target == ErrStopping }

// Grace is how long a tool that runs may still take.
func (s *stopping) Grace() time.Duration { return s.grace }

// Resume goes on with what a session has open: a turn that a process left, or a
// message that none has begun to answer. It is the same loop as ever.
func (a *Agent) Resume(sessionID string) error {
	_, err := a.rouse(sessionID)
	return err
}

// NewSession starts a conversation with the agent.
func (a *Agent) NewSession(ctx context.Context, who auth.Identity, title string) (session.Session, error) {
	if err := who.Check(a.config.ID, auth.Talk); err != nil {
		return session.Session{}, err
	}
	return a.runtime.Sessions.Create(ctx, session.Session{AgentID: a.config.ID, Title: title, CreatedBy: who.Subject})
}

// Send says something in a session and returns the number of its event, once
// that is in the journal. The agent answers in its own time.
func (a *Agent) Send(ctx context.Context, who auth.Identity, sessionID, text string) (int64, error) {
	if err := who.Check(a.config.ID, auth.Talk); err != nil {
		return 0, err
	}
	e, err := a.runtime.Sessions.Append(ctx, sessionID, session.UserMessage{Text: text, By: who.Subject})
	if err != nil {
		return 0, err
	}
	_, err = a.rouse(sessionID)
	return e.Seq, err
}

// Run says something as the program itself, waits until the agent has
// finished, and returns its last words. An empty sessionID begins a new
// session. When ctx ends first the turn is cancelled.
func (a *Agent) Run(ctx context.Context, sessionID, text string) (string, error) {
	if sessionID == "" {
		s, err := a.NewSession(ctx, program(), "")
		if err != nil {
			return "", err
		}
		sessionID = s.ID
	}
	_, err := a.runtime.Sessions.Append(ctx, sessionID, session.UserMessage{Text: text, By: program().Subject})
	if err != nil {
		return "", err
	}
	t, err := a.rouse(sessionID)
	if err != nil {
		return "", err
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		a.interruptTurn(t, &cancelled{who: program(), via: "program"})
		<-t.done
	}
	return t.words, t.err
}

// program is the identity of the program that embeds the agent.
func program() auth.Identity {
	return auth.Identity{Subject: "program", Roles: []auth.Role{auth.Admin}}
}

// Cancel stops the session's turn, withdraws what it asks, and returns when
// nothing of it runs any more. A session at rest is left as it is.
func (a *Agent) Cancel(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) error {
	over, err := a.Interrupt(ctx, who, via, sessionID)
	if err != nil {
		return err
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Interrupt is Cancel without the waiting: the channel is closed when nothing
// of the turn runs any more. What is said after Interrupt has returned begins
// another turn.
func (a *Agent) Interrupt(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) (over <-chan struct{}, err error) {
	if err := who.Check(a.config.ID, auth.Talk, auth.Answer); err != nil {
		return nil, err
	}
	s, err := a.runtime.Sessions.Get(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	why := &cancelled{who: who, via: via, seq: s.Seq}
	t := a.interrupt(sessionID, why)
	if s.TurnOpen {
		if err := a.runtime.Sessions.Stop(ctx, sessionID, session.Stop{By: who.Subject, Via: string(via), Seq: s.Seq}); err != nil {
			return nil, err
		}
	}
	if err := a.runtime.Approvals.CancelAll(ctx, who, via, sessionID); err != nil {
		return nil, err
	}
	if t == nil && s.TurnOpen {
		t = a.closeOpen(sessionID, why)
	}
	if t == nil {
		nothing := make(chan struct{})
		close(nothing)
		return nothing, nil
	}
	return t.done, nil
}

// End cancels the session for good: it takes no more messages, asks nothing
// more and starts no call that was approved; what is under way is stopped as by
// Cancel. Ending it again changes nothing.
func (a *Agent) End(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) error {
	if err := who.Check(a.config.ID, auth.Talk); err != nil {
		return err
	}
	_, err := a.runtime.Sessions.Append(ctx, sessionID, session.Ended{Outcome: session.Cancelled, By: who.Subject})
	if err != nil && !errors.Is(err, session.ErrEnded) {
		return err
	}
	return a.Cancel(ctx, who, via, sessionID)
}
