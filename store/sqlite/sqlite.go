// Package sqlite is a store's database in one SQLite file: its schema, one connection that writes
// and some that read beside it, with each query prepared once.
//
// A commit is synced to disk. An error that a full or broken disk is to blame for, or another
// process that holds the file, is session.ErrUnwritten.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver, without cgo

	"github.com/lineclear/lineclear/internal/failpoint"
)

// maxReaders bounds the connections that read beside the writer.
const maxReaders = 4

// DB is an open database. Its writing methods belong to one goroutine.
type DB struct {
	writes     *sql.DB // one connection, used by the writer alone
	conn       *sql.Conn
	statements map[string]*sql.Stmt // conn's, prepared once
	reader
}

// Open opens a file, making it if it is not there, and brings it to the current form.
func Open(file string) (*DB, error) {
	failpoint.Disk()
	// Made before SQLite does, so that it is never readable by others.
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	const pragmas = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	writes, err := sql.Open("sqlite", uri(file, pragmas))
	if err != nil {
		return nil, err
	}
	writes.SetMaxOpenConns(1)
	d := &DB{writes: writes, statements: map[string]*sql.Stmt{}}
	if err := migrate(context.Background(), writes, file); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if d.conn, err = writes.Conn(context.Background()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	reads, err := sql.Open("sqlite", uri(file, pragmas+"&_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	reads.SetMaxOpenConns(maxReaders)
	reads.SetMaxIdleConns(maxReaders)
	d.db = reads
	return d, nil
}

// OpenBeside opens the file of a gateway that may be running, only to read it; the writing methods
// may not be used. It writes nothing to it, but SQLite may leave its helper files beside it.
func OpenBeside(file string) (*DB, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	const settings = "mode=ro&_pragma=busy_timeout(5000)"
	d, err := beside(file, settings)
	if err == nil || !cantMake(err) || !untouched(file) {
		return d, err
	}
	// SQLite wants files beside the database even to read it, which it can't make
	// on a medium that is read-only. Nothing writes there.
	d, again := beside(file, settings+"&immutable=1")
	if again != nil {
		return nil, errors.Join(err, again)
	}
	return d, nil
}

func beside(file, settings string) (*DB, error) {
	db, err := sql.Open("sqlite", uri(file, settings))
	if err != nil {
		return nil, err
	}
	var tables int
	if err := db.QueryRowContext(context.Background(), "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &DB{reader: reader{db: db}}, nil
}

// untouched reports whether nothing waits beside the file to be read as part of it.
func untouched(file string) bool {
	info, err := os.Stat(file + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// uri names a file with settings; the path may hold any character, also those
// that mean something in a URI.
func uri(path, settings string) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings}).String()
}

// Snapshot writes the database to a new file as it is at one moment.
func (d *DB) Snapshot(ctx context.Context, file string) error { return snapshot(ctx, d.db, file) }

func snapshot(ctx context.Context, db *sql.DB, file string) error {
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Sync(), f.Close())
}

// Close closes the connections with their statements.
func (d *DB) Close() error {
	var errs []error
	for _, stmt := range d.statements {
		errs = append(errs, stmt.Close())
	}
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	if d.writes != nil {
		errs = append(errs, d.writes.Close())
	}
	return errors.Join(errs...)
}

// Plans has the steps by which SQLite answers each query that was made so far.
func (d *DB) Plans(ctx context.Context) (map[string][]string, error) {
	d.mu.Lock()
	queries := slices.Concat(slices.Collect(maps.Keys(d.prepared)), slices.Collect(maps.Keys(d.statements)))
	d.mu.Unlock()
	plans := map[string][]string{}
	for _, query := range queries {
		steps, err := d.plan(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		plans[query] = steps
	}
	return plans, nil
}

func (d *DB) plan(ctx context.Context, query string) (steps []string, err error) {
	rows, err := d.db.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, rows.Err()
}

// wrapped names the store in an error.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %w", err)
}
