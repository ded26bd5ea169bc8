package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/sqlite"
)

// simFile is a simDatabase in a SQLite file, and, in memory, what store/postgres has
// beside the tables. It behaves as that package promises, by the clock of the test's bubble.
type simFile struct {
	file string
	look *sql.DB       // beside all that fails
	head chan struct{} // has room for one: whoever has put something there writes

	mu      sync.Mutex
	commits []postgres.Commit
	turns   int64
	leases  map[string]*simLease // by the node's name
	wakes   map[*simDB]func()
}

type simLease struct {
	process *simDB
	turn    int64 // 0: it was buried
	until   time.Time
}

const simLeaseFor = postgres.DefaultLease

// simTables are those that SQLite has not, as far as the store's queries name them.
var simTables = []string{
	"CREATE TABLE head (judged INTEGER NOT NULL)", "INSERT INTO head VALUES (0)",
	"CREATE TABLE agents (agent_id TEXT PRIMARY KEY, digest TEXT NOT NULL)",
	"CREATE TABLE nodes (name TEXT PRIMARY KEY, turn INTEGER NOT NULL)",
	"CREATE TABLE runners (session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE, turn INTEGER NOT NULL, stop TEXT NOT NULL DEFAULT '')",
}

// simTemplate is the content of an empty database.
var simTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "lineclear-simulation-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "empty.db")
	db, err := sqlite.Open(file)
	if err != nil {
		return nil, err
	}
	for _, table := range simTables {
		err = errors.Join(err, db.Exec(table))
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func newSimFile(t *testing.T, dir string) *simFile {
	empty, err := simTemplate()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "shared.db")
	if err := os.WriteFile(file, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	look, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	return &simFile{file: file, look: look, head: make(chan struct{}, 1), leases: map[string]*simLease{}, wakes: map[*simDB]func(){}}
}

// simDB is one node's connection. It is a store.Shared.
type simDB struct {
	*sqlite.DB
	c    *simFile
	name string
	told func() // that a node has come or is gone
	lost func() // that this one may not work any more

	mu    sync.Mutex
	turn  int64
	until time.Time // as this node knows it
	over  bool
	live  []int64

	tx   sync.Mutex
	idle *time.Timer // cuts the transaction off; nil: there is none
}

func (c *simFile) enter(g *simGateway, node string) (simOpen, error) {
	under, err := sqlite.Open(c.file)
	if err != nil {
		return nil, err
	}
	db := &simDB{DB: under, c: c, name: node, told: func() {}, lost: g.lost}
	g.layer.Shared = db
	g.keep = func(ctx context.Context) { db.keep(ctx, g.layer.reach) }
	g.leave = func() { _ = db.leave() }          // otherwise it ends by itself
	err = under.Exec("PRAGMA synchronous = OFF") // nothing here outlives the machine
	if err == nil {
		_, err = g.layer.pass(g.ctx, "take")
	}
	if err == nil {
		err = db.take(g.ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return func(dir, keyFile string, b *bus.Bus) (*store.Store, error) {
		s, err := store.OpenOn(func(nodes func()) store.Shared { db.told = nodes; return g.layer }, dir, keyFile, b)
		if err != nil {
			err = errors.Join(err, db.leave(), db.Close())
		}
		return s, err
	}, nil
}

func (c *simFile) close() { _ = c.look.Close() } // nothing was written there

func (c *simFile) runner(sessionID string) (turn int64, err error) {
	err = c.look.QueryRow("SELECT turn FROM runners WHERE session_id = ?", sessionID).Scan(&turn)
	return turn, err
}

func away(what string) error { return fmt.Errorf("store: %w: %s", session.ErrUnwritten, what) }

// hold takes the head.
func (d *simDB) hold(limit time.Duration) error {
	select {
	case d.c.head <- struct{}{}:
		return nil
	case <-time.After(limit):
		return away("the head is held by another transaction")
	}
}

// Begin takes the head for a node that was not buried.
func (d *simDB) Begin() (position int64, err error) {
	if err := d.hold(postgres.DefaultLimit / 2); err != nil {
		return 0, err
	}
	d.c.mu.Lock()
	lease := d.c.leases[d.name]
	ours := lease != nil && lease.process == d && lease.turn == d.turn
	position = d.c.next()
	d.c.mu.Unlock()
	if err = postgres.ErrLost; ours {
		_, err = d.DB.Begin()
	} else {
		d.lose()
	}
	if err != nil {
		<-d.c.head
		return 0, fmt.Errorf("store: %w: %w", session.ErrUnwritten, err)
	}
	d.tx.Lock()
	defer d.tx.Unlock()
	d.idle = time.AfterFunc(postgres.IdleLimit, d.Rollback)
	return position, nil
}

// next is the position of the commit to come; under mu.
func (c *simFile) next() int64 { return int64(len(c.commits) + 1) }

// within runs a statement in the transaction, if there still is one.
func (d *simDB) within(do func() error) error {
	d.tx.Lock()
	defer d.tx.Unlock()
	if d.idle == nil {
		return away("the transaction was cut off")
	}
	d.idle.Reset(postgres.IdleLimit)
	return do()
}

func (d *simDB) Exec(query string, args ...any) error {
	return d.within(func() error { return d.DB.Exec(query, args...) })
}

func (d *simDB) Touch() error { return d.within(d.DB.Touch) }

func (d *simDB) Row(query string, args ...any) interface{ Scan(...any) error } {
	return scan(func(into []any) error {
		return d.within(func() error { return d.DB.Row(query, args...).Scan(into...) })
	})
}

func (d *simDB) Rows(query string, args ...any) (rows *sql.Rows, err error) {
	err = d.within(func() (err error) {
		rows, err = d.DB.Rows(query, args...)
		return err
	})
	return rows, err
}

func (d *simDB) Commit(_ context.Context, news string, judging bool) (position int64, err error) {
	err = d.within(func() error {
		d.c.mu.Lock()
		defer d.c.mu.Unlock()
		position = d.c.next()
		if judging {
			if err := d.DB.Exec("UPDATE head SET judged = ?", position); err != nil {
				return err
			}
		}
		if _, err := d.DB.Commit(context.Background(), news, judging); err != nil {
			return err
		}
		d.c.commits = append(d.c.commits, postgres.Commit{Position: position, Node: d.name, News: news})
		for _, wake := range d.c.wakes {
			wake()
		}
		d.free()
		return nil
	})
	return position, err
}

// free ends the transaction; under tx.
func (d *simDB) free() {
	d.idle.Stop()
	d.idle = nil
	<-d.c.head
}

func (d *simDB) Rollback() {
	d.tx.Lock()
	defer d.tx.Unlock()
	if d.idle != nil {
		d.DB.Rollback()
		d.free()
	}
}

func (d *simDB) Position(context.Context) (int64, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	return int64(len(d.c.commits)), nil
}

func (d *simDB) After(_ context.Context, position int64, most int) ([]postgres.Commit, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	next := d.c.commits[position:]
	return slices.Clone(next[:min(most, len(next))]), nil
}

func (d *simDB) Listen(ctx context.Context, wake func()) error {
	d.c.mu.Lock()
	d.c.wakes[d] = wake
	d.c.mu.Unlock()
	wake()
	<-ctx.Done()
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	delete(d.c.wakes, d)
	return ctx.Err()
}

func (d *simDB) Clock() time.Time { return time.Now() }
func (d *simDB) Node() string     { return d.name }
func (d *simDB) Turn() int64      { return d.turn }

func (d *simDB) First() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.live) > 0 && d.live[0] == d.turn
}

var errNotSimulated = errors.New("store: this is not simulated")

func (d *simDB) Size(context.Context) (int64, error) { return 0, errNotSimulated }
func (d *simDB) Key(context.Context, string, func() (string, error)) (string, error) {
	return "", errNotSimulated
}
func (d *simDB) Apart(context.Context, string, []any, ...any) error { return errNotSimulated }
func (d *simDB) Show(context.Context, string) error                 { return errNotSimulated }
func (d *simDB) Nodes(context.Context) ([]session.Node, error)      { return nil, errNotSimulated }
func (d *simDB) Say(context.Context, int64) error                   { return nil } // which nothing rests on
