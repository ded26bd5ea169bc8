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

// ErrNoTerminal is returned where a person has to be asked and there is no terminal.
var ErrNoTerminal = errors.New("terminal: there is no terminal to ask at")

// Secret asks for a secret at the process's own terminal, whatever its input and
// output are, and does not show what is typed. Ctrl-C ends it with
// context.Canceled.
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
	// A read that waits is given up when ctx ends.
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
