package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/session"
)

// DefaultLease is how long after its last sign of life a node's work is taken over.
const DefaultLease = 5 * time.Second

var (
	// ErrLost is what a node gets whose work another one may have taken over.
	ErrLost = errors.New("another node may have taken over: this one has lost its lease")
	// ErrNodeName refuses a second node of one name.
	ErrNodeName = errors.New("there is a node of this name already: give each one its own under cluster.node")
)

// lease is this node's right to work. It ends by a clock that counts while the machine sleeps.
type lease struct {
	process uuid.UUID
	turn    int64

	mu    sync.Mutex
	until time.Duration // by sinceBoot
	over  error         // not nil once it is lost
	tell  func(error)
}

// margin is the part of a lease in which a node that could not renew it ends its work.
func (d *DB) margin() time.Duration { return d.o.Lease * 3 / 10 }

// renewed lengthens the lease, from before the server was asked.
func (l *lease) renewed(from, length time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = from + length
}

func (l *lease) lost(why error) {
	l.mu.Lock()
	first := l.over == nil
	if first {
		l.over = why
	}
	l.mu.Unlock()
	if first && l.tell != nil {
		l.tell(why)
	}
}

// Held is nil while this node may begin something that no transaction guards: its lease is good for
// some time yet.
func (d *DB) Held() error {
	d.lease.mu.Lock()
	defer d.lease.mu.Unlock()
	if d.lease.over == nil && sinceBoot() >= d.lease.until-d.margin() {
		return ErrLost
	}
	return d.lease.over
}

// Take registers this node and waits until it is its turn to work: no other node's lease is good. Then
// what an earlier turn still wants to write is refused. A server that is away meanwhile is waited for.
func (d *DB) Take(ctx context.Context) error {
	process, err := uuid.NewRandom()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	d.lease = &lease{process: process, tell: d.o.Lost}
	var told string
	var namesake time.Time // when the lease ends of another process with this name
	for first := true; ; first = false {
		from := sinceBoot()
		active, until, err := d.take(ctx)
		switch {
		case err == nil && active == "" && until.IsZero():
			d.lease.renewed(from, d.o.Lease)
			return nil
		case err != nil && (first || ctx.Err() == nil && !errors.Is(err, session.ErrUnwritten)):
			return err
		case !until.IsZero() && !namesake.IsZero() && until.After(namesake):
			return fmt.Errorf("%w: %s", ErrNodeName, d.o.Node)
		}
		namesake = until
		if words := fmt.Sprint(active, err); words != told && d.o.Waits != nil && ctx.Err() == nil {
			d.o.Waits(active, err)
			told = words
		}
		select {
		case <-time.After(d.o.Lease / 10):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), d.leave(context.WithoutCancel(ctx)))
		}
	}
}

// take is one attempt. It returns which node works, or until when another process is registered with
// this node's name; nothing once it is this node's turn.
func (d *DB) take(ctx context.Context) (active string, namesake time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	if namesake, err = d.register(ctx); err != nil || !namesake.IsZero() {
		return "", namesake, err
	}
	active, err = d.turn(ctx)
	return active, namesake, unwritten(err)
}

func (d *DB) turn(ctx context.Context) (active string, err error) {
	// Without the head at first, so that standing by holds up nobody.
	const working = "SELECT coalesce(max(name), '') FROM nodes WHERE turn <> 0 AND until > clock_timestamp() AND NOT $1"
	err = d.own.QueryRowContext(ctx, working, d.o.Together).Scan(&active)
	if err != nil || active != "" {
		return active, err
	}
	tx, err := d.own.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, bounds); err != nil {
		return "", err
	}
	var turn int64
	if err := tx.QueryRowContext(ctx, "UPDATE head SET turn = turn + 1 RETURNING turn").Scan(&turn); err != nil {
		return "", err
	}
	// Whoever renews at this moment comes first, and is found, or comes too late.
	if _, err := tx.ExecContext(ctx, "UPDATE nodes SET turn = 0 WHERE turn <> 0 AND until <= clock_timestamp()"); err != nil {
		return "", err
	}
	err = tx.QueryRowContext(ctx, working, d.o.Together).Scan(&active)
	if err != nil || active != "" {
		return active, err
	}
	// And a lease that ends between these two looks at the clock.
	if _, err := tx.ExecContext(ctx, "UPDATE nodes SET turn = 0 WHERE turn <> 0 AND NOT $1", d.o.Together); err != nil {
		return "", err
	}
	_, err = tx.ExecContext(ctx, "UPDATE nodes SET turn = $1, until = clock_timestamp() + $2::bigint * interval '1 microsecond' WHERE name = $3 AND process = $4",
		turn, d.o.Lease.Microseconds(), d.o.Node, d.lease.process.String())
	if err != nil {
		return "", err
	}
	d.lease.turn = turn
	return "", tx.Commit()
}

// register says that this node is there, unless another process does.
func (d *DB) register(ctx context.Context) (namesake time.Time, err error) {
	var turn int64
	err = d.own.QueryRowContext(ctx, `INSERT INTO nodes (name, process, until) VALUES ($1, $2, clock_timestamp() + $3::bigint * interval '1 microsecond')
		ON CONFLICT (name) DO UPDATE SET process = excluded.process, until = excluded.until, turn = 0,
			since = CASE WHEN nodes.process = excluded.process THEN nodes.since ELSE clock_timestamp() END
		WHERE nodes.process = excluded.process OR nodes.until <= clock_timestamp() RETURNING turn`,
		d.o.Node, d.lease.process.String(), d.o.Lease.Microseconds()).Scan(&turn)
	if errors.Is(err, sql.ErrNoRows) {
		err = d.own.QueryRowContext(ctx, "SELECT coalesce(max(until), clock_timestamp()) FROM nodes WHERE name = $1", d.o.Node).Scan(&namesake)
	}
	return namesake, unwritten(err)
}

// Keep renews the lease until ctx ends; then it gives it up. A lease that can't be renewed is lost
// before it ends, so that there is time to end what was begun under it.
func (d *DB) Keep(ctx context.Context) error {
	renew := time.NewTicker(d.o.Lease / 5)
	defer renew.Stop()
	for {
		select {
		case <-renew.C:
		case <-time.After(d.left()):
		case <-ctx.Done():
			return d.leave(context.WithoutCancel(ctx))
		}
		err := d.Held()
		if err == nil {
			err = d.renew(ctx) // one that fails is tried again while there is time
		}
		if errors.Is(err, ErrLost) {
			d.lease.lost(err)
			return err
		}
	}
}

// left is how long the lease may still be relied on.
func (d *DB) left() time.Duration {
	d.lease.mu.Lock()
	defer d.lease.mu.Unlock()
	return max(0, d.lease.until-d.margin()-sinceBoot())
}

func (d *DB) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(d.o.Lease/5, d.left()))
	defer cancel()
	from := sinceBoot()
	done, err := d.own.ExecContext(ctx, "UPDATE nodes SET until = clock_timestamp() + $1::bigint * interval '1 microsecond' WHERE name = $2 AND process = $3 AND turn = $4",
		d.o.Lease.Microseconds(), d.o.Node, d.lease.process.String(), d.lease.turn)
	if err != nil {
		return unwritten(err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLost, err)
	}
	d.lease.renewed(from, d.o.Lease)
	return nil
}

// leave says that this node is gone, so that another one need not wait for its lease to end.
func (d *DB) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.o.Lease)
	defer cancel()
	_, err := d.own.ExecContext(ctx, "DELETE FROM nodes WHERE name = $1 AND process = $2", d.o.Node, d.lease.process.String())
	return unwritten(err)
}
