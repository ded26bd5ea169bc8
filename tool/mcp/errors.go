package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/lineclear/lineclear/tool/mcp/transport"
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

// startError words why a connection did not come about.
func (c *connection) startError(ctx context.Context, err error) *Error {
	s, name, lost := c.server, c.transport.Name(), c.transport.Lost()
	e := &Error{Server: s.config.Name, Err: err}
	said := ""
	if words := c.log.lastWords(); len(words) > 0 {
		said = "; its last words: " + strings.Join(words, " | ")
	}
	var notStarted *transport.StartError
	switch {
	case errors.As(err, &notStarted):
		e.Err = notStarted.Err
		e.Detail, e.Remedy = c.notStarted(notStarted.Err)
	case errors.Is(context.Cause(ctx), errServerClosed):
		return s.closedError()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Detail = fmt.Sprintf("%s did not answer within %s%s", name, s.config.StartTimeout, said)
		e.Remedy = "see whether it speaks MCP and what it waits for, or give it more time"
	case ctx.Err() != nil:
		e.Detail = "cancelled before " + name + " had answered"
	case errors.Is(lost, transport.ErrFlood):
		e.Detail = name + " " + lost.Error()
		e.Remedy = "see what it is, before it is used"
	case len(s.config.Command) > 0 && lost == nil:
		e.Detail = fmt.Sprintf("%s refused the connection: %s%s", name, c.errorText(err), said)
		e.Remedy = "run its command by hand to see why"
	case len(s.config.Command) > 0:
		e.Detail = fmt.Sprintf("%s ended before it had answered%s", name, said)
		e.Remedy = "run its command by hand to see why"
	case errors.Is(err, transport.ErrNoConsent):
		e.Detail = fmt.Sprintf("%s can't be used: %s", name, c.errorText(err))
	default:
		e.Detail = fmt.Sprintf("%s can't be used: %s", name, c.errorText(err))
		e.Remedy = "see whether it runs, and whether its url and headers are right"
	}
	return e
}

// notStarted words why a program could not be started.
func (c *connection) notStarted(err error) (detail, remedy string) {
	dir, name := c.server.config.WorkingDirectory, c.transport.Name()
	info, statErr := os.Stat(dir)
	switch {
	case dir != "" && (statErr != nil || !info.IsDir()):
		return fmt.Sprintf("could not start %s: there is no directory %s", name, dir), "make it, or set another working directory"
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("could not start %s: executable file not found", name), "install it or give its path"
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("could not start %s: not allowed", name), "make the file executable"
	default:
		return fmt.Sprintf("could not start %s: %s", name, c.transport.Hide(err.Error())), "see whether its command is right"
	}
}
