package store_test

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lineclear/lineclear/store/postgres"
)

// take waits until this node may work: no other process works under its name. Nodes whose leases have ended are buried.
func (d *simDB) take(ctx context.Context) error {
	for {
		taken, err := d.takeNow()
		if taken || err != nil {
			return err
		}
		select {
		case <-time.After(simLeaseFor / 10):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *simDB) takeNow() (taken bool, err error) {
	err = d.changeNodes(func() error {
		if there := d.c.leases[d.name]; there != nil && there.turn != 0 {
			return nil
		}
		taken = true
		d.c.turns++
		d.mu.Lock()
		defer d.mu.Unlock()
		d.turn, d.until = d.c.turns, time.Now().Add(simLeaseFor)
		d.c.leases[d.name] = &simLease{process: d, turn: d.turn, until: d.until}
		return d.DB.Exec("INSERT INTO nodes (name, turn) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET turn = excluded.turn", d.name, d.turn)
	})
	return taken, err
}

// changeNodes makes a change of the nodes, which holds the head, after it has buried those whose leases have ended.
func (d *simDB) changeNodes(change func() error) error {
	if err := d.hold(postgres.DefaultLimit / 2); err != nil {
		return err
	}
	defer func() { <-d.c.head }()
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	_, err := d.DB.Begin()
	if err != nil {
		return err
	}
	for _, lease := range d.c.leases {
		if lease.turn != 0 && !lease.until.After(time.Now()) {
			err = errors.Join(err, d.DB.Exec("UPDATE nodes SET turn = 0 WHERE turn = ?", lease.turn))
			lease.turn = 0
		}
	}
	if err = errors.Join(err, change()); err != nil {
		d.DB.Rollback()
		return err
	}
	_, err = d.DB.Commit(context.Background(), "", false)
	return err
}

// keep renews the lease until ctx ends, or it is lost. reach is the way to the database.
func (d *simDB) keep(ctx context.Context, reach func(ctx context.Context) error) {
	renew := time.NewTicker(simLeaseFor / 5)
	defer renew.Stop()
	for {
		select {
		case <-renew.C:
		case <-time.After(d.left()):
		case <-ctx.Done():
			return
		}
		err := d.Held()
		if err == nil {
			err = d.renew(ctx, reach)
		}
		if errors.Is(err, postgres.ErrLost) {
			d.lose()
			return
		}
	}
}

func (d *simDB) renew(ctx context.Context, reach func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, min(simLeaseFor/5, d.left()))
	defer cancel()
	if err := reach(ctx); err != nil {
		return err
	}
	d.c.mu.Lock()
	lease, now, over := d.c.leases[d.name], time.Now(), false
	held := lease != nil && lease.process == d && lease.turn == d.turn
	if held {
		lease.until = now.Add(simLeaseFor)
	}
	var live []int64
	for _, other := range d.c.leases {
		over = over || other.turn != 0 && !other.until.After(now)
		if other.turn != 0 && other.until.After(now) {
			live = append(live, other.turn)
		}
	}
	d.c.mu.Unlock()
	slices.Sort(live)
	if !held {
		return postgres.ErrLost
	}
	if over {
		if err := d.changeNodes(func() error { return nil }); err != nil {
			return err
		}
	}
	d.mu.Lock()
	d.until = now.Add(simLeaseFor)
	changed := !slices.Equal(d.live, live)
	d.live = live
	d.mu.Unlock()
	if changed {
		d.told()
	}
	return nil
}

// leave gives the lease up.
func (d *simDB) leave() error {
	return d.changeNodes(func() error {
		if lease := d.c.leases[d.name]; lease == nil || lease.process != d {
			return nil
		}
		delete(d.c.leases, d.name)
		return d.DB.Exec("DELETE FROM nodes WHERE name = ?", d.name)
	})
}

// margin is the part of a lease in which nothing is begun any more.
const margin = simLeaseFor * 3 / 10

func (d *simDB) left() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return max(0, time.Until(d.until.Add(-margin)))
}

func (d *simDB) Held() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || !time.Now().Before(d.until.Add(-margin)) {
		return postgres.ErrLost
	}
	return nil
}

func (d *simDB) lose() {
	d.mu.Lock()
	first := !d.over
	d.over = true
	d.mu.Unlock()
	if first {
		d.lost()
	}
}

func (c *simFile) works(turn int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lease := range c.leases {
		if lease.turn == turn {
			return true
		}
	}
	return false
}
