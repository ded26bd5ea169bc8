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
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lineclear/lineclear/session"
)

// bounds limits how long a transaction that locks the head may keep others waiting, and makes its commit synchronous.
var bounds = fmt.Sprintf("SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; SET LOCAL synchronous_commit = on",
	lockLimit.Milliseconds(), IdleLimit.Milliseconds())

// Begin begins the cluster's one transaction that writes.
func (d *DB) Begin() (position int64, err error) {
	d.tx, d.end = context.WithTimeout(context.Background(), d.o.Limit)
	for range tries {
		var refused *pgconn.PgError
		if err = d.begin(); err == nil || errors.Is(err, ErrLost) || errors.As(err, &refused) && refused.Code == lockNotAvailable {
			break
		}
		d.giveUp() // the connection may be from before the server was started again
	}
	if err != nil {
		d.Rollback()
	}
	return d.position, unwritten(err)
}

const (
	tries            = 3
	lockNotAvailable = "55P03"
)

func (d *DB) begin() (err error) {
	if d.conn, err = d.own.Conn(d.tx); err != nil {
		return err
	}
	// The time is read once the head is locked.
	result, err := d.together("BEGIN ISOLATION LEVEL READ COMMITTED; "+bounds+"; SELECT take_head(%s, %s, "+fmt.Sprint(d.lease.turn)+
		"); SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", d.o.Node, d.lease.process.String())
	if err != nil {
		return err
	}
	d.began = time.Now()
	now := int64(0)
	if _, err := fmt.Sscan(result[len(result)-2]+" "+result[len(result)-1], &d.position, &now); err != nil {
		return fmt.Errorf("store: head: %w", err)
	}
	d.now = time.UnixMicro(now)
	if d.position == 0 {
		err = ErrLost
		d.lease.lost(err)
	}
	return err
}

// together runs statements in one round trip, with quoted texts in the places of %s. It returns the first value of
// each result.
func (d *DB) together(statements string, texts ...string) (values []string, err error) {
	err = d.conn.Raw(func(raw any) error {
		conn := raw.(*stdlib.Conn).Conn().PgConn()
		quoted := make([]any, len(texts))
		for i, text := range texts {
			escaped, err := conn.EscapeString(text)
			if err != nil {
				return err
			}
			quoted[i] = "'" + escaped + "'"
		}
		results, err := conn.Exec(d.tx, fmt.Sprintf(statements, quoted...)).ReadAll()
		for _, r := range results {
			value := ""
			if len(r.Rows) > 0 {
				value = string(r.Rows[0][0])
			}
			values = append(values, value)
		}
		return err
	})
	return values, err
}

// Now returns the server's time at which the transaction began, plus the time since then by this machine's clock.
func (d *DB) Now() (now time.Time, err error) { return d.now.Add(time.Since(d.began)), nil }

// Touch does nothing: every transaction is synced.
func (d *DB) Touch() error { return nil }

// Exec queues a statement of the transaction. It runs at the next read or Flush, or when the queue is full: several
// go in one round trip.
func (d *DB) Exec(query string, args ...any) error {
	if d.queue == nil {
		d.queue = &pgx.Batch{}
	}
	d.queue.Queue(translated(query), args...)
	if d.queue.Len() >= mostQueued {
		return d.Flush()
	}
	return nil
}

// mostQueued is how many statements go in one round trip at most.
const mostQueued = 32

// Flush returns once the queued statements are done.
func (d *DB) Flush() error {
	queue := d.queue
	if queue == nil {
		return nil
	}
	d.queue = nil
	return unwritten(d.conn.Raw(func(raw any) error { return raw.(*stdlib.Conn).Conn().SendBatch(d.tx, queue).Close() }))
}

// Row reads one row within the transaction, in one round trip with the queued statements.
func (d *DB) Row(query string, args ...any) interface{ Scan(dest ...any) error } {
	queue := d.queue
	if queue == nil {
		queue = &pgx.Batch{}
	}
	d.queue = nil
	before := queue.Len()
	queue.Queue(translated(query), args...)
	var row found
	err := d.conn.Raw(func(raw any) error {
		results := raw.(*stdlib.Conn).Conn().SendBatch(d.tx, queue)
		for range before {
			if _, err := results.Exec(); err != nil {
				return errors.Join(err, results.Close())
			}
		}
		row = readOne(results)
		return results.Close()
	})
	if err != nil && (row.err == nil || errors.Is(row.err, sql.ErrNoRows)) {
		row.err = err
	}
	row.err = unwritten(row.err)
	return row
}

// Rows reads rows within the transaction.
func (d *DB) Rows(query string, args ...any) (*sql.Rows, error) {
	if err := d.Flush(); err != nil {
		return nil, err
	}
	return marked(d.conn.QueryContext(d.tx, translated(query), args...))
}

// Commit makes the transaction durable, with its news, and returns its position. judging says that it changes what
// calls are judged by. If the server's answer is lost, it looks the commit up, for as long as that takes or until ctx
// ends.
func (d *DB) Commit(ctx context.Context, news string, judging bool) (position int64, err error) {
	err = d.prune()
	if err == nil && judging {
		err = d.Exec("UPDATE head SET judged = ?", d.position)
	}
	if err = errors.Join(err, d.Flush()); err != nil {
		d.Rollback()
		return 0, err
	}
	id := uuid.New()
	_, err = d.together("INSERT INTO commits (position, id, node, news) VALUES ("+fmt.Sprint(d.position)+", %s, %s, %s); "+
		"SELECT pg_notify('lineclear', '"+fmt.Sprint(d.position)+"'); COMMIT", id.String(), d.o.Node, news)
	if err == nil {
		d.free()
		return d.position, nil
	}
	// Whatever the error says: a pooler may report one although the server has committed.
	d.giveUp()
	d.free()
	return d.position, d.lookUp(ctx, id, err)
}

// keptCommits is how many commits are kept for nodes that are behind.
const (
	keptCommits = 10_000
	pruneEvery  = 100
)

// prune removes the commits before the last keptCommits, now and then.
func (d *DB) prune() error {
	if d.position%pruneEvery != 0 {
		return nil
	}
	return d.Exec("DELETE FROM commits WHERE position <= ?", d.position-keptCommits)
}

// lookUp finds out whether a commit was made although its answer was lost.
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

// committed looks for a commit. It locks the head first, so that the transaction in question is over.
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

// Rollback undoes the transaction, if necessary by closing its connection.
func (d *DB) Rollback() {
	d.queue = nil
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
		_ = d.conn.Close() // it is closed already
		d.conn = nil
	}
}

// free ends the transaction and returns its connection to the pool.
func (d *DB) free() {
	if d.conn != nil {
		_ = d.conn.Close() // returns it to the pool
		d.conn = nil
	}
	d.end()
}

// row marks the errors of a server that is away.
type row struct{ *sql.Row }

// Scan does what (*sql.Row).Scan does.
func (r row) Scan(dest ...any) error { return ifAway(r.Row.Scan(dest...)) }

func marked(rows *sql.Rows, err error) (*sql.Rows, error) { return rows, ifAway(err) }

// ifAway marks errors of the server and of the connection, as unwritten does, and no others.
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

// unwritten marks an error that is not about the data with session.ErrUnwritten: the server is away, full or shutting
// down.
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
