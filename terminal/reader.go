package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// Errors of Prompt.
var (
	// ErrClosed is returned by Ask after Close.
	ErrClosed = errors.New("terminal: the prompt is closed")

	errInputEnded = errors.New("terminal: the input ended")
	errLongLine   = errors.New("terminal: the line is too long")
)

// maxLine is how long a line can be.
const maxLine = 1 << 20

// reader reads lines in one goroutine, since a read can't be given up. It
// reads only when a line is wanted, so that between questions, and while an
// editor runs, the input belongs to others. Apart from close, its methods are
// called by one goroutine at a time.
type reader struct {
	in      io.Reader
	buffer  *bufio.Reader
	want    chan struct{}
	got     chan line
	closed  chan struct{}
	gone    chan struct{} // the goroutine has returned
	reading bool          // a line is wanted and has not come

	mu      sync.Mutex
	started bool
	ended   bool
}

// line is what came of a read.
type line struct {
	text string
	err  error
}

func newReader(in io.Reader) *reader {
	return &reader{
		in: in, buffer: bufio.NewReader(in),
		want: make(chan struct{}), got: make(chan line, 1), closed: make(chan struct{}), gone: make(chan struct{}),
	}
}

// next waits for a line.
func (r *reader) next(ctx context.Context) (string, error) {
	if err := r.start(); err != nil {
		return "", err
	}
	if !r.reading {
		select {
		case r.want <- struct{}{}:
			r.reading = true
		case <-r.closed:
			return "", ErrClosed
		}
	}
	select {
	case l := <-r.got:
		r.reading = false
		select {
		case <-r.closed: // which may be what ended the read
			return "", ErrClosed
		default:
		}
		if ctx.Err() != nil { // too late
			return "", context.Cause(ctx)
		}
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-r.closed:
		return "", ErrClosed
	}
}

// fresh throws away what was typed until now, where the system lets it.
func (r *reader) fresh() {
	select {
	case <-r.got: // came after an earlier question was over
		r.reading = false
	default:
	}
	file, _ := r.in.(*os.File)
	if r.reading {
		flush(file)
		return
	}
	_, _ = r.buffer.Discard(r.buffer.Buffered())
	flush(file)
	drain(file)
}

func (r *reader) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return ErrClosed
	}
	if !r.started {
		r.started = true
		go r.run()
	}
	return nil
}

func (r *reader) run() {
	defer close(r.gone)
	for {
		select {
		case <-r.want:
			r.got <- r.read()
		case <-r.closed:
			return
		}
	}
}

// read reads a line. One that the input's end cuts off is none: nobody has
// pressed Enter.
func (r *reader) read() line {
	var text []byte
	long := false
	for {
		part, err := r.buffer.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			long = true
		}
		if !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return line{err: errors.Join(errInputEnded, err)}
		case long:
			return line{err: errLongLine}
		default:
			return line{text: string(text)}
		}
	}
}

// close ends the goroutine and waits for it where a read can be ended.
func (r *reader) close() error {
	r.mu.Lock()
	started, ended := r.started, r.ended
	r.ended = true
	r.mu.Unlock()
	if ended {
		return nil
	}
	close(r.closed)
	if !started {
		return nil
	}
	if file, ok := r.in.(*os.File); ok {
		if file.SetReadDeadline(time.Unix(1, 0)) != nil {
			return nil // the read ends with the next line, or with the process
		}
		<-r.gone
		return file.SetReadDeadline(time.Time{})
	}
	if c, ok := r.in.(io.Closer); ok {
		err := c.Close()
		<-r.gone
		return err
	}
	return nil
}
