package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// measures are all that is measured, in order. The baselines come first: others are told as
// multiples of them.
var measures = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"baselines", (*bench).measureBaselines},
	{"start", (*bench).measureStart},
	{"turns", (*bench).measureTurns},
	{"long session", (*bench).measureLongSession},
	{"many sessions", (*bench).measureManySessions},
	{"broadcast", (*bench).measureBroadcast},
	{"idle tabs", (*bench).measureIdleTabs},
	{"waiting", (*bench).measureWaiting},
	{"old sessions", (*bench).measureOldSessions},
	{"long journal", (*bench).measureLongJournal},
}

const frameBytes = 1200 // of a request for one call, about

func (b *bench) measureBaselines(context.Context) (err error) {
	if b.echo, err = echo(frameBytes, 20_000); err != nil {
		return err
	}
	if b.fsync, err = fsync(b.dir, 500); err != nil {
		return err
	}
	b.put("echo", "µs", micros(b.echo))
	b.put("fsync", "µs", micros(b.fsync))
	return nil
}

// measureStart starts a gateway on an empty folder, and again on what it has left.
func (b *bench) measureStart(context.Context) error {
	var times []time.Duration
	var resting, whole int
	for range 6 {
		p, err := b.launch(b.folder("start"))
		if err != nil {
			return err
		}
		times = append(times, p.ready)
		time.Sleep(time.Second) // what starting needs is over
		resting, whole = p.memory(), p.status("VmRSS")
		p.stop()
	}
	b.put("start to ready", "ms", millis(median(times[1:])))
	b.put("memory of an idle gateway", "MB", float64(resting)/1e6)
	b.put("memory of an idle gateway, with what is read of its program", "MB", float64(whole)/1e6)
	return nil
}

// one session, one call after the other, each cleared at once by a tab.
func (b *bench) measureTurns(ctx context.Context) error {
	return b.with("turns", func(p *process) error {
		if err := b.turns(ctx, p, "turn, one session", 1, 1, 300); err != nil {
			return err
		}
		if err := b.turns(ctx, p, "turn, 50 sessions", 50, 1, 40); err != nil {
			return err
		}
		tokens, err := p.tokens(ctx, 5)
		if err != nil {
			return err
		}
		idle, err := p.open(tokens, 50)
		defer closeAll(idle)
		if err != nil {
			return err
		}
		for _, t := range idle {
			go t.drain(nil)
		}
		return b.turns(ctx, p, "turn, 50 sessions, 50 tabs", 50, 1, 40)
	})
}

// turns runs whole turns: a message, a request, an answer, a result, the last words.
func (b *bench) turns(ctx context.Context, p *process, name string, sessions, warm, rounds int) error {
	ids, err := p.sessions(ctx, sessions)
	if err != nil {
		return err
	}
	for range warm {
		if _, err := p.round(ids, 1); err != nil {
			return err
		}
	}
	began, spent := time.Now(), p.cpu()
	times, err := p.round(ids, rounds)
	if err != nil {
		return err
	}
	turns := sessions * rounds
	b.put(name+": p50", "ms", millis(median(times)))
	b.put(name+": p99", "ms", millis(quantile(times, 0.99)))
	b.put(name+": p50 in fsyncs", "×", float64(median(times))/float64(b.fsync))
	b.put(name+": a second", "1/s", float64(turns)/time.Since(began).Seconds())
	b.put(name+": CPU of the gateway", "ms", millis(p.cpu()-spent)/float64(turns))
	return nil
}

func (p *process) sessions(ctx context.Context, n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		s, err := p.api.NewSession(ctx, "demo", fmt.Sprint("session ", i))
		if err != nil {
			return nil, err
		}
		ids[i] = s.ID
	}
	return ids, nil
}

// round has every session take so many turns, all sessions at once, over one tab, and returns how
// long each turn took.
func (p *process) round(ids []string, turns int) ([]time.Duration, error) {
	t, err := p.connect(p.token)
	if err != nil {
		return nil, err
	}
	defer t.ws.Close()
	if err := t.settle(); err != nil {
		return nil, err
	}
	left, began := map[string]int{}, map[string]time.Time{}
	for _, id := range ids {
		left[id], began[id] = turns, time.Now()
		if err := t.say(id); err != nil {
			return nil, err
		}
	}
	var times []time.Duration
	for len(left) > 0 {
		f, a, err := t.read()
		if err != nil {
			return nil, err
		}
		switch {
		case f.Event == "approvalRequest":
			err = t.approve(a)
		case f.Event == "sessionEvent" && a.Type == "turn.finished" && left[a.Session] > 0:
			id := a.Session
			times = append(times, time.Since(began[id]))
			if left[id]--; left[id] == 0 {
				delete(left, id)
				continue
			}
			began[id] = time.Now()
			err = t.say(id)
		}
		if err != nil {
			return nil, err
		}
	}
	return times, nil
}

// measureLongSession compares turns with few and with many turns of their session behind them.
func (b *bench) measureLongSession(ctx context.Context) error {
	return b.with("long session", func(p *process) error {
		ids, err := p.sessions(ctx, 4)
		if err != nil {
			return err
		}
		behind := 0
		for _, at := range []int{50, 800} {
			if _, err := p.round(ids, at-behind); err != nil {
				return err
			}
			spent := p.cpu()
			times, err := p.round(ids, 100)
			if err != nil {
				return err
			}
			behind = at + 100
			b.put(fmt.Sprintf("turn with %d behind it: CPU of the gateway", at), "ms", millis(p.cpu()-spent)/float64(len(times)))
			b.put(fmt.Sprintf("turn with %d behind it: p50", at), "ms", millis(median(times)))
		}
		return nil
	})
}

// measureManySessions runs a hundred sessions at once for some seconds.
func (b *bench) measureManySessions(ctx context.Context) error {
	return b.with("many sessions", func(p *process) error {
		if err := b.turns(ctx, p, "turn, 200 sessions", 200, 1, 40); err != nil {
			return err
		}
		b.put("memory after 8,200 turns", "MB", float64(p.memory())/1e6)
		return nil
	})
}

// with runs a measure on a gateway of its own.
func (b *bench) with(name string, measure func(*process) error) error {
	p, err := b.launch(b.folder(name))
	if err != nil {
		return err
	}
	defer p.stop()
	return measure(p)
}

// folder makes a new folder for a gateway.
func (b *bench) folder(name string) string {
	dir, err := os.MkdirTemp(b.dir, "")
	if err != nil {
		panic(errors.Join(errors.New(name), err))
	}
	return filepath.Join(dir, "gateway")
}
