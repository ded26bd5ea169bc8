package postgres

import (
	"context"
	"fmt"
)

// Apart runs one statement on its own, beside the commits and their order, and scans the row that it returns:
// sql.ErrNoRows where there is none. Only a node that may work runs one.
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
