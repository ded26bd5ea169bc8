package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/session"
)

// DefaultLease is how long after its last sign of life a node's work is taken over.
const DefaultLease = 5 * time.Second

var (
	// ErrLost is returned to a node that has lost its lease: another one may have taken over its work.
	ErrLost = errors.New("another node may have taken over: this one has lost its lease")
	// ErrNodeName refuses a second node with the same name.
	ErrNodeName = errors.New("there is a node of this name already: give each one its own under cluster.node")
)

// lease is this node's right to work. Its end is counted by a clock that keeps counting while the machine sleeps.
type lease struct {
	process uuid.UUID
	turn    int64

	mu    sync.Mutex
	until time.Duration // by sinceBoot
	over  error         // why it was lost; nil until then
	tell  func(error)
}

// margin is the last part of a lease. A node that could not renew its lease by then ends its work.
func (d *DB) margin() time.Duration { return d.o.Lease * 3 / 10 }

// renewed extends the lease, counted from before the server was asked.
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

// Held returns nil while this node may begin work that no transaction guards: more than the margin of its lease is
// left.
func (d *DB) Held() error {
	d.lease.mu.Lock()
	defer d.lease.mu.Unlock()
	if d.lease.over == nil && sinceBoot() >= d.lease.until-d.margin() {
		return ErrLost
	}
	return d.lease.over
}

// Take registers this node and waits until it may work: beside others of its schema, or once no node works with an
// older one. It first buries nodes whose leases have ended, so that their writes are refused. If the server goes away
// meanwhile, Take waits for it.
func (d *DB) Take(ctx context.Context) error {
	process, err := uuid.NewRandom()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	d.lease = &lease{process: process, tell: d.o.Lost}
	var told string
	var namesake time.Time // when the lease of another process with this name ends
	for first := true; ; first = false {
		from := sinceBoot()
		active, until, err := d.take(ctx)
		switch {
		case err == nil && active == "" && until.IsZero():
			d.lease.renewed(from, d.o.Lease)
			return errors.Join(d.renew(ctx), d.look(ctx)) // renew also sets the clock
		case err != nil && (first || ctx.Err() == nil && !errors.Is(err, session.ErrUnwritten)):
			return err
		case !until.IsZero() && !namesake.IsZero() && until.After(namesake):
			return fmt.Errorf("%w: %s", ErrNodeName, d.o.Node)
		}
		namesake = until
		if words := fmt.Sprint(active, err); words != told && ctx.Err() == nil {
			told = words
			if err == nil && namesake.IsZero() {
				_ = d.Say(ctx, 0) // an older schema may lack the columns
			}
			if d.o.Waits != nil {
				d.o.Waits(active, err)
			}
		}
		select {
		case <-time.After(d.o.Lease / 10):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), d.leave(context.WithoutCancel(ctx)))
		}
	}
}

// take is one attempt. It returns the node that it has to wait for, or when the lease of another process with this
// node's name ends; neither once this node works.
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
	current, err := isCurrent(ctx, d.own)
	if err != nil {
		return "", err
	}
	alone := d.o.Alone || !current
	// First without locking the head, so that standing by delays no one.
	const working = "SELECT coalesce(max(name), '') FROM nodes WHERE turn <> 0 AND until > clock_timestamp() AND $1"
	err = d.own.QueryRowContext(ctx, working, alone).Scan(&active)
	if err != nil || active != "" {
		return active, err
	}
	return active, d.holding(ctx, func(tx *sql.Tx) error {
		var turn int64
		if err := tx.QueryRowContext(ctx, "UPDATE head SET turn = turn + 1 RETURNING turn").Scan(&turn); err != nil {
			return err
		}
		if err := bury(ctx, tx); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, working, alone).Scan(&active)
		if err != nil || active != "" {
			return errors.Join(err, errTaken)
		}
		// A lease may also end between the two checks.
		if _, err := tx.ExecContext(ctx, "UPDATE nodes SET turn = 0 WHERE turn <> 0 AND $1", alone); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE nodes SET turn = $1, since = clock_timestamp(), until = clock_timestamp() + $2::bigint * interval '1 microsecond' WHERE name = $3 AND process = $4",
			turn, d.o.Lease.Microseconds(), d.o.Node, d.lease.process.String())
		d.lease.turn = turn
		return err
	})
}

// errTaken rolls back a transaction that came too late.
var errTaken = errors.New("another node works")

// holding changes the nodes in a transaction that locks the head.
func (d *DB) holding(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.own.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, bounds+"; SELECT 1 FROM head FOR UPDATE"); err != nil {
		return err
	}
	switch err := do(tx); {
	case errors.Is(err, errTaken):
		return nil
	case err != nil:
		return err
	}
	return tx.Commit()
}

// bury ends the turns of nodes whose leases have ended: from now on their writes are refused. A node that renews at
// the same moment either comes first or is too late. It deletes nodes that have been gone for goneFor.
func bury(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE nodes SET turn = 0 WHERE turn <> 0 AND until <= clock_timestamp()")
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM nodes WHERE until <= clock_timestamp() - $1::bigint * interval '1 microsecond'", goneFor.Microseconds())
	}
	return err
}

// Turn returns the number of this node's turn, by which rows name the node that works on them. No other turn ever has
// it.
func (d *DB) Turn() int64 { return d.lease.turn }

// First reports whether this node, as far as it knows, has worked for the longest. That node does the work that one
// node does for all.
func (d *DB) First() bool {
	live := d.live.Load()
	return live != nil && len(*live) > 0 && (*live)[0] == d.lease.turn
}

// look buries the nodes whose leases have ended, and calls Options.Nodes if a node has come or gone.
func (d *DB) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(d.o.Lease/5, d.left()))
	defer cancel()
	rows, err := d.own.QueryContext(ctx, "SELECT turn, until <= clock_timestamp() FROM nodes WHERE turn <> 0 ORDER BY turn")
	if err != nil {
		return unwritten(err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	var live []int64
	over := false
	for rows.Next() {
		var turn int64
		var ended bool
		if err := rows.Scan(&turn, &ended); err != nil {
			return fmt.Errorf("store: nodes: %w", err)
		}
		if over = over || ended; !ended {
			live = append(live, turn)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return unwritten(err)
	}
	if over {
		if err := d.holding(ctx, func(tx *sql.Tx) error { return bury(ctx, tx) }); err != nil {
			return unwritten(err)
		}
	}
	if before := d.live.Swap(&live); before == nil || d.o.Nodes == nil || slices.Equal(*before, live) {
		return nil
	}
	d.o.Nodes()
	return nil
}

// register adds or renews the row of this node. If another live process has its name, it returns when that one's
// lease ends.
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

// Keep renews the lease until ctx ends, and then gives it up. If it can't renew the lease, it declares the lease lost
// before it ends, so that there is time to end the work begun under it.
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
			err = d.renew(ctx) // if it fails, it is tried again while there is time
		}
		if err == nil {
			err = d.look(ctx)
		}
		if errors.Is(err, ErrLost) {
			d.lease.lost(err)
			return err
		}
	}
}

// left returns how long the lease may still be relied on.
func (d *DB) left() time.Duration {
	d.lease.mu.Lock()
	defer d.lease.mu.Unlock()
	return max(0, d.lease.until-d.margin()-sinceBoot())
}

func (d *DB) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(d.o.Lease/5, d.left()))
	defer cancel()
	from, sent := sinceBoot(), d.o.Clock()
	var there time.Time
	err := d.own.QueryRowContext(ctx, `UPDATE nodes SET until = clock_timestamp() + $1::bigint * interval '1 microsecond'
		WHERE name = $2 AND process = $3 AND turn = $4 RETURNING clock_timestamp()`,
		d.o.Lease.Microseconds(), d.o.Node, d.lease.process.String(), d.lease.turn).Scan(&there)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrLost
	}
	if err != nil {
		return unwritten(err)
	}
	d.lease.renewed(from, d.o.Lease)
	d.set(sent, there, d.o.Clock())
	return nil
}

// Clock estimates the server's clock: this machine's, plus how far the server's was ahead at the renewals of the
// lease.
func (d *DB) Clock() time.Time { return d.o.Clock().Add(time.Duration(d.ahead.Load())) }

// set corrects the clock by the server's time, which was read between sent and received. An offset that may be right
// is kept.
func (d *DB) set(sent, there, received time.Time) {
	least, most := there.Sub(received), there.Sub(sent)
	if ahead := time.Duration(d.ahead.Load()); ahead < least || ahead > most {
		d.ahead.Store(int64((least + most) / 2))
	}
}

// leave removes this node's row, so that the others need not wait for its lease to end.
func (d *DB) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.o.Lease)
	defer cancel()
	_, err := d.own.ExecContext(ctx, "DELETE FROM nodes WHERE name = $1 AND process = $2", d.o.Node, d.lease.process.String())
	return unwritten(err)
}
