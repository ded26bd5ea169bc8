package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// errSilent ends a call when the server stays silent.
var errSilent = errors.New("model: nothing has arrived for too long")

// errTooLarge ends an answer that is larger than a model's can be.
var errTooLarge = errors.New("model: the answer is larger than 64 MiB")

const (
	maxAnswer  = 64 << 20
	maxRefusal = 64 << 10 // of the body of an error; the rest is not read
)

// watch ends a call when nothing arrives for too long: no response, or later no whole
// event. The pauses between two attempts don't count.
type watch struct {
	limit time.Duration
	timer *time.Timer
	end   context.CancelCauseFunc
}

func startWatch(ctx context.Context, limit time.Duration) (context.Context, *watch) {
	ctx, end := context.WithCancelCause(ctx)
	return ctx, &watch{limit: limit, timer: time.AfterFunc(limit, func() { end(errSilent) }), end: end}
}

func (w *watch) stop() {
	w.timer.Stop()
	w.end(nil)
}

// do sends one request under the watch.
func (w *watch) do(client *http.Client, r *http.Request) (*http.Response, error) {
	w.timer.Reset(w.limit)
	res, err := client.Do(r)
	if err != nil {
		w.timer.Stop()
		return res, err
	}
	w.timer.Reset(w.limit)
	body := &watchedBody{ReadCloser: res.Body, watch: w, left: maxAnswer, over: errTooLarge}
	if res.StatusCode != http.StatusOK {
		body.left, body.over = maxRefusal, io.EOF
	}
	res.Body = body
	return res, nil
}

// watchedBody is a response's body. A whole event restarts the time limit, and so does
// a comment, which servers send to keep the connection. Single bytes don't.
type watchedBody struct {
	io.ReadCloser
	watch *watch
	left  int64
	over  error // what Read returns once left is used up

	first byte // of the line that is being read; 0: none yet
	event bool // a line of an event has been read
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.over
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if b.arrived(p[:n]) {
		b.watch.timer.Reset(b.watch.limit)
	}
	return n, err
}

func (b *watchedBody) arrived(p []byte) bool {
	whole := false
	for _, c := range p {
		switch {
		case c == '\r':
		case c != '\n':
			if b.first == 0 {
				b.first = c
			}
		case b.first == ':': // a comment
			whole, b.first = true, 0
		case b.first != 0:
			b.event, b.first = true, 0
		default: // an empty line ends an event
			whole, b.event = whole || b.event, false
		}
	}
	return whole
}

// Close ends the watch until the next attempt.
func (b *watchedBody) Close() error {
	b.watch.timer.Stop()
	return b.ReadCloser.Close()
}
