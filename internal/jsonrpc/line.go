// Package jsonrpc talks with programs by JSON on their standard streams, one message a line:
// JSON-RPC 2.0, also without its version, and lines of other forms.
package jsonrpc

import (
	"bufio"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// maxLine bounds the length of a line, in bytes.
const maxLine = 32 << 20

// Line is a connection of JSON texts, one a line.
type Line struct {
	read  *bufio.Scanner
	mu    sync.Mutex // guards write
	write io.Writer
}

// NewLine returns the connection that reads from r and writes to w.
func NewLine(r io.Reader, w io.Writer) *Line {
	l := &Line{read: bufio.NewScanner(r), write: w}
	l.read.Buffer(nil, maxLine)
	return l
}

// Next returns the next JSON object; other lines are skipped.
func (l *Line) Next() (tool.JSON, error) {
	for l.read.Scan() {
		if text := l.read.Bytes(); len(text) > 0 && text[0] == '{' {
			return append(tool.JSON(nil), text...), nil
		}
	}
	if err := l.read.Err(); err != nil {
		return nil, fmt.Errorf("jsonrpc: %w", err)
	}
	return nil, io.EOF
}

// Send writes a value in one write.
func (l *Line) Send(v any) error {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("jsonrpc: %w", err)
	}
	return l.Pass(raw)
}

// Pass writes a text as it is.
func (l *Line) Pass(raw tool.JSON) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.write.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("jsonrpc: %w", err)
	}
	return nil
}
