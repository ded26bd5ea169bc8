package mcpgate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// maxMessage is how long one message of a client may be, in bytes.
const maxMessage = 16 << 20

var errTooLong = errors.New("mcpgate: a message is longer than 16 MiB")

// Stdio is the connection of a client that has started this program.
type Stdio struct {
	in    *bufio.Scanner
	out   io.Writer
	start sync.Once
	stop  sync.Once
	done  chan struct{}
	lines chan []byte
	sends chan sending
	err   error // why lines was closed
}

type sending struct {
	data []byte
	sent chan error
}

// NewStdio returns the connection that reads from in and writes to out, one message a line.
// A read or write that nothing ends is left behind when its ctx ends.
func NewStdio(in io.Reader, out io.Writer) *Stdio {
	s := &Stdio{in: bufio.NewScanner(in), out: out, done: make(chan struct{}), lines: make(chan []byte), sends: make(chan sending)}
	s.in.Buffer(nil, maxMessage)
	return s
}

// Read implements Conn.
func (s *Stdio) Read(ctx context.Context) ([]byte, error) {
	s.start.Do(s.run)
	select {
	case line, more := <-s.lines:
		if !more {
			return nil, s.err
		}
		return line, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write implements Conn.
func (s *Stdio) Write(ctx context.Context, message []byte) error {
	s.start.Do(s.run)
	one := sending{oneLine(message), make(chan error, 1)}
	select {
	case s.sends <- one:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-one.sent:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends what Read and Write have started, as soon as in and out let it.
func (s *Stdio) Close() { s.stop.Do(func() { close(s.done) }) }

func (s *Stdio) run() {
	go s.read()
	go s.write()
}

func (s *Stdio) read() {
	defer close(s.lines)
	for s.in.Scan() {
		line := bytes.TrimSpace(s.in.Bytes())
		if len(line) == 0 {
			continue
		}
		select {
		case s.lines <- bytes.Clone(line):
		case <-s.done:
			s.err = io.EOF
			return
		}
	}
	if s.err = s.in.Err(); s.err == nil {
		s.err = io.EOF
	}
	if errors.Is(s.err, bufio.ErrTooLong) {
		s.err = errTooLong
	}
}

func (s *Stdio) write() {
	for {
		select {
		case one := <-s.sends:
			_, err := s.out.Write(one.data)
			one.sent <- err
		case <-s.done:
			return
		}
	}
}

// oneLine is a message without line breaks, which stand between its values alone.
func oneLine(message []byte) []byte {
	line := append(bytes.Clone(message), '\n')
	for i, c := range line[:len(message)] {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return line
}
