package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/internal/otlp"
	"github.com/lineclear/lineclear/store"
)

// newMetrics counts under the names of the configuration.
func newMetrics(c *config.Config) *metrics.Metrics {
	var agents []string
	for _, a := range c.Judged() {
		agents = append(agents, a.ID)
	}
	return metrics.New(agents)
}

// traced makes what sends spans, where that is wanted, and returns what listens to the bus for it.
func (g *Gateway) traced(c config.Traces) []bus.Inline {
	if c.Endpoint == "" {
		return nil
	}
	g.traces = otlp.New(otlp.Options{
		Endpoint: c.Endpoint, Headers: c.Headers, Version: Version(), Count: g.metrics.Spans,
		Failed: func(err error) { g.failed("traces", err) },
		Mine:   func() bool { return g.store.First() },
	})
	g.metrics.Trace()
	return []bus.Inline{g.traces.Inline()}
}

// disk measures the data folder for the metrics.
func (g *Gateway) disk() (database, log, free int64, err error) {
	d, err := g.store.Disk()
	return d.Database, d.Log, d.Free, err
}

// hooks are what the store tells.
func (g *Gateway) hooks() store.Hooks {
	h := store.Hooks{
		Committed: g.metrics.Committed, Failed: g.failed,
		Judging: func() { g.manager.Outdate() }, Called: g.calledTo, Nodes: g.errands.changed, Subscribed: g.errands.subscribed,
		Access: func(ctx context.Context, changes int64, ids ...string) error {
			return g.keyring.Refresh(ctx, changes, ids...)
		},
	}
	if g.relay != nil {
		h.Shared = g.relay.Committed
	}
	return h
}

// failed logs and counts errors of background work.
func (g *Gateway) failed(what string, err error) {
	g.metrics.Failed(what)
	g.log.Error("background work failed", zap.String("what", what), zap.Error(err))
}

var errNotRunning = errors.New("it does not run")

// checks are what has to be so for the gateway to be of use.
func (g *Gateway) checks() []httpapi.Check {
	return []httpapi.Check{
		{Name: "store", Do: g.store.Ping},
		{Name: "database", Do: func(context.Context) error {
			if found := g.damage.Load(); found != nil {
				return *found
			}
			return nil
		}},
		{Name: "websockets", Do: func(context.Context) error {
			if !g.hub.Running() {
				return errNotRunning
			}
			return nil
		}},
	}
}

// inspectEvery is how often the database is looked through while the gateway runs.
const inspectEvery = 24 * time.Hour

// inspect looks through the database, at once and then every day. What is damaged is
// logged, and the gateway is not ready.
func (g *Gateway) inspect(ctx context.Context) error {
	for {
		h, err := g.store.InspectGently(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && len(h.Faults) > 0 {
			err = errors.New(strings.Join(h.Faults, "; "))
		}
		if err != nil {
			g.damage.Store(&err)
			g.failed("database", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(inspectEvery):
		}
	}
}

// countWaiting takes into account what waits since before the process began.
func (g *Gateway) countWaiting(ctx context.Context) error {
	pending, err := g.manager.Pending(ctx, "")
	if err != nil {
		return err
	}
	g.metrics.Remember(pending)
	return nil
}

// explain is what the running gateway would decide about a call of an agent's.
func (g *Gateway) explain(ctx context.Context, call httpapi.TriedCall) (httpapi.Explained, error) {
	r, elsewhere := g.tried(call)
	about, v, err := g.manager.Foresee(ctx, r)
	if err != nil {
		return httpapi.Explained{}, err
	}
	e := httpapi.Explained{VerdictView: v.View(), Observed: v.Observed, WorkingDirectory: r.WorkingDirectory}
	if v.Effect == approval.AskPerson {
		e.Nearest, e.Smallest = g.policy.Nearest(about), g.policy.Smallest(about)
	}
	if offer := g.manager.Offer(about, v); !elsewhere && offer.StandingSeconds > 0 {
		e.StandingSeconds, e.Covers, e.Offer = offer.StandingSeconds, offer.Covers, offer.Digest
	}
	return e, nil
}

// tried is a call that nobody has made, in its agent's folder; elsewhere is true for an agent that
// says with each request where it works.
func (g *Gateway) tried(call httpapi.TriedCall) (r approval.Request, elsewhere bool) {
	r = approval.Request{AgentID: call.AgentID, ToolName: call.ToolName, Args: call.Args}
	c := g.settings()
	for i, a := range c.Judged() {
		if a.ID == call.AgentID {
			r.WorkingDirectory, elsewhere = a.WorkingDirectory, i >= len(c.Agents)
		}
	}
	return r, elsewhere
}

// allowable is a call that can be allowed before it is made.
func (g *Gateway) allowable(call httpapi.TriedCall) (approval.Request, error) {
	r, elsewhere := g.tried(call)
	if elsewhere {
		return r, fmt.Errorf("%w: agentId: an agent elsewhere says with each request where it works: approve one of them", approval.ErrInvalid)
	}
	return r, nil
}

// suggestFor lists rules that would allow a call that nobody has made.
func (g *Gateway) suggestFor(ctx context.Context, call httpapi.TriedCall) ([]approval.Suggestion, error) {
	r, _ := g.tried(call)
	c, past, err := g.manager.PastOf(ctx, r)
	if err != nil {
		return nil, err
	}
	return g.policy.Suggest(c, past), nil
}
