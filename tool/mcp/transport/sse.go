package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// body is a response's body as it is read through a Reader.
type body struct {
	io.Reader
	inner  io.Closer
	cancel func() // ends the request
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.cancel()
	return b.inner.Close()
}

// whole reads a body that is one message, when it is first read.
type whole struct {
	in  io.Reader
	out *bytes.Reader
}

func (w *whole) Read(p []byte) (int, error) {
	if w.out == nil {
		data, err := io.ReadAll(io.LimitReader(w.in, maxMessage+1))
		if err != nil {
			return 0, err
		}
		if len(data) > maxMessage {
			return 0, errMessageSize
		}
		w.out = bytes.NewReader(keepRawJSON(data))
	}
	return w.out.Read(p)
}

// events reads a stream of server-sent events, whose data it hands on with the
// texts that are to be kept, as far as they are admitted. All other lines pass as
// they come.
type events struct {
	in    *bufio.Reader
	admit func(data []byte) ([]byte, jsonrpc.Message, error)
	out   bytes.Buffer
	data  []byte // of the event that is being read
	some  bool   // it has data
}

func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		line, err := readLine(e.in, maxMessage)
		if err != nil {
			return 0, err // a last event without its end does not count
		}
		if err := e.take(bytes.TrimRight(line, "\r\n")); err != nil {
			return 0, err
		}
	}
	return e.out.Read(p)
}

func (e *events) take(line []byte) error {
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		if e.some {
			e.data = append(e.data, '\n')
		}
		e.data, e.some = append(e.data, bytes.TrimPrefix(data, []byte(" "))...), true
		if len(e.data) > maxMessage {
			return errMessageSize
		}
		return nil
	}
	if len(line) == 0 && e.some {
		e.flush()
	}
	e.out.Write(line)
	e.out.WriteByte('\n')
	return nil
}

// flush hands on the data of an event, unless there is too much of its kind.
func (e *events) flush() {
	defer func() { e.data, e.some = e.data[:0], false }()
	kept, _, err := e.admit(e.data)
	if errors.Is(err, errLeftOut) {
		return
	}
	for line := range bytes.SplitSeq(kept, []byte{'\n'}) { // what is no message the library refuses itself
		e.out.WriteString("data: ")
		e.out.Write(line)
		e.out.WriteByte('\n')
	}
}
