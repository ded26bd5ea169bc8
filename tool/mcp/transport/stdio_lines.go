package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// frame is one message on its way to the program.
type frame struct {
	data []byte
	sent chan error
}

// writeStdin writes the messages, each as a whole.
func (s *stdio) writeStdin() {
	for {
		select {
		case f := <-s.outgoing:
			_, err := s.stdin.Write(f.data)
			f.sent <- err
		case <-s.done:
			return
		}
	}
}

// readStdout hands on the program's messages until its stdout ends. What it says after
// it is cut off is thrown away, so that it need not wait for a reader.
func (s *stdio) readStdout() {
	defer close(s.incoming)
	defer close(s.texts)
	lines := bufio.NewReaderSize(s.stdout, 64<<10)
	for {
		line, err := readLine(lines, maxMessage)
		if errors.Is(err, errMessageSize) {
			s.hear("stdout", err.Error())
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			s.take(line)
		}
		if err != nil {
			s.stdoutEnded(err)
			_, _ = io.Copy(io.Discard, lines)
			return
		}
	}
}

func (s *stdio) stdoutEnded(err error) {
	s.lose(ErrEnded)
	s.readErr = err
	if errors.Is(err, errMessageSize) {
		s.Cut()
	}
}

// take hands on a line that is a message; others are said to the log, as many
// programs greet on stdout.
func (s *stdio) take(line []byte) {
	if s.raw {
		s.takeText(line)
		return
	}
	_, m, err := s.admit(line)
	switch {
	case errors.Is(err, errLeftOut):
	case err != nil:
		s.hear("stdout", string(line))
	default:
		select {
		case s.incoming <- m:
		case <-s.done:
		}
	}
}

// hear passes on a line without what the program was given to keep to itself:
// people and models read it.
func (s *stdio) hear(level, text string) { s.log(level, s.Hide(text)) }

// readStderr reads the program's stderr until it ends.
func (s *stdio) readStderr() {
	lines := bufio.NewReaderSize(s.stderr, 64<<10) // more than is kept, so that no secret is cut in two
	for {
		line, err := lines.ReadSlice('\n')
		text := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(text) != "" {
			s.hear("stderr", text)
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line, which is errMessageSize when it is longer than limit.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return nil, errMessageSize
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}
