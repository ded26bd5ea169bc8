package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lineclear/lineclear/session"
)

// bounds are those of how long a transaction that holds the head may keep others waiting.
var bounds = fmt.Sprintf("SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; SET LOCAL synchronous_commit = on",
	lockLimit.Milliseconds(), IdleLimit.Milliseconds())

// Begin begins the one transaction of the cluster that writes.
func (d *DB) Begin() error {
	d.tx, d.end = context.WithTimeout(context.Background(), d.o.Limit)
	var err error
	for range tries {
		var refused *pgconn.PgError
		if err = d.begin(); err == nil || errors.Is(err, ErrLost) || errors.As(err, &refused) && refused.Code == lockNotAvailable {
			break
		}
		d.giveUp() // a connection from before the server was started again
	}
	if err != nil {
		d.Rollback()
	}
	return unwritten(err)
}

const (
	tries            = 3
	lockNotAvailable = "55P03"
)

func (d *DB) begin() (err error) {
	if d.conn, err = d.own.Conn(d.tx); err != nil {
		return err
	}
	if _, err := d.conn.ExecContext(d.tx, "BEGIN ISOLATION LEVEL READ COMMITTED; "+bounds); err != nil {
		return err
	}
	err = d.conn.QueryRowContext(d.tx, "SELECT take_head($1, $2, $3)", d.o.Node, d.lease.process.String(), d.lease.turn).Scan(&d.position)
	if err == nil && d.position == 0 {
		err = ErrLost
		d.lease.lost(err)
	}
	return err
}

// Now is the server's clock.
func (d *DB) Now() (now time.Time, err error) {
	err = d.conn.QueryRowContext(d.tx, "SELECT clock_timestamp()").Scan(&now)
	return now, unwritten(err)
}

// Touch does nothing: every transaction is synced.
func (d *DB) Touch() error { return nil }

// Exec runs a statement in the transaction.
func (d *DB) Exec(query string, args ...any) error {
	_, err := d.conn.ExecContext(d.tx, translated(query), args...)
	return unwritten(err)
}

// Row reads one row within the transaction.
func (d *DB) Row(query string, args ...any) interface{ Scan(dest ...any) error } {
	return row{d.conn.QueryRowContext(d.tx, translated(query), args...)}
}

// Rows reads rows within the transaction.
func (d *DB) Rows(query string, args ...any) (*sql.Rows, error) {
	return marked(d.conn.QueryContext(d.tx, translated(query), args...))
}

// Commit makes the transaction durable, with what it has to tell, and returns its position. judging says that by
// what calls are judged has changed; see Judged. When the answer is lost, it looks up what has become of it, for
// as long as that takes or until ctx ends.
func (d *DB) Commit(ctx context.Context, news string, judging bool) (position int64, err error) {
	err = d.prune()
	if err == nil && judging {
		err = d.Exec("UPDATE head SET judged = ?", d.position)
	}
	if err != nil {
		d.Rollback()
		return 0, err
	}
	id := uuid.New()
	_, err = d.conn.ExecContext(d.tx, "WITH told AS (INSERT INTO commits (position, id, node, news) VALUES ($1, $2, $3, $4) RETURNING position) "+
		"SELECT pg_notify('lineclear', position::text) FROM told", d.position, id.String(), d.o.Node, news)
	if err != nil {
		d.Rollback()
		return 0, unwritten(err)
	}
	if _, err = d.conn.ExecContext(d.tx, "COMMIT"); err == nil {
		d.free()
		return d.position, nil
	}
	// Whatever the error says: a pooler reports one also where the server has committed.
	d.giveUp()
	d.free()
	return d.position, d.lookUp(ctx, id, err)
}

// Judged is the position of the newest commit that changed by what calls are judged.
func (d *DB) Judged() (position int64, err error) {
	err = d.Row("SELECT judged FROM head").Scan(&position)
	return position, err
}

// keptCommits is how many commits are kept for nodes that are behind.
const (
	keptCommits = 10_000
	pruneEvery  = 100
)

// prune removes commits that every node has read, now and then.
func (d *DB) prune() error {
	if d.position%pruneEvery != 0 {
		return nil
	}
	_, err := d.conn.ExecContext(d.tx, "DELETE FROM commits WHERE position <= $1", d.position-keptCommits)
	return unwritten(err)
}

// lookUp finds out whether a commit was made whose answer was lost.
func (d *DB) lookUp(ctx context.Context, id uuid.UUID, lost error) error {
	for {
		found, err := d.committed(ctx, id)
		switch {
		case err == nil && found:
			return nil
		case err == nil:
			return unwritten(lost)
		}
		select {
		case <-time.After(time.Second / 4):
		case <-ctx.Done():
			return fmt.Errorf("store: %w: whether it was written is not known: %w", session.ErrUnwritten, lost)
		}
	}
}

// committed holds the head, so that the transaction in question is not under way any more.
func (d *DB) committed(ctx context.Context, id uuid.UUID) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	tx, err := d.own.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if _, err := tx.ExecContext(ctx, bounds+"; SELECT 1 FROM head FOR UPDATE"); err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM commits WHERE id = $1)", id.String()).Scan(&found)
	return found, err
}

// Rollback undoes the transaction, by closing its connection where it has to.
func (d *DB) Rollback() {
	if d.conn != nil {
		if _, err := d.conn.ExecContext(d.tx, "ROLLBACK"); err != nil {
			d.giveUp()
		}
	}
	d.free()
}

// giveUp closes the connection of the transaction.
func (d *DB) giveUp() {
	if d.conn != nil {
		_ = d.conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = d.conn.Close() // which it is already
		d.conn = nil
	}
}

// free ends the transaction, and gives its connection back.
func (d *DB) free() {
	if d.conn != nil {
		_ = d.conn.Close() // which gives it back
		d.conn = nil
	}
	d.end()
}

// row marks the error of a server that is away.
type row struct{ *sql.Row }

// Scan implements what *sql.Row does.
func (r row) Scan(dest ...any) error { return ifAway(r.Row.Scan(dest...)) }

func marked(rows *sql.Rows, err error) (*sql.Rows, error) { return rows, ifAway(err) }

// ifAway marks an error that says that the server is away, and no other one.
func ifAway(err error) error {
	var told *pgconn.PgError
	var network net.Error
	var connect *pgconn.ConnectError
	away := errors.As(err, &told) || errors.As(err, &network) || errors.As(err, &connect) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone)
	if away && !errors.Is(err, context.Canceled) {
		return unwritten(err)
	}
	return err
}

// unwritten marks an error that is not about the data: the server is away, has no room, or is ended.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch class := e.Code[:2]; {
		case class == "08", class == "25", class == "40", class == "53", class == "55", class == "57", class == "58":
		default:
			return fmt.Errorf("store: %w", err)
		}
	} else if errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return fmt.Errorf("store: %w: %w", session.ErrUnwritten, err)
}
