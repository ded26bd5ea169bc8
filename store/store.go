// Package store keeps everything durable in one SQLite file, behind the small
// interfaces that approval, session and auth declare.
//
// # What it promises
//
//   - One goroutine, in Run, makes every change. It groups the changes that
//     wait into one transaction with a full sync; a change is acknowledged
//     after that, and one that fails takes none of the others with it.
//   - It is the only publisher of approval.Requests, approval.Responses and
//     session.Events, after the commit and before the next one: the order on
//     the bus is the order of the journal.
//   - One process a data folder: Open holds an exclusive lock.
//   - What it does stands in the audit log in the same transaction, with secrets
//     masked, and checkpoints of that log are signed.
//   - A search finds what matches its filters, and reads a bounded number of rows at once.
//   - When the disk fails nothing is acknowledged and nothing is published.
//
// # How to use it
//
// Open the folder, give Run a goroutine, use the Store, end Run's context last
// of all, then Close.
package store

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver, without cgo

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/failpoint"
	"github.com/lineclear/lineclear/internal/mask"
)

// ErrStopped is returned for a change that comes after Run has ended.
var ErrStopped = errors.New("store: stopped")

//go:embed migrations/*.sql
var migrations embed.FS

// FileName is the name of the database within the data folder.
const FileName = "lineclear.db"

// maxReaders bounds the connections that read beside the writer.
const maxReaders = 4

// Store is an open data folder.
type Store struct {
	bus      *bus.Bus
	lock     *os.File
	head     *os.File   // see HeadName
	newest   audit.Head // of what is committed, the writer's; zero: not known
	write    *sql.DB    // one connection, used by the writer alone
	read     *reader
	held     *cache[approval.Grant]
	refusals *cache[approval.Refusal]
	jobs     chan job
	ran      atomic.Bool   // Run has been called
	ended    chan struct{} // closed when Run has ended
	closed   bool
	reach    int           // how many rows a search examines at once
	filled   chan struct{} // closed when every row is in the history
	unfilled string        // rows below this id may be missing there

	watch Hooks

	secrets *mask.Secrets      // what the audit log does not have
	keyFile string             // file of the key that signs checkpoints
	signer  ed25519.PrivateKey // that key; nil until the first checkpoint

	// KeyMoved says that Open has moved the signing key out of the data folder.
	KeyMoved bool

	writer     *sql.Conn            // write's connection
	statements map[string]*sql.Stmt // writer's, prepared once
}

// Open opens the data folder, making it if it is not there, brings the database to
// the current form, and locks the folder. keyFile holds the key that signs the audit
// log; it is created when it is first needed. Events go to b.
func Open(dir, keyFile string, b *bus.Bus) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("store: data folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: data folder: %w", err)
	}
	if err := errors.Join(private(dir), checkKeyMode(keyFile)); err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s := &Store{
		secrets: secrets, keyFile: keyFile, reach: approval.SearchReach, filled: make(chan struct{}),
		bus: b, lock: lock, held: newCache[approval.Grant](), refusals: newCache[approval.Refusal](), jobs: make(chan job), ended: make(chan struct{}),
		statements: map[string]*sql.Stmt{},
	}
	if s.KeyMoved, err = moveKey(dir, keyFile); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	switch err := s.openDatabase(filepath.Join(dir, FileName)); {
	case errors.Is(err, ErrNewer):
		return nil, errors.Join(err, s.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("store: the database in %s can't be used: %w; make the folder writable "+
			"and its disk less full, or, if the file is damaged, restore it from a backup", dir, err), s.Close())
	}
	if err := s.openHead(dir); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Mask sets what the audit log does not have, instead of every built-in kind of
// secret. It has to come before Run.
func (s *Store) Mask(secrets *mask.Secrets) { s.secrets = secrets }

// Hooks are told what the store does; a nil one is not.
type Hooks struct {
	Committed func(changes int, took time.Duration) // after every commit that was made
	Failed    func(what string, err error)          // reports errors of background work
}

// Watch sets who is told. It has to come before Run.
func (s *Store) Watch(h Hooks) { s.watch = h }

// dir is the data folder.
func (s *Store) dir() string { return filepath.Dir(s.lock.Name()) }

func (s *Store) openDatabase(path string) error {
	failpoint.Disk()
	// Made before SQLite does, so that it is never readable by others.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	const pragmas = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	if s.write, err = sql.Open("sqlite", uri(path, pragmas)); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, s.write, files)
	if err != nil {
		return err
	}
	if err := migrate(context.Background(), provider, s.write, path); err != nil {
		return err
	}
	if s.writer, err = s.write.Conn(context.Background()); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", uri(path, pragmas+"&_pragma=query_only(1)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(maxReaders)
	db.SetMaxIdleConns(maxReaders)
	s.read = newReader(db)
	return s.findUnfilled()
}

// uri names a file with settings; the path may hold any character, also those
// that mean something in a URI.
func uri(path, settings string) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings}).String()
}

// Close closes the database and gives the folder free. Run has to have ended.
func (s *Store) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, stmt := range s.statements {
		errs = append(errs, stmt.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	if s.head != nil {
		errs = append(errs, s.head.Close())
	}
	errs = append(errs, s.lock.Close()) // which also gives up the lock
	return errors.Join(errs...)
}
