package gate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ErrNoHandler is returned at start by a gate that has to ask and can't.
var ErrNoHandler = errors.New("gate: mode is manual, but no approval handler is set: " +
	"either set the mode to auto-approve or auto-deny, or call SetApprovalHandler before Start")

// AgentOptions say how an agent's calls are asked for.
type AgentOptions struct {
	Mode    approval.Mode    // zero: Manual
	Handler approval.Handler // who is asked
	Timeout time.Duration    // zero: DefaultTimeout; NoTimeout: waits without limit

	// ObserveUntil ends a time in which calls run that a person would be asked about, as
	// settled by the system with reason observed. Denials, refusals and halts hold.
	ObserveUntil time.Time

	// DenyUnattended denies at once, with reason no_handler, what is asked while
	// nobody is there who could answer.
	DenyUnattended bool

	// Sets are the terms of tools that sessions are offered, by the set's name.
	Sets map[string]SetTerms

	// MaxPending is how many requests may wait at a time; further ones are denied
	// at once, with reason too_many_pending. Zero: no limit.
	MaxPending int
}

// Gate is an agent's way through: it turns tools into gated ones.
type Gate struct {
	asker          *Asker
	agentID        string
	maxPending     int
	denyUnattended bool

	mu      sync.Mutex
	timeout time.Duration
	observe time.Time // until then the agent is observed
	mode    approval.ModeSetting
	handler approval.Handler
	own     map[string]*Gated  // by name
	offers  map[string]*offers // by session
	sets    map[string]SetTerms
	known   map[string][]*Gated // by set
}

// Ready returns ErrNoHandler when the mode is manual and nobody can be asked.
func (g *Gate) Ready() error {
	if mode := g.Mode(); mode != approval.AutoApprove && mode != approval.AutoDeny && g.Handler() == nil {
		return fmt.Errorf("agent %s: %w", g.agentID, ErrNoHandler)
	}
	return nil
}

// SetHandler replaces the handler. With nil, what would be asked is denied.
func (g *Gate) SetHandler(h approval.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handler = h
}

// Handler is the gate's handler; nil if there is none.
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

// Own lists the gate's own tools, by name.
func (g *Gate) Own() []*Gated {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.SortedFunc(maps.Values(g.own), func(a, b *Gated) int { return cmp.Compare(a.spec.Name, b.spec.Name) })
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

// Timeout is how long a request waits for its answer; NoTimeout: without limit.
func (g *Gate) Timeout() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.timeout
}

// ObservedUntil is when the agent stops being observed; zero: it is not.
func (g *Gate) ObservedUntil() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.asker.now().Before(g.observe) {
		return time.Time{}
	}
	return g.observe
}

// about is the case of a request.
func (g *Gate) about(r approval.Request, args strictjson.Canonical, terms approval.Terms) approval.Case {
	c := approval.Case{Request: r, Args: args, Terms: terms, Mode: g.Mode(), At: g.asker.now(), Observe: !g.ObservedUntil().IsZero()}
	if t := g.Tool(r.SessionID, r.ToolName); t != nil {
		c.Spec = t.spec
	}
	return c
}
