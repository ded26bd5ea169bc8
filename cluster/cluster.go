// Package cluster sends between the nodes of a cluster, over NATS, what need not be stored: wake-ups after commits,
// text as it is written, the progress of calls, and who looks at what.
//
// # What it promises
//
//   - Nothing waits for it, and nothing that lasts rests on it. What comes while NATS is away, or does not fit into a
//     bounded queue, is dropped and counted. It connects again for ever.
//   - A message is accepted once, if a node of the same cluster sent it in the last 30 seconds, after this process
//     started. Each has a MAC under a key that the nodes share, over its subject, sender, number and content. Everything
//     else is refused and counted.
//   - Clusters at one NATS do not hear each other.
//   - The pieces of a reply reach the bus from the first one on, without a gap, and none does once the reply is in
//     the journal. What comes from another node is not sent on.
//
// Messages are not encrypted: anyone who can read at the NATS server can read what agents write.
//
// # How to use it
//
// New makes a Relay. Give its Inline to the bus, Join it to the database and the bus, then call Run.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
)

// Options say where NATS is.
type Options struct {
	URL   string          // nats://user:password@host:port or tls://…; several with commas
	Count func(o Outcome) // called with what became of a message; nil disables it
	Log   *zap.Logger     // nil: nothing is logged
}

// Outcome is what became of a message.
type Outcome string

// The outcomes.
const (
	Sent    Outcome = "sent"
	Taken   Outcome = "taken"   // received from another node
	Dropped Outcome = "dropped" // NATS was away, a queue was full, or a piece of the text before it is missing
	Refused Outcome = "refused" // not from a node of this cluster, or a repetition
)

// Shared is what a Relay needs from the database.
type Shared struct {
	Key  []byte           // shared by the cluster's nodes
	Node string           // this node's name
	Turn int64            // this node's turn
	Now  func() time.Time // the clock of the database
	Look func()           // is called after another node's commit; it must not wait

	Viewed func(process string, v approval.Viewing) // is told who looks at a request at another node's process
}

const (
	maxQueue   = 4096      // messages that wait on either side
	maxMessage = 256 << 10 // bytes; NATS takes a megabyte by default

	reconnectWait = time.Second
	pingEvery     = 5 * time.Second
	writeWithin   = 2 * time.Second // to a server that hangs
)

// Relay is a node's connection to the others.
type Relay struct {
	options Options
	shared  Shared
	bus     *bus.Bus
	process string
	sealing sealing
	queue   chan message
	places  places
	refused sync.Once   // the first refusal is logged
	accused atomic.Bool // an error was logged since it connected: it may come with every message
}

// New makes a Relay.
func New(o Options) *Relay {
	if o.Count == nil {
		o.Count = func(Outcome) {}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return &Relay{options: o, process: uuid.NewString(), queue: make(chan message, maxQueue), places: places{of: map[string]*place{}}}
}

// Inline returns the bus listeners. They only note where sessions are and put messages into the queue.
func (r *Relay) Inline() []bus.Inline {
	return []bus.Inline{
		session.Events.Inline(r.places.journaled),
		session.Deltas.Inline(func(d session.Delta) {
			if !d.Elsewhere {
				r.offer(message{Seq: r.places.seq(d.SessionID), Delta: &d})
			}
		}),
		session.Progresses.Inline(func(p session.Progress) {
			if !p.Elsewhere {
				r.offer(message{Seq: r.places.seq(p.SessionID), Progress: &p})
			}
		}),
	}
}

// Join sets what the Relay needs from the database, and the bus that gets the messages of other nodes. Call it before
// Run, and before anything is published.
func (r *Relay) Join(s Shared, b *bus.Bus) {
	r.shared, r.bus, r.sealing = s, b, newSealing(s.Key)
}

// Committed tells the other nodes that this one has made a commit.
func (r *Relay) Committed(position int64) { r.offer(message{Position: position}) }

// Viewing tells the other nodes who looks at a request here.
func (r *Relay) Viewing(v approval.Viewing) { r.offer(message{Viewing: &v}) }

func (r *Relay) offer(m message) {
	m.At = r.shared.Now().UnixMilli()
	select {
	case r.queue <- m:
	default:
		r.options.Count(Dropped)
	}
}

// Run sends and takes messages until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	heard := make(chan *nats.Msg, maxQueue)
	conn, err := r.connect(heard)
	if err != nil {
		return err
	}
	defer conn.Close()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for count := uint64(1); ; count++ { // also counts messages that are dropped
			select {
			case m := <-r.queue:
				r.send(conn, m, count)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	group.Go(func() error {
		known := newWindow(r.shared.Now())
		for {
			select {
			case m := <-heard:
				r.take(m, known)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	return group.Wait()
}

// connect returns at once, even if no server is there: it keeps trying for ever.
func (r *Relay) connect(heard chan *nats.Msg) (*nats.Conn, error) {
	subscribed := make(chan struct{})
	defer close(subscribed)
	there := func(conn *nats.Conn) {
		<-subscribed
		if conn.FlushTimeout(writeWithin) != nil { // it is gone again
			return
		}
		r.accused.Store(false)
		r.options.Log.Info("NATS carries wake-ups and text as it is written between the cluster's gateways")
	}
	conn, err := nats.Connect(r.options.URL,
		nats.Name("lineclear "+r.shared.Node), nats.NoEcho(),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectBufSize(-1),
		nats.IgnoreAuthErrorAbort(), nats.IgnoreDiscoveredServers(), nats.NoCallbacksAfterClientClose(),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2), nats.FlusherTimeout(writeWithin), nats.ReconnectOnFlusherError(),
		nats.ConnectHandler(there), nats.ReconnectHandler(there),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { r.away(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { r.complained(err) }))
	if err != nil {
		return nil, fmt.Errorf("cluster: NATS: %w", err)
	}
	if !conn.IsConnected() {
		r.away(conn.LastError())
	}
	if _, err := conn.ChanSubscribe(r.sealing.subject, heard); err != nil {
		conn.Close()
		return nil, fmt.Errorf("cluster: NATS: %w", err)
	}
	return conn, nil
}

func (r *Relay) away(err error) {
	r.options.Log.Warn("the cluster's NATS is away: text as it is written stays at the gateway that works in the session, until it is back", zap.Error(err))
}

// complained notes an error from the server, or that messages came faster than they were taken.
func (r *Relay) complained(err error) {
	r.options.Count(Dropped)
	if !r.accused.Swap(true) {
		r.options.Log.Warn("the cluster's NATS does not take or bring everything", zap.Error(err))
	}
}

func (r *Relay) send(conn *nats.Conn, m message, count uint64) {
	m.Node, m.Turn, m.Process, m.Count = r.shared.Node, r.shared.Turn, r.process, count
	raw, err := r.sealing.seal(m)
	if err == nil && len(raw) <= maxMessage && conn.IsConnected() && conn.Publish(r.sealing.subject, raw) == nil {
		r.options.Count(Sent)
		return
	}
	r.options.Count(Dropped)
}

func (r *Relay) take(said *nats.Msg, known *window) {
	m, err := r.sealing.open(said.Subject, said.Data)
	if err == nil {
		err = known.take(m, r.shared.Now())
	}
	if err != nil {
		r.options.Count(Refused)
		if !errors.Is(err, errOld) { // a gateway that hung sends such messages
			r.refused.Do(func() {
				r.options.Log.Warn("a message at the cluster's NATS was refused, as all like it are; lineclear_cluster_messages_total counts them", zap.Error(err))
			})
		}
		return
	}
	r.options.Count(r.pass(m))
}

// pass delivers a message from another node.
func (r *Relay) pass(m message) Outcome {
	switch {
	case m.Position > 0:
		r.shared.Look()
	case m.Delta != nil:
		if !r.places.joins(*m.Delta, m.Seq) {
			return Dropped
		}
		m.Delta.Elsewhere = true
		session.Deltas.Publish(r.bus, *m.Delta)
	case m.Progress != nil:
		if r.places.late(m.Progress.SessionID, m.Seq) {
			return Dropped
		}
		m.Progress.Elsewhere = true
		session.Progresses.Publish(r.bus, *m.Progress)
	case m.Viewing != nil:
		r.shared.Viewed(m.Process, *m.Viewing)
	}
	return Taken
}
