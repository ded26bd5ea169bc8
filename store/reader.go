package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// reader is the connections that read beside the writer, with each query
// prepared once.
type reader struct {
	db *sql.DB

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func newReader(db *sql.DB) *reader { return &reader{db: db, prepared: map[string]*sql.Stmt{}} }

func (r *reader) stmt(query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stmt := r.prepared[query]; stmt != nil {
		return stmt, nil
	}
	// Nobody's context: the statement outlives the call that came first.
	stmt, err := r.db.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	r.prepared[query] = stmt
	return stmt, nil
}

func (r *reader) row(ctx context.Context, query string, args ...any) scanner {
	stmt, err := r.stmt(query)
	if err != nil {
		return failedRow{err}
	}
	return stmt.QueryRowContext(ctx, args...)
}

func (r *reader) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := r.stmt(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

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

// Close closes the connections with their statements.
func (r *reader) Close() error { return r.db.Close() }
