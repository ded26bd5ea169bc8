package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// measureBroadcast has one event go to many tabs, beside a bare loop with as many.
func (b *bench) measureBroadcast(ctx context.Context) error {
	const rounds = 40
	for _, n := range []int{1000, b.scaled(8000)} {
		loop, err := broadcast(frameBytes, n, rounds)
		if err != nil {
			return err
		}
		err = b.with("broadcast", func(p *process) error {
			tokens, err := p.tokens(ctx, n/perPerson)
			if err != nil {
				return err
			}
			tabs, err := p.open(tokens, n)
			defer closeAll(tabs)
			if err != nil {
				return err
			}
			var read atomic.Int64
			for _, t := range tabs {
				go t.drain(func() { read.Add(1) })
			}
			ids, err := p.sessions(ctx, rounds)
			if err != nil {
				return err
			}
			t, err := p.connect(p.token)
			if err != nil {
				return err
			}
			defer t.ws.Close()
			if err := t.settle(); err != nil {
				return err
			}
			time.Sleep(2 * time.Second)
			read.Store(0)
			spent, own := p.cpu(), ownCPU()
			for _, id := range ids {
				if err := t.say(id); err != nil {
					return err
				}
				if _, err := t.until("approvalRequest", id, ""); err != nil {
					return err
				}
			}
			last := int64(-1)
			wait(func() bool { // until nothing more comes
				time.Sleep(500 * time.Millisecond)
				now := read.Load()
				over := now == last
				last = now
				return over
			})
			each := (p.cpu() - spent + ownCPU() - own) / time.Duration(last)
			b.put(fmt.Sprintf("a delivery to %d tabs: CPU with the reader's", n), "µs", micros(each))
			b.put(fmt.Sprintf("a delivery to %d tabs: bare loop", n), "µs", micros(loop))
			b.put(fmt.Sprintf("a delivery to %d tabs: multiple", n), "×", float64(each)/float64(loop))
			b.put(fmt.Sprintf("deliveries for a call, %d tabs", n), "", float64(last)/float64(rounds*n))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measureIdleTabs opens tabs that are sent nothing more.
func (b *bench) measureIdleTabs(ctx context.Context) error {
	for _, n := range []int{1000, b.scaled(10_000)} {
		err := b.with("idle tabs", func(p *process) error {
			tokens, err := p.tokens(ctx, n/perPerson)
			if err != nil {
				return err
			}
			time.Sleep(time.Second)
			before := p.memory()
			tabs, err := p.open(tokens, n)
			defer closeAll(tabs)
			if err != nil {
				return err
			}
			time.Sleep(time.Second)
			b.snapshot(p)
			b.put(fmt.Sprintf("memory of a tab, %d idle", n), "KiB", float64(p.memory()-before)/float64(n)/1024)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measureWaiting has a thousand calls wait, and then five hundred tabs come.
func (b *bench) measureWaiting(ctx context.Context) error {
	return b.with("waiting", func(p *process) error {
		tokens, err := p.tokens(ctx, 500/perPerson)
		if err != nil {
			return err
		}
		ids, err := p.sessions(ctx, 1000)
		if err != nil {
			return err
		}
		before := p.memory()
		t, err := p.connect(p.token)
		if err != nil {
			return err
		}
		defer t.ws.Close()
		for _, id := range ids {
			if err := t.say(id); err != nil {
				return err
			}
		}
		for range ids {
			if _, err := t.until("approvalRequest", "", ""); err != nil {
				return err
			}
		}
		time.Sleep(time.Second)
		b.snapshot(p)
		b.put("memory of a request that waits, 1,000", "KiB", float64(p.memory()-before)/1000/1024)
		before = p.memory()
		began := time.Now()
		tabs, err := p.open(tokens, 500)
		defer closeAll(tabs)
		if err != nil {
			return err
		}
		b.put("500 tabs connect while 1,000 wait", "s", time.Since(began).Seconds())
		b.put("500 tabs connect while 1,000 wait: memory", "MB", float64(p.memory()-before)/1e6)
		return nil
	})
}
