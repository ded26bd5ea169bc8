package gate

import (
	"context"
	"sync"
)

// Turn is one call's place among those of a reply that run side by side.
type Turn struct {
	before []chan struct{} // each closed when that call has been asked for, or is over
	over   func()
}

type turnKey struct{}

// InOrder makes the turns of n calls: a call that runs in its turn is judged and asked
// for once those before it have been. What comes of a call is waited for by itself.
func InOrder(n int) []*Turn {
	turns, asked := make([]*Turn, n), make([]chan struct{}, n)
	for i := range turns {
		asked[i] = make(chan struct{})
		turns[i] = &Turn{before: asked[:i], over: sync.OnceFunc(func() { close(asked[i]) })}
	}
	return turns
}

// In is the context with which the turn's call runs.
func (t *Turn) In(ctx context.Context) context.Context { return context.WithValue(ctx, turnKey{}, t) }

// Over lets the next call have its turn. It has to be called when the call is over,
// whatever became of it.
func (t *Turn) Over() { t.over() }

// awaitTurn waits until it is the turn of the call that runs with ctx.
func awaitTurn(ctx context.Context) error {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	if t == nil {
		return nil
	}
	for _, asked := range t.before {
		select {
		case <-asked:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// endTurn ends the turn of the call that runs with ctx.
func endTurn(ctx context.Context) {
	if t, _ := ctx.Value(turnKey{}).(*Turn); t != nil {
		t.over()
	}
}
