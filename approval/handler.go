package approval

import (
	"context"
	"errors"
	"fmt"
)

// ErrNobody is returned by a Handler that could ask nobody. Like any other error it
// denies; the reason is no_handler, since no person said no.
var ErrNobody = errors.New("approval: nobody could be asked")

// Handler asks whoever can decide, and waits. What it returns is a proposal:
// it goes through the same path as any answer, and loses to one that was
// faster. ctx ends at the request's deadline, and when the request has been
// answered elsewhere; the handler has to return then. An error, a panic or an
// answer that is not valid denies.
type Handler interface {
	Ask(ctx context.Context, r Request) (Response, error)
}

// HandlerFunc makes a plain function a Handler.
type HandlerFunc func(ctx context.Context, r Request) (Response, error)

// Ask calls f.
func (f HandlerFunc) Ask(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// Guarded is h with a panic as an error.
func Guarded(h Handler) Handler {
	return HandlerFunc(func(ctx context.Context, r Request) (answer Response, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("handler panicked: %v", fault)
			}
		}()
		return h.Ask(ctx, r)
	})
}
