package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// reader is the connections that read beside the writer, with each query prepared once.
type reader struct {
	db *sql.DB

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func (r *reader) stmt(query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stmt := r.prepared[query]; stmt != nil {
		return stmt, nil
	}
	// No caller's context: the statement outlives the call that prepared it.
	stmt, err := r.db.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, wrapped(err)
	}
	if r.prepared == nil {
		r.prepared = map[string]*sql.Stmt{}
	}
	r.prepared[query] = stmt
	return stmt, nil
}

// ReadRow reads one row of what is committed.
func (r *reader) ReadRow(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
	stmt, err := r.stmt(query)
	if err != nil {
		return failedRow{err}
	}
	return stmt.QueryRowContext(ctx, args...)
}

// ReadRows reads rows of what is committed.
func (r *reader) ReadRows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := r.stmt(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
