package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What is kept of a program's last lines.
const (
	tailLines    = 10
	tailLineSize = 300
)

// tail keeps the last lines that a program has said beside the protocol.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == tailLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, clean(line, tailLineSize))
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// read hands on the program's messages until its stdout ends. What it says after
// it is cut off is thrown away, so that it need not wait for a reader.
func (p *program) read() {
	defer close(p.incoming)
	lines := bufio.NewReaderSize(p.stdout, 64<<10)
	for {
		line, err := readLine(lines, maxMessage)
		if errors.Is(err, errMessageSize) {
			p.stray(err.Error())
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			p.take(line)
		}
		if err != nil {
			p.stdoutEnded(err)
			_, _ = io.Copy(io.Discard, lines)
			return
		}
	}
}

func (p *program) stdoutEnded(err error) {
	select {
	case <-p.cutOff:
	default:
		p.gone.Store(true)
	}
	p.readErr = err
	if errors.Is(err, errMessageSize) {
		p.cut()
	}
}

// take hands on a line that is a message; others are said to the log, as many
// programs greet on stdout.
func (p *program) take(line []byte) {
	m, err := jsonrpc.DecodeMessage(keepRawJSON(line))
	if err != nil {
		p.stray(string(line))
		return
	}
	if !p.limiter.admits(m, len(line)) {
		return
	}
	select {
	case p.incoming <- m:
	case <-p.cutOff:
	}
}

func (p *program) stray(text string) { p.hear("stdout", text) }

// hear keeps a line and passes it on, without what the program was given to keep
// to itself: people and models read it.
func (p *program) hear(level, text string) {
	text = p.hide(text)
	p.tail.add(text)
	p.log.say(level, text)
}

// listen reads the program's stderr until it ends.
func (p *program) listen() {
	lines := bufio.NewReaderSize(p.stderr, 64<<10) // more than is kept, so that no secret is cut in two
	for {
		line, err := lines.ReadSlice('\n')
		text := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(text) != "" {
			p.hear("stderr", text)
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
