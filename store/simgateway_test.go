package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
)

const simAgent = "demo"

// simGateway is one process of a simulated cluster, wired as package gateway does it.
type simGateway struct {
	run     *simulation
	name    string // of the process, no two have the same
	layer   *simLayer
	store   *store.Store
	manager *gate.Manager
	roster  *agent.Roster
	heard   *simHeard
	keep    func(ctx context.Context) // renews the lease
	leave   func()                    // gives it up

	dead atomic.Bool        // nothing that it does counts any more
	ctx  context.Context    // ends when it is to end
	end  context.CancelFunc // tells it to
	up   atomic.Bool        // it takes what people say
	over atomic.Pointer[time.Time]

	mu       sync.Mutex
	sessions map[string]struct{} // to look at
	nodes    bool                // one has come or is gone
	wake     chan struct{}
}

func (g *simGateway) kill() {
	if !g.dead.Swap(true) {
		g.run.notef("%s is killed", g.name)
	}
	g.layer.died()
	g.end()
}

// lost ends the process once it does not hang.
func (g *simGateway) lost() {
	g.run.all.Go(func() {
		g.layer.awake()
		g.run.notef("%s has lost its lease", g.name)
		g.end()
	})
}

func (g *simGateway) called(sessionID string, stop session.Stop) {
	if stop.By == "" || !g.roster.Stopped(sessionID, stop) {
		g.mu.Lock()
		g.sessions[sessionID] = struct{}{}
		g.mu.Unlock()
		g.ring()
	}
}

func (g *simGateway) changed() {
	g.mu.Lock()
	g.nodes = true
	g.mu.Unlock()
	g.ring()
}

func (g *simGateway) ring() {
	select {
	case g.wake <- struct{}{}:
	default: // it is awake
	}
}

// errands does what other gateways have left for this one.
func (g *simGateway) errands(ctx context.Context) {
	for {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return
		}
		g.mu.Lock()
		sessions, nodes := maps.Clone(g.sessions), g.nodes
		clear(g.sessions)
		g.nodes = false
		g.mu.Unlock()
		var failed error
		if nodes {
			failed = errors.Join(g.manager.EndOrphans(ctx), g.manager.ExpectAskers(ctx), g.roster.Resume(ctx))
			if failed != nil {
				g.changed()
			}
		}
		for _, id := range slices.Sorted(maps.Keys(sessions)) {
			if err := g.roster.Heed(ctx, id); err != nil {
				failed = errors.Join(failed, err)
				g.called(id, session.Stop{})
			}
		}
		if failed != nil {
			_ = g.run.rest(ctx, time.Second) // its error is ctx's
		}
	}
}

// build makes what is over the store, which open opens.
func (g *simGateway) build(open simOpen) (err error) {
	promises := gate.NewPromises()
	g.heard = &simHeard{g: g, seqs: map[string]int64{}}
	inline := append(append(promises.Settings(), promises.Inline()), g.heard.inline()...)
	b := bus.New(agent.Topics(), inline...)
	b.Failed(func(err error) { g.run.wrongf("%s: %v", g.name, err) })
	if g.store, err = open(filepath.Join(g.run.dir, g.name), filepath.Join(g.run.dir, "key.pem"), b); err != nil {
		return err
	}
	g.heard.since = time.Now()
	rows := g.store.Approvals()
	g.manager = gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{Held: g.store.Held, Now: g.store.Now})
	g.store.Watch(store.Hooks{Judging: func() { g.manager.Outdate() }, Called: g.called, Nodes: g.changed})
	runtime := &agent.Runtime{Bus: b, Sessions: simLog{g.store.Sessions(), g}, Approvals: g.manager}
	silent := approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
		<-ctx.Done()
		return approval.Response{}, ctx.Err()
	})
	a, err := agent.New(agent.Config{
		ID: simAgent, Model: simModel{g}, Handler: silent, Timeout: 15 * time.Second / g.run.pace,
		Tools: []agent.Tool{{Tool: simTool{g, tool.ResumeNever}}, {Tool: simTool{g, tool.ResumeReenter}}},
	}, agent.Options{Runtime: runtime})
	g.roster = agent.NewRoster(runtime, a)
	return err
}

// serve works until the process is to end, and gives up all that it has.
func (g *simGateway) serve() {
	writing, stopWriting := context.WithCancel(context.Background())
	var writer, parts sync.WaitGroup
	writer.Go(func() { _ = g.store.Run(writing) }) // its error is writing's
	writer.Go(func() { g.keep(writing) })
	err := g.begin()
	if err == nil {
		g.up.Store(true)
		parts.Go(func() { _ = g.manager.Run(g.ctx) }) // its error is ctx's
		parts.Go(func() { g.errands(g.ctx) })
		<-g.ctx.Done()
		g.up.Store(false)
	}
	now := time.Now()
	g.over.Store(&now)
	g.end()
	grace := 2 * time.Second / g.run.pace
	if g.dead.Load() || g.layer.Held() != nil {
		g.dead.Store(true) // what is written from now on is refused
		grace = 0
		stopWriting()
	}
	g.roster.Stop(grace)
	parts.Wait()
	g.manager.Wait()
	stopWriting()
	writer.Wait()
	if !g.dead.Load() {
		g.leave()
	}
	if err := g.store.Close(); err != nil && !g.dead.Load() && !errors.Is(err, session.ErrUnwritten) { // then its lease ends by itself
		g.run.wrongf("%s: close: %v", g.name, err)
	}
	g.run.notef("%s has ended: %v", g.name, err)
}

// begin takes up what there was before.
func (g *simGateway) begin() error {
	ctx := g.ctx
	for _, step := range []func() error{
		func() error { return g.manager.RestoreModes(ctx) },
		func() error { return g.manager.RestoreHalts(ctx) },
		func() error { return g.manager.EndOrphans(ctx) },
		func() error { return g.manager.ExpectAskers(ctx) },
		func() error { return g.manager.EndOutdated(ctx, func(string) bool { return false }) },
		func() error { return g.roster.Start(context.WithoutCancel(ctx)) },
		func() error { return g.roster.Resume(ctx) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	return nil
}

// simLog looks whether those that work in a session are what the log says.
type simLog struct {
	*store.Sessions
	g *simGateway
}

func (l simLog) Work(ctx context.Context, id string) (session.Stop, error) {
	stop, err := l.Sessions.Work(ctx, id)
	if err == nil {
		l.g.run.worksIn(l.g, id)
	}
	return stop, err
}

func (l simLog) Left(ctx context.Context, agents []string) ([]session.Session, bool, error) {
	list, more, err := l.Sessions.Left(ctx, agents)
	for _, s := range list {
		if err == nil {
			l.g.run.worksIn(l.g, s.ID)
		}
	}
	return list, more, err
}

// simHeard is what the bus of one process has had.
type simHeard struct {
	g       *simGateway
	since   time.Time // before the position from which on it hears
	mu      sync.Mutex
	seqs    map[string]int64 // by session: the newest
	events  []session.Event
	answers []approval.Response
}

func (h *simHeard) inline() []bus.Inline {
	return []bus.Inline{
		session.Events.Inline(func(e session.Event) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if last := h.seqs[e.SessionID]; last != 0 && e.Seq != last+1 {
				h.g.run.wrongf("%s heard event %d of %s after %d", h.g.name, e.Seq, e.SessionID, last)
			}
			h.seqs[e.SessionID] = e.Seq
			h.events = append(h.events, e)
		}),
		approval.Responses.Inline(func(r approval.Response) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.answers = append(h.answers, r)
		}),
	}
}
