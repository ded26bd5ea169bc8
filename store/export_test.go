package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/store/sqlite"
)

// Reach sets how many rows a search examines at once.
func (s *Store) Reach(rows int) { s.reach = rows }

// LookEvery sets how often a node looks for commits of which nobody has told it. It has to come before Run.
func (s *Store) LookEvery(d time.Duration) { s.looks = d }

// FillAtOnce is how many rows of an earlier version are added to the history at once.
const FillAtOnce = fillAtOnce

// ErrFault is what a faulty engine returns.
var ErrFault = errors.New("a fault of the test")

// faulty is an engine of which one statement fails.
type faulty struct {
	engine
	left int
}

func (f *faulty) fails() bool {
	f.left--
	return f.left == 0
}

func (f *faulty) Exec(query string, args ...any) error {
	if f.fails() {
		return ErrFault
	}
	return f.engine.Exec(query, args...)
}

func (f *faulty) Row(query string, args ...any) scanner {
	if f.fails() {
		return failedRow{}
	}
	return f.engine.Row(query, args...)
}

func (f *faulty) Rows(query string, args ...any) (*sql.Rows, error) {
	if f.fails() {
		return nil, ErrFault
	}
	return f.engine.Rows(query, args...)
}

type failedRow struct{}

func (failedRow) Scan(...any) error { return ErrFault }

// FailAt has the nth statement from now on fail; it returns how to end that, which reports whether it has. The writer may not be at work.
func (s *Store) FailAt(n int) (heal func() (failed bool)) {
	sound := s.db
	f := &faulty{sound, n}
	s.db = f
	return func() bool {
		s.db = sound
		return f.left <= 0
	}
}

// Shared is a database that several nodes share.
type Shared interface {
	engine
	others
}

// OpenOn is OpenShared on a database that is open; made is given how it tells that a node has come or is gone.
func OpenOn(made func(nodes func()) Shared, dir, keyFile string, b *bus.Bus) (*Store, error) {
	return open(dir, keyFile, b, func(s *Store, _ string) (err error) {
		db := made(func() {
			select {
			case s.nodes <- struct{}{}:
			default: // it is going to be told
			}
		})
		s.db, s.others = db, db
		seen, err := db.Position(context.Background())
		s.seen.Store(seen)
		return err
	})
}

// Through puts something between an open store and its database. Run may not have begun.
func (s *Store) Through(layer func(Shared) Shared) {
	if db, ok := s.db.(Shared); ok {
		db = layer(db)
		s.db, s.others = db, db
	}
}

// CopiedTables are the tables that a copy has.
var CopiedTables = tables

// Tables lists the tables of the database.
func (s *Store) Tables(ctx context.Context) ([]string, error) { return s.db.Tables(ctx) }

// Plans has the steps by which SQLite answers each query that was made so far.
func (s *Store) Plans(ctx context.Context) (map[string][]string, error) {
	if db, ok := s.db.(*sqlite.DB); ok {
		return db.Plans(ctx)
	}
	return nil, nil
}
