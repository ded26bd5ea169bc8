package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/lineclear/lineclear/session"
)

// Begin begins the one transaction that writes.
func (d *DB) Begin() (position int64, err error) {
	if err = d.Exec("BEGIN IMMEDIATE"); err == nil {
		return 0, nil
	}
	// A transaction that could not be rolled back may still be open.
	if d.Exec("ROLLBACK") != nil || d.Exec("BEGIN IMMEDIATE") != nil {
		return 0, err
	}
	return 0, nil
}

// Commit makes the transaction durable. There is nobody to tell its news.
func (d *DB) Commit(context.Context, string, bool) (position int64, err error) {
	return 0, d.Exec("COMMIT")
}

// Rollback undoes the transaction. SQLite may have rolled back by itself; what is left open all
// the same, the next Begin clears.
func (d *DB) Rollback() { _ = d.Exec("ROLLBACK") }

// Touch makes the transaction one that is synced, whatever else it changes.
func (d *DB) Touch() error {
	// The number is the database's own and always 0.
	return d.Exec("PRAGMA user_version = 0")
}

// Now is the time by which the transaction decides.
func (d *DB) Now() (time.Time, error) { return time.Now(), nil }

// Exec runs a statement in the transaction. It has no caller's context: a caller who
// gives up must not undo what others share a commit with.
func (d *DB) Exec(query string, args ...any) error {
	stmt, err := d.stmt(query)
	if err != nil {
		return err
	}
	_, err = stmt.Exec(args...)
	return unwritten(err)
}

// Flush has nothing to do: Exec returns once the statement is done.
func (d *DB) Flush() error { return nil }

// Rows reads rows within the transaction.
func (d *DB) Rows(query string, args ...any) (*sql.Rows, error) {
	stmt, err := d.stmt(query)
	if err != nil {
		return nil, err
	}
	return stmt.Query(args...)
}

// Row reads one row within the transaction.
func (d *DB) Row(query string, args ...any) interface{ Scan(dest ...any) error } {
	stmt, err := d.stmt(query)
	if err != nil {
		return failedRow{err}
	}
	return stmt.QueryRow(args...)
}

func (d *DB) stmt(query string) (*sql.Stmt, error) {
	if prepared := d.statements[query]; prepared != nil {
		return prepared, nil
	}
	prepared, err := d.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, wrapped(err)
	}
	d.statements[query] = prepared
	return prepared, nil
}

// unwritten marks what a full or broken disk, or another process that holds the lock, is to blame for.
func unwritten(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlitelib.SQLITE_FULL, sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED, sqlitelib.SQLITE_READONLY, sqlitelib.SQLITE_CANTOPEN, sqlitelib.SQLITE_NOMEM:
			return fmt.Errorf("store: %w: %w", session.ErrUnwritten, err)
		}
	}
	return wrapped(err)
}

// cantMake reports whether an error says that a file can't be made or opened.
func cantMake(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlitelib.SQLITE_CANTOPEN || e.Code()&0xff == sqlitelib.SQLITE_READONLY)
}
