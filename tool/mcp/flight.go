package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lineclear/lineclear/tool"
)

// errSlow is the cause of a call's end that took too long.
var errSlow = errors.New("mcp: too slow")

// flight is a call that runs. Its clock is set back by progress, and stands
// still while a question of it is open.
type flight struct {
	call   tool.Call
	token  string // names it to the server
	limit  time.Duration
	cancel context.CancelCauseFunc
	landed chan struct{}

	mu    sync.Mutex
	clock *time.Timer
	held  int
	over  bool
}

// flightKey is what a call's context carries its flight as.
type flightKey struct{}

func newFlight(ctx context.Context, call tool.Call, limit time.Duration) (context.Context, *flight) {
	f := &flight{call: call, limit: limit, landed: make(chan struct{})}
	ctx, f.cancel = context.WithCancelCause(context.WithValue(ctx, flightKey{}, f))
	f.clock = time.AfterFunc(limit, func() { f.cancel(errSlow) })
	return ctx, f
}

// touch sets the clock back.
func (f *flight) touch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over && f.held == 0 {
		f.clock.Reset(f.limit)
	}
}

// hold stops the clock until what it returns is called.
func (f *flight) hold() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held++
	f.clock.Stop()
	return func() {
		f.mu.Lock()
		f.held--
		f.mu.Unlock()
		f.touch()
	}
}

func (f *flight) land() {
	f.mu.Lock()
	f.over = true
	f.clock.Stop()
	f.mu.Unlock()
	f.cancel(nil)
	close(f.landed)
}
