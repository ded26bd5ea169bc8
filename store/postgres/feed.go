package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Commit is one commit, by any node.
type Commit struct {
	Position int64
	Node     string
	News     string // as given to DB.Commit
}

// Position returns the position of the newest commit.
func (d *DB) Position(ctx context.Context) (position int64, err error) {
	err = d.reads.QueryRowContext(ctx, "SELECT position FROM head").Scan(&position)
	return position, unwritten(err)
}

// ErrMissed ends the lease of a node that is too far behind: commits that it has not read were removed.
var ErrMissed = errors.New("this node is too far behind: commits that it has not read are not kept any more")

// After lists the commits after a position, in order, at most as many as most.
func (d *DB) After(ctx context.Context, position int64, most int) (list []Commit, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	rows, err := d.reads.QueryContext(ctx, "SELECT position, node, news FROM commits WHERE position > $1 ORDER BY position LIMIT $2", position, most)
	if err != nil {
		return nil, unwritten(err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var c Commit
		if err := rows.Scan(&c.Position, &c.Node, &c.News); err != nil {
			return nil, fmt.Errorf("store: commits: %w", err)
		}
		list = append(list, c)
	}
	if len(list) > 0 && list[0].Position != position+1 {
		d.lease.lost(ErrMissed)
		return nil, ErrMissed
	}
	return list, unwritten(rows.Err())
}

// Listen calls wake after commits of any node, until ctx ends or the connection does.
func (d *DB) Listen(ctx context.Context, wake func()) error {
	conn, err := pgx.ConnectConfig(ctx, d.direct)
	if err != nil {
		return fmt.Errorf("store: listen: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing was written
	if _, err := conn.Exec(ctx, "LISTEN lineclear"); err != nil {
		return fmt.Errorf("store: listen: %w", err)
	}
	for {
		wake()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return fmt.Errorf("store: listen: %w", err)
		}
	}
}
