// Package store keeps everything durable, behind the small interfaces that approval,
// session and auth declare: in one SQLite file, or in a database in Postgres that
// several gateways share. The queries are here; an engine runs them.
//
// # What it promises
//
//   - One goroutine, in Run, makes every change. It groups the changes that
//     wait into one transaction with a full sync; a change is acknowledged
//     after that, and one that fails takes none of the others with it.
//   - It is the only publisher of approval.Requests, approval.Responses and
//     session.Events, after the commit and before the next one: the order on
//     the bus is the order of the journal, for the commits of all gateways.
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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/sqlite"
)

// ErrStopped is returned for a change that comes after Run has ended.
var ErrStopped = errors.New("store: stopped")

// ErrUnreached is returned by OpenShared for a database that does not answer.
var ErrUnreached = postgres.ErrUnreached

// ErrNewer is returned by Open for a database that a newer version has written.
var ErrNewer = sqlite.ErrNewer

// FileName is the name of the database within the data folder.
const FileName = "lineclear.db"

// Store is an open data folder.
type Store struct {
	bus      *bus.Bus
	lock     *os.File
	head     *os.File   // see HeadName
	newest   audit.Head // the newest committed record, for the writer; zero: not known
	db       engine
	others   others        // nil without a cluster
	seen     atomic.Int64  // the position of the newest commit that is on the bus; the writer sets it
	own      int64         // the position of this node's newest commit, at which newest is known
	letGo    func() error  // gives up the lease; nil if there is none
	nodes    chan struct{} // has room for one: a node has come or is gone
	agents   atomic.Pointer[agreed]
	called   chan struct{} // has room for one: a client's call has changed for this node
	woken    chan struct{} // has room for one: another node has made a commit
	looks    time.Duration // lookEvery
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

	secrets *mask.Secrets      // what is masked in the audit log
	keyFile string             // file of the key that signs checkpoints
	signer  ed25519.PrivateKey // that key; nil until the first checkpoint

	// KeyMoved says that Open has moved the signing key out of the data folder.
	KeyMoved bool
}

// Open opens the data folder, making it if it is not there, brings the database to
// the current form, and locks the folder. keyFile holds the key that signs the audit
// log; it is created when it is first needed. Events go to b.
func Open(dir, keyFile string, b *bus.Bus) (*Store, error) {
	return open(dir, keyFile, b, func(s *Store, dir string) error {
		db, err := sqlite.Open(filepath.Join(dir, FileName))
		if errors.Is(err, ErrNewer) {
			return fmt.Errorf("store: %w", err)
		}
		if err != nil {
			return fmt.Errorf("store: the database in %s can't be used: %w; make the folder writable "+
				"and its disk less full, or, if the file is damaged, restore it from a backup", dir, err)
		}
		s.db = db
		return nil
	})
}

// OpenShared is Open for a node of a cluster, whose database is in Postgres. It returns once this node may work, and
// keeps its lease until Close. Each node has its own folder; all have the same key.
func OpenShared(ctx context.Context, shared postgres.Options, dir, keyFile string, b *bus.Bus) (*Store, error) {
	return open(dir, keyFile, b, func(s *Store, _ string) error {
		shared.Nodes = func() {
			select {
			case s.nodes <- struct{}{}:
			default: // it will be told anyway
			}
		}
		db, err := postgres.Open(ctx, shared)
		if err != nil {
			return err
		}
		s.db, s.others = db, db
		if err := db.Take(ctx); err != nil {
			return err
		}
		keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
		kept := make(chan error, 1)
		go func() { kept <- db.Keep(keeping) }()
		s.letGo = func() error {
			stop()
			if err := <-kept; !errors.Is(err, postgres.ErrLost) { // Lost was told that
				return err
			}
			return nil
		}
		if err := db.Upgrade(ctx); err != nil {
			return err
		}
		if err := s.endLinks(ctx); err != nil {
			return err
		}
		at, err := db.Position(ctx)
		if err != nil {
			return err
		}
		s.seen.Store(at)
		return db.Say(ctx, at)
	})
}

func open(dir, keyFile string, b *bus.Bus, database func(s *Store, dir string) error) (*Store, error) {
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
		bus: b, lock: lock, nodes: make(chan struct{}, 1), held: newCache[approval.Grant](), refusals: newCache[approval.Refusal](), jobs: make(chan job), called: make(chan struct{}, 1), woken: make(chan struct{}, 1), looks: lookEvery, ended: make(chan struct{}),
	}
	if s.KeyMoved, err = moveKey(dir, keyFile); err == nil {
		err = database(s, dir)
	}
	if err == nil {
		err = errors.Join(s.findUnfilled(), s.openHead(dir))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Mask sets which secrets the audit log masks, instead of every built-in kind. Call it before Run.
func (s *Store) Mask(secrets *mask.Secrets) { s.secrets = secrets }

// Hooks are called with what the store does; each may be nil.
type Hooks struct {
	Committed func(changes int, took time.Duration) // after every commit that was made
	Failed    func(what string, err error)          // reports errors of background work
	Judging   func()                                // after another node changed what calls are judged by, once this node has read the change

	// Called is told that another node wrote to a session in which this one works, or who wants the session's turn to
	// end. What that node writes later, this node reads after the call. It must not write.
	Called func(sessionID string, stop session.Stop)
	// Subscribed is told that another node changed push subscriptions. It must not write.
	Subscribed func()
	// Nodes is told that a node has come or is gone, that other nodes agreed on an agent, or that a session is left
	// for another node. It must not write.
	Nodes func()

	// Shared is told the position of each commit of this node, before the commit's news is on this node's bus.
	Shared func(position int64)

	// Access takes in another node's change of access; see auth.Keyring.Refresh.
	Access func(ctx context.Context, changes int64, ids ...string) error
}

// failed reports an error of background work.
func (s *Store) failed(what string, err error) {
	if s.watch.Failed != nil {
		s.watch.Failed(what, err)
	}
}

// Watch sets the hooks. Call it before Run.
func (s *Store) Watch(h Hooks) { s.watch = h }

// dir is the data folder.
func (s *Store) dir() string { return filepath.Dir(s.lock.Name()) }

// Close closes the database and unlocks the folder. Run must have ended.
func (s *Store) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	if s.letGo != nil {
		errs = append(errs, s.letGo())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.head != nil {
		errs = append(errs, s.head.Close())
	}
	errs = append(errs, s.lock.Close()) // which also gives up the lock
	return errors.Join(errs...)
}
