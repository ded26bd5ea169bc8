package mcp

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// longestCall is how many times Config.CallTimeout a call may last, whatever
// progress it tells.
const longestCall = 12

// The causes of a call's end that took too long: since it was last heard of, and
// as a whole.
var (
	errSlow = errors.New("mcp: too slow")
	errLong = errors.New("mcp: too long")
)

// inflight is a call that runs. Its clock is set back by progress. That, and the
// one of the whole call, stand still while a question of it is open.
type inflight struct {
	call     tool.Call
	token    string // names it to the server
	limit    time.Duration
	cancel   context.CancelCauseFunc
	finished chan struct{}

	delivery *transport.Delivery

	mu    sync.Mutex
	clock *time.Timer
	whole *time.Timer
	left  time.Duration // of the whole call when its clock was last started
	since time.Time     // when that was
	held  int
	began bool // the server has said something of it
	over  bool
}

// inflightKey is what a call's context carries itself as.
type inflightKey struct{}

func inflightOf(ctx context.Context) *inflight {
	f, _ := ctx.Value(inflightKey{}).(*inflight)
	return f
}

func newInflight(ctx context.Context, call tool.Call, limit time.Duration) (context.Context, *inflight) {
	f := &inflight{call: call, limit: limit, finished: make(chan struct{}), left: longest(limit), since: time.Now()}
	ctx, f.delivery = transport.WithDelivery(ctx)
	ctx, f.cancel = context.WithCancelCause(context.WithValue(ctx, inflightKey{}, f))
	f.clock = time.AfterFunc(limit, func() { f.cancel(errSlow) })
	f.whole = time.AfterFunc(f.left, func() { f.cancel(errLong) })
	return ctx, f
}

func longest(limit time.Duration) time.Duration {
	if limit > math.MaxInt64/longestCall {
		return math.MaxInt64
	}
	return limit * longestCall
}

// touch sets the clock back.
func (f *inflight) touch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.began = true
	if !f.over && f.held == 0 {
		f.clock.Reset(f.limit)
	}
}

// hold stops the clocks until what it returns is called.
func (f *inflight) hold() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.began = true
	if f.held++; f.held == 1 {
		f.clock.Stop()
		f.whole.Stop()
		f.left -= time.Since(f.since)
	}
	return f.release
}

func (f *inflight) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held--; f.held == 0 && !f.over {
		f.since = time.Now()
		f.clock.Reset(f.limit)
		f.whole.Reset(f.left)
	}
}

// hasBegun reports whether the server has said something of the call.
func (f *inflight) hasBegun() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.began
}

func (f *inflight) finish() {
	f.mu.Lock()
	f.over = true
	f.clock.Stop()
	f.whole.Stop()
	f.mu.Unlock()
	f.cancel(nil)
	close(f.finished)
}
