package jsonrpc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/lineclear/lineclear/internal/process"
)

// endsWithin is how long a program may take to end once its line is closed.
const endsWithin = 5 * time.Second

// Start starts a program and returns the line to it. stop closes the line and waits for the
// program's end; whatever it leaves behind is ended. If ctx ends, all of it is killed.
func Start(ctx context.Context, c *exec.Cmd) (l *Line, stop func() error, err error) {
	family := process.Family{Mark: process.Mark{Name: "LINECLEAR_STARTED", Value: rand.Text()}}
	c.Env = append(c.Environ(), family.Mark.Entry())
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C in the terminal is for this process
	c.WaitDelay = endsWithin
	in, err := c.StdinPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("jsonrpc: %w", err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("jsonrpc: %w", err)
	}
	if err := c.Start(); err != nil {
		return nil, nil, fmt.Errorf("jsonrpc: %w", err)
	}
	family.Group = c.Process.Pid
	kill := func() { _, _ = family.End(0) } // then it is told below
	atOnce := context.AfterFunc(ctx, kill)
	return NewLine(out, in), func() error {
		defer atOnce()
		_ = in.Close()
		late := time.AfterFunc(endsWithin, kill)
		defer late.Stop()
		_, _ = io.Copy(io.Discard, out) // until it closes its side
		err := c.Wait()
		_, left := family.End(0)
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), left)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", c.Path, err)
		}
		return errors.Join(err, left)
	}, nil
}
