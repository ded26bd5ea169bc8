// Package postgres is a store's database in Postgres 15 or later, which several gateways share.
//
// # What it promises
//
//   - The transactions that write are one after the other in the whole cluster: each holds one row,
//     the head, to its end. A node that hangs with it is cut off by the server after IdleLimit.
//   - A node works under a lease, beside others of its schema. Once its lease is found to have
//     ended, its writes are refused: see Take.
//   - Each commit has a position, in the order of the commits, and says what it has to tell.
//   - A commit whose answer was lost is looked up by its own id.
//   - Nothing is kept on a connection from one transaction to the next: no session's state or lock,
//     no named statement. So it works through PgBouncer in transaction mode. Listen alone needs a
//     direct connection.
//
// An error that is not about the data, because the server is away or refuses to write, is
// session.ErrUnwritten.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// IdleLimit is how long a transaction may do nothing before the server ends it.
	IdleLimit = 2 * time.Second
	// lockLimit is how long a transaction waits for the one before it.
	lockLimit = 5 * time.Second
	// DefaultLimit is how long a transaction takes at most, as the node measures it.
	DefaultLimit = 10 * time.Second
	// maxReaders bounds the connections that read. The writer and the lease have their own, which no
	// reader can take.
	maxReaders = 8
	maxOwn     = 2
)

// Options say how to reach a database.
type Options struct {
	URL     string // postgres://user:password@host:port/database?sslmode=…; may lead to a pooler
	Direct  string // leads to the server itself, for Listen; empty if URL does
	Node    string // this node's name, unique in the cluster
	Version string // of this node's program, for the list of nodes

	Alone bool // work only while no other node does

	Limit time.Duration                  // how long a transaction takes at most, as the node measures it; 0: DefaultLimit
	Lease time.Duration                  // how long after its last sign of life another node takes over; 0: DefaultLease
	Waits func(active string, err error) // is told which node this one waits for, or why it can't know; may be nil
	Clock func() time.Time               // this machine's; nil: time.Now
	Lost  func(why error)                // is told that this node may not work any more; may be nil
	Nodes func()                         // is told, by Keep, that a node has come or is gone; may be nil
}

// DB is an open database. Its writing methods belong to one goroutine.
type DB struct {
	reads  *sql.DB
	own    *sql.DB
	direct *pgx.ConnConfig
	o      Options
	lease  *lease
	ahead  atomic.Int64            // how far the server's clock is ahead of this machine's, in nanoseconds
	live   atomic.Pointer[[]int64] // the turns of the nodes that work, in order

	conn     *sql.Conn       // of the current transaction; nil between two of them
	tx       context.Context // ends at the limit of that transaction
	end      context.CancelFunc
	position int64      // of that transaction
	queue    *pgx.Batch // statements that have not been sent; nil: none
	now      time.Time  // when it began, by the server's clock
	began    time.Time  // when it began, by this machine's clock
}

// Open connects. It leaves an older schema as it is until Upgrade, since other nodes may work with it.
func Open(ctx context.Context, o Options) (*DB, error) {
	config, err := configOf(o.URL)
	if err != nil {
		return nil, err
	}
	direct := config
	if o.Direct != "" {
		if direct, err = configOf(o.Direct); err != nil {
			return nil, err
		}
	}
	pool := func(most int) *sql.DB {
		p := stdlib.OpenDB(*config)
		p.SetMaxOpenConns(most)
		p.SetMaxIdleConns(most)
		return p
	}
	d := &DB{reads: pool(maxReaders), own: pool(maxOwn), direct: direct, o: o}
	if d.o.Lease == 0 {
		d.o.Lease = DefaultLease
	}
	if d.o.Clock == nil {
		d.o.Clock = time.Now
	}
	if d.o.Limit == 0 {
		d.o.Limit = DefaultLimit
	}
	if err := checkVersion(ctx, d.reads); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := migrate(ctx, d.reads, true); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", config.Host, err), d.Close())
	}
	return d, nil
}

func configOf(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err) // it has no password
	}
	// Unnamed statements: they do not outlive their transaction at a pooler.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	return config, nil
}

// ErrUnreached is returned by Open for a server that does not answer, or refuses the connection.
var ErrUnreached = errors.New("store: the database can't be reached")

// oldest is the oldest version of Postgres that will do.
const oldest = 15

func checkVersion(ctx context.Context, pool *sql.DB) error {
	var number int
	if err := pool.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&number); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreached, err) // it has the address, and no password
	}
	if number/10000 < oldest {
		return fmt.Errorf("store: it is Postgres %d: Lineclear needs %d or later", number/10000, oldest)
	}
	return nil
}

// ReadRow reads one row of what is committed.
func (d *DB) ReadRow(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
	return row{d.reads.QueryRowContext(ctx, translated(query), args...)}
}

// ReadRows reads rows of what is committed.
func (d *DB) ReadRows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return marked(d.reads.QueryContext(ctx, translated(query), args...))
}

// Moment is the database as it was at one moment.
type Moment struct{ tx *sql.Tx }

// Moment begins to read, without a time limit.
func (d *DB) Moment(ctx context.Context) (*Moment, error) {
	tx, err := d.reads.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	return &Moment{tx}, unwritten(err)
}

// ReadRow reads one row.
func (m *Moment) ReadRow(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
	return m.tx.QueryRowContext(ctx, translated(query), args...)
}

// ReadRows reads rows.
func (m *Moment) ReadRows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return m.tx.QueryContext(ctx, translated(query), args...)
}

// Close ends the reading.
func (m *Moment) Close() error { return m.tx.Rollback() }

// Size returns how much the database takes up, in bytes.
func (d *DB) Size(ctx context.Context) (bytes int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	err = d.reads.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes)
	return bytes, unwritten(err)
}

// Key returns a key that all nodes share. The first node that asks for it makes it.
func (d *DB) Key(ctx context.Context, name string, make func() (string, error)) (pem string, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	const there = "SELECT pem FROM keys WHERE name = $1"
	err = d.reads.QueryRowContext(ctx, there, name).Scan(&pem)
	if !errors.Is(err, sql.ErrNoRows) {
		return pem, unwritten(err)
	}
	made, err := make()
	if err != nil {
		return "", err
	}
	if _, err := d.reads.ExecContext(ctx, "INSERT INTO keys (name, pem) VALUES ($1, $2) ON CONFLICT DO NOTHING", name, made); err != nil {
		return "", unwritten(err)
	}
	err = d.reads.QueryRowContext(ctx, there, name).Scan(&pem)
	return pem, unwritten(err)
}

// Tables lists nothing: a server checks its tables itself.
func (d *DB) Tables(context.Context) ([]string, error) { return nil, nil }

// Faults finds nothing: a server checks its pages itself.
func (d *DB) Faults(context.Context, string) ([]string, error) { return nil, nil }

// Close gives up the lease and closes the connections.
func (d *DB) Close() error {
	var err error
	if d.lease != nil {
		err = d.leave(context.Background())
	}
	return errors.Join(err, d.reads.Close(), d.own.Close())
}
