package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ErrNoHandler is returned at start by a gate that has to ask and can't.
var ErrNoHandler = errors.New("gate: mode is manual, but no approval handler is set: " +
	"either set the mode to auto-approve or auto-deny, or call SetApprovalHandler before Start")

var errNoGate = errors.New("gate: this tool was not put behind a gate")

// AgentOptions say how an agent's calls are asked for.
type AgentOptions struct {
	Mode    approval.Mode    // zero: Manual
	Handler approval.Handler // who is asked
	Timeout time.Duration    // zero: DefaultTimeout; NoTimeout: waits without limit

	// Attended reports whether anybody is there to answer; nil: that is not asked.
	// What nobody could answer is denied at once, with reason no_handler.
	Attended func() bool

	// MaxPending is how many requests may wait at a time; further ones are denied
	// at once, with reason too_many_pending. Zero: no limit.
	MaxPending int
}

// Gate is an agent's way through: it turns tools into gated ones.
type Gate struct {
	manager  *Manager
	agentID  string
	attended func() bool

	maxPending int

	mu      sync.Mutex
	timeout time.Duration
	mode    approval.ModeSetting
	handler approval.Handler
	own     map[string]*Gated  // by name
	offers  map[string]*offers // by session
}

// Agent makes the gate of an agent; asking for the same agent again replaces
// its gate.
func (m *Manager) Agent(agentID string, o AgentOptions) *Gate {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Mode == "" {
		o.Mode = approval.Manual
	}
	g := &Gate{
		manager: m, agentID: agentID, attended: o.Attended, maxPending: o.MaxPending, timeout: o.Timeout, handler: o.Handler, own: map[string]*Gated{}, offers: map[string]*offers{},
		mode: approval.ModeSetting{AgentID: agentID, Mode: o.Mode, Configured: o.Mode},
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gates[agentID] = g
	return g
}

// Ready returns ErrNoHandler when the mode is manual and nobody can be asked.
func (g *Gate) Ready() error {
	if mode := g.Mode(); mode != approval.AutoApprove && mode != approval.AutoDeny && g.Handler() == nil {
		return fmt.Errorf("agent %s: %w", g.agentID, ErrNoHandler)
	}
	return nil
}

// SetHandler says who is asked from now on; nil means nobody, and what would
// be asked is denied.
func (g *Gate) SetHandler(h approval.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handler = h
}

// Handler is who is asked.
func (g *Gate) Handler() approval.Handler {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.handler
}

// Guard puts a tool behind the gate, for all sessions. A tool whose schema can't
// be used is an error.
func (g *Gate) Guard(t tool.Tool, terms approval.Terms) (*Gated, error) {
	gated, err := g.guarded(t, terms)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.own[gated.spec.Name] = gated
	return gated, nil
}

func (g *Gate) guarded(t tool.Tool, terms approval.Terms) (*Gated, error) {
	spec := t.Spec()
	schema, err := strictjson.CompileSchema(spec.Schema)
	if err != nil {
		return nil, fmt.Errorf("gate: schema of tool %s: %w", spec.Name, err)
	}
	for _, s := range terms.Scopes {
		if err := new(approval.Scope).UnmarshalText([]byte(s)); err != nil {
			return nil, fmt.Errorf("gate: terms of tool %s: %w", spec.Name, err)
		}
	}
	digest, err := approval.ToolDigest(spec)
	if err != nil {
		return nil, fmt.Errorf("gate: schema of tool %s: %w", spec.Name, err)
	}
	return &Gated{gate: g, inner: t, spec: spec, terms: terms, schema: schema, digest: digest}, nil
}

func (m *Manager) gated(agentID, sessionID, toolName string) *Gated {
	g := m.gate(agentID)
	if g == nil {
		return nil
	}
	return g.Tool(sessionID, toolName)
}

// Tool is a tool by its name: the agent's own, or one that the session is
// offered; nil for one that is not behind the gate.
func (g *Gate) Tool(sessionID, name string) *Gated {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.find(sessionID, name)
}

func (g *Gate) find(sessionID, name string) *Gated {
	if t := g.own[name]; t != nil {
		return t
	}
	return g.offers[sessionID].find(name)
}

// terms are a tool's as they are now; the zero Terms for one that is not behind
// the gate.
func (g *Gate) terms(sessionID, toolName string) approval.Terms {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t := g.find(sessionID, toolName); t != nil {
		return t.terms
	}
	return approval.Terms{}
}

// wait is how long a request waits for its answer.
func (g *Gate) wait() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.timeout
}

// about is the case of a request.
func (g *Gate) about(r approval.Request, terms approval.Terms) approval.Case {
	c := approval.Case{Request: r, Terms: terms, Mode: g.Mode()}
	if t := g.Tool(r.SessionID, r.ToolName); t != nil {
		c.Spec = t.spec
	}
	return c
}

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

// Run asks, and runs the call if it is cleared. The result is in the session's
// journal when Run returns. Refusals are results, worded for the model; an
// error means that there is no result: ctx ended while waiting, or the store
// failed.
func (t *Gated) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if t.gate == nil {
		return tool.Result{}, errNoGate
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
	m := t.gate.manager
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
	r, refused, err := t.request(ctx, &call, 0)
	if err != nil {
		return tool.Result{}, err
	}
	if refused == nil {
		r.Policy.Rule = why
		if refused, err = t.settled(*r, approval.Response{Status: approval.Denied, Reason: approval.PolicyDenied, Message: why, By: approval.ByPolicy()}); err != nil {
			return tool.Result{}, err
		}
	}
	row, err := t.gate.manager.open(ctx, t.gate, refused)
	if err != nil {
		return tool.Result{}, err
	}
	return t.carryOut(ctx, row, &call)
}

// settled is a request as a row that nobody need be asked about.
func (t *Gated) settled(r approval.Request, answer approval.Response) (*approval.Approval, error) {
	r, err := completed(r, t.gate, approval.Terms{})
	if err != nil {
		return nil, err
	}
	row, err := approval.New(r).Settle(answer, r.RequestedAt)
	return &row, err
}

// ask puts the call to the manager. Arguments that the tool could not take are
// refused without asking anyone.
func (t *Gated) ask(ctx context.Context, call *tool.Call, round int) (*approval.Approval, error) {
	r, refused, err := t.request(ctx, call, round)
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return t.gate.manager.open(ctx, t.gate, refused)
	}
	terms := t.gate.terms(call.SessionID, t.spec.Name)
	return t.gate.manager.ask(ctx, r, &terms)
}

// request is the call as a question, or, where nobody need be asked, as a row
// that refuses it.
func (t *Gated) request(ctx context.Context, call *tool.Call, round int) (*approval.Request, *approval.Approval, error) {
	r := approval.Request{
		SessionID: call.SessionID, AgentID: t.gate.agentID, Type: approval.ToolConfirmation,
		ToolName: t.spec.Name, ToolDigest: t.digest, ToolCallID: call.ID, Round: round,
		Args: call.Args, WorkingDirectory: call.WorkingDirectory, Sandbox: t.spec.Sandbox,
		Origin: approval.Origin{Kind: "agent", Parent: call.Path}, Context: call.Context, SentBy: call.SentBy,
	}
	invalid := t.schema.CheckObject(call.Args)
	if invalid == nil {
		var err error
		r.Preview, err = t.shown(ctx, call, round)
		return &r, nil, err
	}
	if _, err := strictjson.Canonical(call.Args); err != nil {
		// Not JSON, or not exactly representable: kept as the text it is.
		if r.Args, err = json.Marshal(string(call.Args), jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, nil, fmt.Errorf("gate: arguments of %s: %w", call.ID, err)
		}
	}
	row, err := t.settled(r, approval.Response{Status: approval.Denied, Reason: approval.ValidationFailed, Message: "arguments: " + invalid.Error(), By: approval.BySystem()})
	return nil, row, err
}
