//go:build postgres

package store_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

// simPostgres is a simDatabase on a real server. Between each process and the server is a proxy.
type simPostgres struct {
	t      *testing.T
	server *postgrestest.Server
	direct string
	url    string  // through a pooler, which spares the server most connections
	look   *sql.DB // beside all that fails
}

// simPace is how many times faster than usual everything goes in real time, but for the limits of store/postgres.
const simPace = 8

func (c *simPostgres) enter(g *simGateway, node string) (simOpen, error) {
	proxy, url := c.server.Between(c.t, c.url)
	g.layer.net = proxy
	if g.ctx.Err() != nil {
		proxy.Kill()
	}
	o := postgres.Options{URL: url, Direct: c.direct, Node: node, Lease: simLeaseFor / simPace, Lost: func(error) { g.lost() }}
	g.keep, g.leave = func(context.Context) {}, func() {} // which the store does
	return func(dir, keyFile string, b *bus.Bus) (*store.Store, error) {
		s, err := store.OpenShared(g.ctx, o, dir, keyFile, b)
		if err == nil {
			s.LookEvery(time.Second / simPace)
			s.Through(func(db store.Shared) store.Shared { g.layer.Shared = db; return g.layer })
		}
		return s, err
	}, nil
}

func (c *simPostgres) runner(sessionID string) (turn int64, err error) {
	err = c.look.QueryRow("SELECT turn FROM runners WHERE session_id = $1", sessionID).Scan(&turn)
	return turn, err
}

func (c *simPostgres) works(turn int64) (there bool) {
	if err := c.look.QueryRow("SELECT EXISTS (SELECT 1 FROM nodes WHERE turn = $1)", turn).Scan(&there); err != nil {
		c.t.Error(err)
	}
	return there
}

func (c *simPostgres) close() { _ = c.look.Close() } // nothing was written there

// TestPostgresSimulationOfAClusterOverALayerThatFails runs in real time: a seed fixes what fails, and not in which order.
func TestPostgresSimulationOfAClusterOverALayerThatFails(t *testing.T) {
	server := postgrestest.Start(t, "max_connections=1000", "autovacuum=off")
	empty := server.Database(t)
	db, err := postgres.Open(t.Context(), postgres.Options{URL: empty, Node: "first"})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	pooled := server.Pooled(t)
	runSeeds(t, 200, func(t *testing.T, seed uint64) []string {
		c := &simPostgres{t: t, server: server, direct: server.Copy(t, empty)}
		c.url = pooled(c.direct)
		var err error
		if c.look, err = sql.Open("pgx", c.direct); err != nil {
			t.Fatal(err)
		}
		r := &simulation{t: t, seed: seed, dir: t.TempDir(), pace: simPace, long: 20 * time.Second, db: c}
		return r.live()
	})
}
