package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/cluster"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
)

// openStore opens the data folder, or, in a cluster, the shared database: then it waits until no gateway works with
// an older schema.
func (g *Gateway) openStore(ctx context.Context, c config.Gateway, b *bus.Bus) (err error) {
	if c.Cluster == (config.Cluster{}) {
		g.store, err = store.Open(c.Data, c.AuditKey, b)
		return err
	}
	log := g.log.With(zap.String("node", c.Cluster.Node))
	shared := SharedDatabase(c.Cluster, func(active string, err error) {
		if err != nil {
			log.Warn("the cluster's database does not answer; still standing by", zap.Error(err))
			return
		}
		if active == "" {
			log.Info("waiting until an earlier process with this node's name is surely gone")
			return
		}
		log.Info("standing by: a gateway of an older version works; this one brings the database up to date, and works, once all of those have stopped", zap.String("works", active))
	})
	shared.Lost = g.turn.lost
	g.store, err = store.OpenShared(ctx, shared, c.Data, c.AuditKey, b)
	switch {
	case err == nil:
		log.Info("this gateway works in the cluster")
		if ahead := g.store.Now().Sub(time.Now()); ahead.Abs() > maxSkew {
			log.Warn("this machine's clock differs from the database's, by which deadlines are counted: set it right", zap.Duration("databaseIsAheadBy", ahead))
		}
	case errors.Is(err, store.ErrUnreached):
		err = fmt.Errorf("cluster.postgres: %w: start it, or correct the address", err)
	}
	return err
}

// maxSkew is how much clocks may differ before that is logged.
const maxSkew = time.Second

// SharedDatabase returns the options of a cluster's database. waits is told which gateway this one waits for; it may
// be nil.
func SharedDatabase(c config.Cluster, waits func(active string, err error)) postgres.Options {
	return postgres.Options{URL: c.Postgres, Direct: c.Listen, Node: c.Node, Version: Version(), Waits: waits}
}

// agree tells the other gateways what this one's file says about its agents, and logs the agents for which another
// version counts. With insist, this gateway's version counts.
func (g *Gateway) agree(ctx context.Context, insist bool) error {
	c := g.settings()
	agents := map[string]store.Agent{}
	for _, a := range c.Judged() {
		agents[a.ID] = store.Agent{Digest: a.Digest, Runs: len(a.Nodes) == 0 || slices.Contains(a.Nodes, c.Gateway.Cluster.Node)}
	}
	behind, err := g.store.Agree(ctx, agents, insist)
	if err != nil {
		return err
	}
	before := g.behind.Swap(&behind)
	for id, counts := range behind {
		if before == nil || (*before)[id] != counts {
			g.log.Warn("agents.yaml says something else about an agent here than at the cluster's other gateways: nothing runs here for it until they agree; correct the file and restart, or reload it to have it count",
				zap.String("agent", id), zap.String("here", agents[id].Digest), zap.String("counts", counts))
		}
	}
	return nil
}

// relayed makes the relay to the other gateways, if there is NATS, and returns its bus listeners.
func (g *Gateway) relayed(c config.Cluster) []bus.Inline {
	if c.NATS == "" {
		return nil
	}
	g.relay = cluster.New(cluster.Options{URL: c.NATS, Log: g.log, Count: func(o cluster.Outcome) { g.metrics.Message(string(o)) }})
	return g.relay.Inline()
}

// joinRelay joins the relay to the database and the bus.
func (g *Gateway) joinRelay(ctx context.Context, c config.Cluster, b *bus.Bus) error {
	if g.relay == nil {
		return nil
	}
	key, err := g.store.RelayKey(ctx)
	if err == nil {
		g.relay.Join(cluster.Shared{Key: key, Node: c.Node, Turn: g.store.Turn(), Now: g.store.Now, Look: g.store.Look,
			Viewed: func(process string, v approval.Viewing) { g.hub.Viewed(process, v) }, // the hub is there before Run
		}, b)
	}
	return err
}

// turn tells that this gateway has lost its lease.
type turn struct {
	once sync.Once
	over chan struct{}
	why  error
}

func newTurn() *turn { return &turn{over: make(chan struct{})} }

func (t *turn) lost(why error) {
	t.once.Do(func() {
		t.why = why
		close(t.over)
	})
}

// reason returns why the lease is lost; nil while it is not.
func (t *turn) reason() error {
	select {
	case <-t.over:
		return t.why
	default:
		return nil
	}
}

// watchTurn ends Run and what runs here once the lease is lost, since another gateway may take over. It stops the
// store, so that no one waits for it: nothing can be written any more. If the lease is kept, it returns when writing
// ends.
func (g *Gateway) watchTurn(writing context.Context, stopWriting func(), end context.CancelCauseFunc) {
	select {
	case <-writing.Done():
		return
	case <-g.turn.over:
	}
	g.log.Error("this gateway stops: it has lost its lease, and another one may have taken over", zap.Error(g.turn.why))
	end(g.turn.why)
	stopWriting()
	var all sync.WaitGroup
	all.Go(func() { g.roster.Stop(0) })
	all.Go(func() { _ = g.closeServers() }) // Run closes them too, and says what failed
	all.Wait()
}
