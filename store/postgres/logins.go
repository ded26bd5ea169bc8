package postgres

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/session"
)

// Logins keeps people's logins at MCP servers for all nodes. It is a transport.Logins of tool/mcp. Its statements do
// not lock the head and need no lease: a renewed token is kept even if its node has lost its lease.
type Logins struct {
	db *DB
	// LockFor is how long the lock of a dead holder lasts: longer than a renewal takes.
	LockFor time.Duration
}

// Logins returns the logins at MCP servers.
func (d *DB) Logins() *Logins { return &Logins{d, 45 * time.Second} }

const lockEvery = 100 * time.Millisecond

// Lock locks a login until unlock is called.
func (l *Logins) Lock(ctx context.Context, name string) (unlock func(), err error) {
	holder := uuid.NewString()
	for {
		got, err := l.exec(ctx, `INSERT INTO mcp_logins (name, holder, until) VALUES ($1, $2, clock_timestamp() + $3::bigint * interval '1 microsecond')
			ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE mcp_logins.holder = '' OR mcp_logins.until <= clock_timestamp()`, name, holder, l.LockFor.Microseconds())
		if err != nil {
			return nil, err
		}
		if got > 0 {
			return func() {
				// A lock that can't be released expires.
				_, _ = l.exec(context.WithoutCancel(ctx), "UPDATE mcp_logins SET holder = '' WHERE name = $1 AND holder = $2", name, holder)
			}, nil
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Read returns a login; fs.ErrNotExist if there is none.
func (l *Logins) Read(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.db.o.Limit)
	defer cancel()
	var login sql.NullString
	err := l.db.reads.QueryRowContext(ctx, "SELECT login FROM mcp_logins WHERE name = $1", name).Scan(&login)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !login.Valid {
		return nil, fs.ErrNotExist
	}
	return []byte(login.String), unwritten(err)
}

// Write replaces was by is. It reports false if neither is stored; a nil was stands for anything. While the server is
// away it tries again until ctx ends: the renewed token has already replaced the old one at the MCP server.
func (l *Logins) Write(ctx context.Context, name string, was, is []byte) (written bool, err error) {
	for {
		n, err := l.exec(ctx, "UPDATE mcp_logins SET login = $2 WHERE name = $1 AND ($3 OR login = $4 OR login = $2)", name, string(is), was == nil, string(was))
		if !errors.Is(err, session.ErrUnwritten) {
			return n > 0, err
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return false, err
		}
	}
}

// Remove removes a login; fs.ErrNotExist if there is none.
func (l *Logins) Remove(ctx context.Context, name string) error {
	n, err := l.exec(ctx, "UPDATE mcp_logins SET login = NULL WHERE name = $1 AND login IS NOT NULL", name)
	if err == nil && n == 0 {
		return fs.ErrNotExist
	}
	return err
}

// exec runs a statement in its own transaction, which is synced.
func (l *Logins) exec(ctx context.Context, query string, args ...any) (rows int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.db.o.Limit)
	defer cancel()
	tx, err := l.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return 0, unwritten(err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, bounds); err != nil {
		return 0, unwritten(err)
	}
	done, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, unwritten(err)
	}
	if rows, err = done.RowsAffected(); err != nil {
		return 0, unwritten(err)
	}
	return rows, unwritten(tx.Commit())
}
