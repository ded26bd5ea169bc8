package transport

import (
	"bytes"
	"context"
	"io"
)

// Raw is a connection whose messages pass as they were written, each one JSON text. Nothing that is
// read is queued, so nothing is left out: a reader that does not read holds up the server. Of the
// requests to a server on HTTP some are open at a time; the others wait for that, and hold up nothing.
type Raw interface {
	// Read returns io.EOF once the server has ended. It ends with its ctx.
	Read(ctx context.Context) ([]byte, error)
	// Write ends with its ctx. A message whose ctx ends may be on its way.
	Write(ctx context.Context, message []byte) error
}

// Raw starts the connection. Shutdown ends it.
func (t *Transport) Raw(ctx context.Context) (Raw, error) {
	switch c := t.carrier.(type) {
	case *stdio:
		c.raw = true
		_, err := c.Connect(ctx)
		return rawStdio{c}, err
	default:
		return newRawSite(c.(*streamable)), nil
	}
}

type rawStdio struct{ *stdio }

// Read implements Raw. What the program said before its end is still read.
func (s rawStdio) Read(ctx context.Context) ([]byte, error) {
	select {
	case text, more := <-s.texts:
		if more {
			return text, nil
		}
		if s.readErr != nil {
			return nil, s.readErr
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write implements Raw.
func (s rawStdio) Write(ctx context.Context, message []byte) error {
	line := bytes.Clone(message)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' ' // between values: texts have none
		}
	}
	return s.write(ctx, append(line, '\n'))
}

// takeText hands on a line that may be a message; others are said to the log.
func (s *stdio) takeText(line []byte) {
	if line[0] != '{' && line[0] != '[' {
		s.hear("stdout", string(line))
		return
	}
	select {
	case s.texts <- bytes.Clone(line):
	case <-s.done:
	}
}
