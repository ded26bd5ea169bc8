package wsapprover

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
)

// Tickets says whom a single-use ticket stands for; *auth.OneTime is it.
type Tickets interface {
	Redeem(ctx context.Context, secret string) (auth.Identity, error)
}

// Keyring says what the credential of a ticket is good for now, and until when;
// *auth.Keyring is it.
type Keyring interface {
	Resume(ctx context.Context, credentialID string) (
		who auth.Identity, access context.Context, done context.CancelFunc, err error)
}

// Backend is what the hub works with; all of it but Clients, Keyring and Places is required.
type Backend struct {
	Door    *door.Door
	Clients *ClientTools // the tools that tabs run; nil: none
	Tickets Tickets
	Keyring Keyring // nil: a ticket's identity is good as long as its tab is there
	Origins *auth.OriginCheck
	Places  *auth.Places // what each login holds open; nil: the default

	Viewing func(approval.Viewing) // tells the cluster's other gateways what the tabs here show; it must not wait; nil: no cluster
}

// Options tune a hub; the zero value works.
type Options struct {
	Limits  Limits
	Logger  *zap.Logger
	Version string // of the gateway, which tabs are told

	RequireHello bool // a tab that has not said what it can do is sent no requests, and can't answer
}

// stopping is what a tab is told when the gateway ends.
const stopping = "the gateway is stopping: reconnect"

// busQueue is how far the hub itself may fall behind the bus.
const busQueue = 1 << 16

// Hub is all tabs of a gateway.
type Hub struct {
	Backend
	limits   Limits
	version  string
	log      *zap.Logger
	upgrader websocket.Upgrader
	arrivals chan arrival
	closed   chan struct{} // closed when Run has begun to end
	running  atomic.Bool
	slow     atomic.Uint64 // tabs that were cut off for reading too slowly

	requireHello bool

	snapshots snapshots
	glances   *auth.Buckets // rate at which the tabs of a login report what they show
	buffers   sync.Pool     // of *[]byte, for what is written at once

	mu       sync.Mutex
	sent     uint64 // events that tabs could have been sent
	tabs     map[*tab]struct{}
	total    int
	partials map[string]partial // by session: the message that is being written
	viewing  viewings
}

// NewHub makes a hub; nothing is accepted before Run.
func NewHub(b Backend, o Options) *Hub {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if b.Clients == nil {
		b.Clients = NewClientTools()
	}
	if b.Viewing == nil {
		b.Viewing = func(approval.Viewing) {}
	}
	if b.Places == nil {
		b.Places = auth.NewPlaces(0, 0)
	}
	h := &Hub{
		Backend: b, limits: o.Limits.orDefault(), log: o.Logger, version: o.Version, requireHello: o.RequireHello,
		snapshots: snapshots{byScope: map[string]*snapshot{}},
		glances:   auth.NewBuckets(5, 4),
		buffers:   sync.Pool{New: func() any { return new([]byte) }},
		arrivals:  make(chan arrival), closed: make(chan struct{}),
		tabs: map[*tab]struct{}{}, partials: map[string]partial{}, viewing: newViewings(),
	}
	h.upgrader = websocket.Upgrader{
		ReadBufferSize: 1024, WriteBufferSize: 1024, WriteBufferPool: &sync.Pool{},
		Subprotocols: []string{Protocol},
		CheckOrigin:  b.Origins.OriginAllowed,
	}
	return h
}

// pingEvery leaves a tab the time to answer before it counts as gone.
func (h *Hub) pingEvery() time.Duration { return h.limits.Idle * 2 / 5 }

// Run sends until ctx ends; then it asks every tab to reconnect, and waits for
// them for a moment.
func (h *Hub) Run(ctx context.Context) error {
	sub := h.subscribe() // before the first tab is let in, so that it misses nothing
	h.running.Store(true)
	defer h.running.Store(false)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return h.forward(ctx, sub) })
	group.Go(func() error { return h.accept(ctx) })
	group.Go(func() error { return h.Clients.run(ctx) })
	group.Go(func() error { return h.keepViewing(ctx) })
	return group.Wait()
}

// accept starts the tabs that ServeHTTP hands over, and sees them out.
func (h *Hub) accept(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case a := <-h.arrivals:
			running.Go(func() { a.serve(ctx) })
		case <-ctx.Done():
			close(h.closed)
			h.closeAll(websocket.CloseServiceRestart, stopping)
			return ctx.Err()
		}
	}
}

func (h *Hub) subscribe() *bus.Subscription {
	return h.Door.Subscribe(busQueue, approval.Requests, approval.Responses, approval.Modes, approval.Halts, session.Events, session.Deltas, session.Progresses)
}

// forward brings the bus to the tabs. If the hub itself falls behind, every
// tab that was there before it caught on again has to resume.
func (h *Hub) forward(ctx context.Context, sub *bus.Subscription) error {
	known := &scopes{door: h.Door, agents: map[string]string{}}
	for {
		err := h.drain(ctx, sub, known)
		sub.Close()
		if !errors.Is(err, bus.ErrEvicted) {
			return err
		}
		sub = h.subscribe()
		h.log.Warn("fell behind the bus, all tabs have to reconnect")
		h.resync()
	}
}

func (h *Hub) drain(ctx context.Context, sub *bus.Subscription, known *scopes) error {
	for {
		e, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		news := *h.Door.View(e)
		if h.anyScoped() { // one that comes later has it from its snapshot
			news.AgentID = known.of(ctx, news)
		}
		if err := h.dispatch(news); err != nil {
			h.log.Error("an event could not be sent, all tabs have to reconnect",
				zap.String("topic", e.Topic), zap.Error(err))
			h.resync()
		}
	}
}

// dispatch sends news to the tabs that want it. It is masked and encoded for the first of them, and not at
// all if there is none: a tab that connects later gets it in its snapshot.
func (h *Hub) dispatch(news door.News) error {
	encoded := sync.OnceValues(func() (outgoing, error) {
		data, err := news.Data()
		if err != nil {
			return outgoing{}, err
		}
		return prepare(news.Topic, "", data)
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.note(news) {
		return nil
	}
	for t := range h.tabs {
		if t.wants(news) {
			out, err := encoded()
			if err != nil {
				return err
			}
			t.offer(out)
		}
		if f := t.follows[news.SessionID]; f != nil && news.Seq > 0 {
			f.passed(news.Seq)
		}
	}
	return nil
}

// note keeps what tabs that come later need of news; under h.mu, together with
// sending it, so that none of them has it twice or not at all. It reports whether tabs can do something with it.
func (h *Hub) note(news door.News) bool {
	switch {
	case news.Delta != nil:
		return h.addPartial(*news.Delta)
	case news.Seq > 0:
		h.endPartial(news)
	}
	if !news.Passing {
		h.sent++
	}
	return true
}

// resync has every tab start over from the store, after something could not be
// passed on.
func (h *Hub) resync() {
	h.mu.Lock()
	clear(h.partials)
	h.mu.Unlock()
	h.closeAll(websocket.CloseTryAgainLater, "the gateway fell behind: reconnect and resume")
}

// attach makes a tab one of those that are sent to. One that comes while the
// hub ends is seen out at once.
func (h *Hub) attach(t *tab) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tabs[t] = struct{}{}
	t.attached = h.sent
	select {
	case <-h.closed:
		t.close(websocket.CloseServiceRestart, stopping)
	default:
	}
}

// Running reports whether tabs are taken and sent to.
func (h *Hub) Running() bool {
	select {
	case <-h.closed:
		return false
	default:
		return h.running.Load()
	}
}

// Tabs counts the tabs that are open, and those that were cut off since the hub
// was made because they read too slowly.
func (h *Hub) Tabs() (open int, slow uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.tabs), h.slow.Load()
}

// Attended reports whether a tab is there that has said that it takes approvals, and
// whose person may answer an agent's requests.
func (h *Hub) Attended(agentID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.tabs {
		if t.approvals == able && t.who.Check(agentID, auth.Answer) == nil {
			return true
		}
	}
	return false
}

// Answers is, of each tab that takes approvals and whose person may answer, the agents that it is for;
// none: all of them. Such a one stands for all others.
func (h *Hub) Answers() (agents [][]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.tabs {
		if t.approvals != able || !t.who.May(auth.Answer) {
			continue
		}
		if len(t.who.Agents) == 0 {
			return [][]string{nil}
		}
		agents = append(agents, t.who.Agents)
	}
	return agents
}

func (h *Hub) detach(t *tab) {
	h.mu.Lock()
	delete(h.tabs, t)
	h.mu.Unlock()
	signal(h.Clients.changed)
	h.view(t, "")
}

func (h *Hub) closeAll(code int, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.tabs {
		t.close(code, reason)
	}
}

// prepare encodes a frame once, for all tabs.
func prepare(event, id string, data any) (outgoing, error) {
	raw, err := encodeFrame(event, id, data)
	if err != nil {
		return outgoing{}, err
	}
	return outgoing{frame: textFrame(raw), size: len(raw), at: time.Now()}, nil
}
