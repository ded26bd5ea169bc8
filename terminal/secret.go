package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// ErrNoTerminal is returned if there is no terminal to ask a person at.
var ErrNoTerminal = errors.New("terminal: there is no terminal to ask at")

// Secret asks for a secret at the process's controlling terminal, even if input and
// output are redirected, without echo. Ctrl-C returns context.Canceled.
func Secret(ctx context.Context, question string) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", ErrNoTerminal
	}
	defer func() { _ = tty.Close() }()
	var state *term.State
	onDescriptor(tty, func(fd int) { state, err = term.MakeRaw(fd) })
	if err != nil || state == nil {
		return "", ErrNoTerminal
	}
	defer onDescriptor(tty, func(fd int) { _ = term.Restore(fd, state) })
	// Cancelling ctx ends the read.
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Unix(1, 0)) })()
	text, err := term.NewTerminal(tty, "").ReadPassword(question + " ")
	switch {
	case ctx.Err() != nil, errors.Is(err, io.EOF):
		return "", context.Canceled
	case err != nil:
		return "", fmt.Errorf("terminal: %w", err)
	}
	return text, nil
}
