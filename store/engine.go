package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// engine is the database of a store. Its queries are written for SQLite; another engine translates
// the few words that differ. A truth value is 0 or 1.
type engine interface {
	writer
	// ReadRow and ReadRows read what is committed, beside the writer.
	ReadRow(ctx context.Context, query string, args ...any) scanner
	ReadRows(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// Faults runs the database's own checks, on one table if it is named, and describes each fault.
	Faults(ctx context.Context, table string) ([]string, error)
	Tables(ctx context.Context) ([]string, error)
	Close() error
}

// writer is the part of an engine that only the goroutine in Run uses: one transaction after the other. No other
// transaction changes the database meanwhile.
type writer interface {
	// Begin begins a transaction and returns the position that its commit will have; 0 without a cluster.
	Begin() (position int64, err error)
	// Now is the database's clock, which decides about deadlines.
	Now() (time.Time, error)
	// Exec may return before the statement is done; later reads see it. Flush waits for all of them and returns the
	// first error.
	Exec(query string, args ...any) error
	Flush() error
	Row(query string, args ...any) scanner
	Rows(query string, args ...any) (*sql.Rows, error)
	// Touch makes sure that the transaction is synced, even if it changes nothing else.
	Touch() error
	// Commit makes the transaction durable and returns its position in the order of a cluster's commits; 0 without a
	// cluster. It tells the other nodes the news, and whether what calls are judged by has changed. If the server's
	// answer is lost, it looks the commit up until ctx ends.
	Commit(ctx context.Context, news string, judging bool) (position int64, err error)
	Rollback()
}

// scanner is what *sql.Row and *sql.Rows have in common.
type scanner = interface{ Scan(dest ...any) error }

// errEnough ends scanned early.
var errEnough = errors.New("enough")

// scanned scans the rows of a query until scan returns errEnough; what names them in errors.
func scanned[T any](what string, rows *sql.Rows, err error, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", what, err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	list := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if errors.Is(err, errEnough) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("store: %s: %w", what, err)
	}
	return list, nil
}

// is returns a truth value for a column.
func is(value bool) int {
	if value {
		return 1
	}
	return 0
}
