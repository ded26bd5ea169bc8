package postgres

import "context"

// Show stores who is connected to this node, for the others to read. It does not lock the head: nothing is decided by
// it alone.
func (d *DB) Show(ctx context.Context, clients string) error {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	_, err := d.reads.ExecContext(ctx, `INSERT INTO clients (node, turn, clients) SELECT name, turn, $3 FROM nodes WHERE name = $1 AND turn = $2
		ON CONFLICT (node) DO UPDATE SET turn = excluded.turn, clients = excluded.clients`, d.o.Node, d.lease.turn, clients)
	return unwritten(err)
}
