package postgres

import (
	"context"
	"fmt"
)

// Apart runs one statement on its own, outside the order of the commits, and scans the row it returns, or returns
// sql.ErrNoRows. It needs a valid lease.
func (d *DB) Apart(ctx context.Context, query string, args []any, into ...any) error {
	if err := d.Held(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	return unwritten(d.reads.QueryRowContext(ctx, translated(query), args...).Scan(into...))
}

// Node is this node's name.
func (d *DB) Node() string { return d.o.Node }
