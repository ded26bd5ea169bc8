package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error says what is wrong with a server, and what helps.
type Error struct {
	Server string
	Detail string    // what is wrong
	Remedy string    // what helps; may be empty
	Again  time.Time // when the server may be started again; zero: now
	Err    error     // what lies under it; may be nil
}

// Error implements error.
func (e *Error) Error() string {
	text := "mcp: server " + e.Server + ": " + e.Detail
	if e.Remedy != "" {
		text += ": " + e.Remedy
	}
	return text
}

// Unwrap returns what lies under it.
func (e *Error) Unwrap() error { return e.Err }

// ErrClosed lies under the errors of a server that was closed.
var ErrClosed = errors.New("mcp: closed")

func (s *Server) closedError() *Error {
	return &Error{Server: s.config.Name, Detail: "it is closed", Err: ErrClosed}
}

// later is the error of a use that comes too soon after a failure.
func later(last *Error, now, again time.Time) *Error {
	e := *last
	e.Again = again
	e.Remedy = strings.TrimPrefix(e.Remedy+"; ", "; ") +
		fmt.Sprintf("it can be started again in %s, at %s", again.Sub(now).Round(time.Millisecond), again.UTC().Format("15:04:05 UTC"))
	return &e
}

// startError words why a connection did not come about. words is what the
// server itself has said.
func (s *Server) startError(ctx context.Context, err error, t transport) *Error {
	e := &Error{Server: s.config.Name, Err: err}
	said := ""
	if words := t.words(); words != "" {
		said = "; its last words: " + strings.ReplaceAll(words, "\n", " | ")
	}
	switch {
	case errors.Is(context.Cause(ctx), errServerClosed):
		return s.closedError()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Detail = fmt.Sprintf("%s did not answer within %s%s", t.where(), s.config.StartTimeout, said)
		e.Remedy = "see whether it speaks MCP and what it waits for, or give it more time"
	case ctx.Err() != nil:
		e.Detail = "cancelled before " + t.where() + " had answered"
	case t.fault() != "":
		e.Detail = t.where() + " " + t.fault()
		e.Remedy = "see what it is, before it is used"
	case len(s.config.Command) > 0:
		e.Detail = fmt.Sprintf("%s ended before it had answered%s", t.where(), said)
		if !t.lost() {
			e.Detail = fmt.Sprintf("%s refused the connection: %s%s", t.where(), t.clean(err), said)
		}
		e.Remedy = "run its command by hand to see why"
	default:
		e.Detail = fmt.Sprintf("%s can't be used: %s", t.where(), t.clean(err))
		e.Remedy = "see whether it runs, and whether its url and headers are right"
	}
	return e
}
