package transport

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/internal/process"
)

// The times of a program's end: by itself once its stdin is closed, then between
// SIGTERM and SIGKILL, and for reading what it has left.
const (
	byItself = 500 * time.Millisecond
	// Grace is what a server has for its end before it is ended by force.
	Grace    = 2 * time.Second
	leftover = time.Second
)

// Program is a server on stdin and stdout.
type Program struct {
	Command   []string                              // the program and its arguments
	Sandbox   func(argv []string) ([]string, error) // the command line that runs it in a sandbox, made at the start; nil: it runs as it is
	Directory string
	Environ   []string       // all its variables; its family's mark is added
	Secrets   []string       // what is kept out of texts
	Family    process.Family // by whose mark it and its children are found
}

// StartError says that a program could not be started.
type StartError struct{ Err error }

// Error implements error.
func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns what lies under it.
func (e *StartError) Unwrap() error { return e.Err }

// stdio carries the messages of a program. It is its own mcp.Connection.
type stdio struct {
	*endpoint
	program Program
	cmd     *exec.Cmd // once it is started
	exited  chan struct{}
	family  process.Family
	life    sync.WaitGroup // live

	stdin  *os.File
	stdout *os.File
	stderr *os.File

	raw      bool        // messages pass as they were written, by texts
	texts    chan []byte // then
	incoming chan jsonrpc.Message
	outgoing chan frame
	readErr  error // why incoming was closed
}

var _ mcp.Connection = (*stdio)(nil)

// NewStdio makes the transport of a program, which Connect starts. The log is told
// what the program says beside the protocol, with its level.
func NewStdio(p Program, log func(level, text string)) *Transport {
	s := &stdio{
		endpoint: newEndpoint(filepath.Base(p.Command[0]), secretsOfProgram(p.Secrets).hide, log),
		program:  p, family: p.Family,
		incoming: make(chan jsonrpc.Message), texts: make(chan []byte), outgoing: make(chan frame),
	}
	return &Transport{carrier: s, endpoint: s.endpoint}
}

// Connect implements mcp.Transport: it starts the program.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	if err := s.start(); err != nil {
		return nil, &StartError{Err: err}
	}
	s.family.Group = s.cmd.Process.Pid
	s.life.Go(s.live)
	return s, nil
}

// start makes the pipes itself: their ends can be closed under a reader.
func (s *stdio) start() error {
	argv := s.program.Command
	var theirs []*os.File
	var err error
	if s.program.Sandbox != nil {
		if argv, err = s.program.Sandbox(argv); err != nil {
			return err
		}
	}
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Dir = s.program.Directory
	s.cmd.Env = append(slices.Clip(s.program.Environ), s.family.Mark.Entry())
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // its own process group, without a terminal to type into
	pipe := func(ours **os.File, reads bool) *os.File {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			err = pipeErr
			return nil
		}
		*ours = r
		if !reads {
			*ours, w = w, r
		}
		theirs = append(theirs, w)
		return w
	}
	stdin, stdout, stderr := pipe(&s.stdin, false), pipe(&s.stdout, true), pipe(&s.stderr, true)
	if err == nil {
		s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = stdin, stdout, stderr
		s.exited = make(chan struct{})
		err = s.begin()
	}
	closeAll(theirs...)
	if err != nil {
		closeAll(s.stdin, s.stdout, s.stderr)
	}
	return err
}

// begin starts the program, and closes exited once it has ended. A raw one ends with this
// process, however that ends: the system sees to it as long as the thread is there that
// started it, so that waits.
func (s *stdio) begin() error {
	if s.raw {
		endWithUs(s.cmd.SysProcAttr)
	}
	begun := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		begun <- err
		if err == nil {
			_ = s.cmd.Wait() // how it ended, nobody asks
			close(s.exited)
		}
	}()
	return <-begun
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // nothing is lost by it
		}
	}
}

// live looks after the program until nothing of it is left.
func (s *stdio) live() {
	var readers, others sync.WaitGroup
	readers.Go(s.readStdout)
	readers.Go(s.readStderr)
	others.Go(s.writeStdin)
	others.Go(func() {
		<-s.done
		_ = s.stdin.Close() // which tells the program to end
	})
	others.Go(func() { <-s.exited })
	select {
	case <-s.exited:
	case <-s.done:
		late := time.NewTimer(byItself)
		defer late.Stop()
		select {
		case <-s.exited:
		case <-late.C:
		}
	}
	if _, err := s.family.End(Grace); err != nil {
		s.log("warning", err.Error())
	}
	// What can't be found any more can hold the pipes open for ever.
	until := time.Now().Add(leftover)
	_ = s.stdout.SetReadDeadline(until)
	_ = s.stderr.SetReadDeadline(until)
	readers.Wait()
	s.Cut()
	others.Wait()
	closeAll(s.stdout, s.stderr)
}

// Shutdown implements carrier.
func (s *stdio) Shutdown(endSession func()) {
	s.Cut()
	s.life.Wait()
	endSession()
}

// Read implements mcp.Connection.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-s.incoming:
		if !ok {
			return nil, s.readErr
		}
		return m, nil
	case <-s.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection. A message whose ctx ends may be on its way.
func (s *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	defer s.limiter.answered(m)
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return s.write(ctx, append(data, '\n'))
}

func (s *stdio) write(ctx context.Context, line []byte) error {
	f := frame{data: line, sent: make(chan error, 1)}
	select {
	case s.outgoing <- f:
	case <-s.done:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-f.sent:
		return err
	case <-s.done:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements mcp.Connection.
func (s *stdio) Close() error {
	s.Cut()
	return nil
}

// SessionID implements mcp.Connection.
func (s *stdio) SessionID() string { return "" }
