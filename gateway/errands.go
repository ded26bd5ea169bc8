package gateway

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/lineclear/lineclear/session"
)

// errands are what this gateway has to do for the cluster: look at sessions that others wrote to, and take over from
// gateways that are gone.
type errands struct {
	mu       sync.Mutex
	sessions map[string]struct{}
	nodes    bool
	browsers bool          // push subscriptions have changed
	wake     chan struct{} // has room for one
}

func newErrands() *errands {
	return &errands{sessions: map[string]struct{}{}, wake: make(chan struct{}, 1)}
}

// called notes that a session is to be looked at.
func (e *errands) called(sessionID string) {
	e.mu.Lock()
	e.sessions[sessionID] = struct{}{}
	e.mu.Unlock()
	e.ring()
}

// changed notes that a gateway has come or is gone.
func (e *errands) changed() {
	e.mu.Lock()
	e.nodes = true
	e.mu.Unlock()
	e.ring()
}

// subscribed notes that push subscriptions have changed.
func (e *errands) subscribed() {
	e.mu.Lock()
	e.browsers = true
	e.mu.Unlock()
	e.ring()
}

func (e *errands) ring() {
	select {
	case e.wake <- struct{}{}:
	default: // it is awake
	}
}

// take returns the errands and clears them.
func (e *errands) take() (sessions map[string]struct{}, nodes, browsers bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	sessions, nodes, browsers = maps.Clone(e.sessions), e.nodes, e.browsers
	clear(e.sessions)
	e.nodes, e.browsers = false, false
	return sessions, nodes, browsers
}

// calledTo stops a turn under way at once, before this gateway hears of anything decided later. Everything else
// becomes an errand.
func (g *Gateway) calledTo(sessionID string, stop session.Stop) {
	if stop.By == "" || !g.roster.Stopped(sessionID, stop) {
		g.errands.called(sessionID)
	}
}

// doErrands does the errands until ctx ends. What fails is tried again.
func (g *Gateway) doErrands(ctx context.Context) error {
	for {
		select {
		case <-g.errands.wake:
		case <-ctx.Done():
			return nil
		}
		sessions, nodes, browsers := g.errands.take()
		var failed error
		if (nodes || browsers) && g.notifier != nil {
			if failed = g.notifier.Refresh(ctx); failed != nil {
				g.errands.subscribed()
			}
		}
		if nodes {
			if err := g.takeOver(ctx); err != nil {
				failed = errors.Join(failed, err)
				g.errands.changed()
			}
		}
		for id := range sessions {
			if err := g.roster.Heed(ctx, id); err != nil {
				failed = errors.Join(failed, err)
				g.errands.called(id)
			}
		}
		if failed == nil || ctx.Err() != nil {
			continue
		}
		g.failed("errands", failed)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// takeOver continues the work of gateways that are gone, and gives programs that waited there time to ask here.
func (g *Gateway) takeOver(ctx context.Context) error {
	return errors.Join(g.agree(ctx, false), g.manager.EndOrphans(ctx), g.manager.ExpectAskers(ctx), g.roster.Resume(ctx))
}
