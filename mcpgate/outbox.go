package mcpgate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// What may wait for a server that does not read, of what a client has sent.
const (
	maxQueued      = 1024     // messages
	maxQueuedBytes = 32 << 20 // of all of them
)

var errBehind = fmt.Errorf("the server does not read: no more than %d messages and %d MiB wait for it", maxQueued, maxQueuedBytes>>20)

// outbox writes to the server, in order. The client is read while the server does not read, so
// what it takes back is seen.
type outbox struct {
	Conn

	mu    sync.Mutex
	queue []*parcel
	puts  int           // of put, that are not written yet
	bytes int           // of these
	more  chan struct{} // has one once the queue has grown
}

// parcel is a message that waits to be written.
type parcel struct {
	ctx     context.Context // once it is over, the message is left out
	message []byte
	begins  func() bool // reports, right before it is written, whether it still may be; nil: it may
	sent    chan error  // nil: nobody waits for it
}

func newOutbox(server Conn) *outbox { return &outbox{Conn: server, more: make(chan struct{}, 1)} }

// put queues a message, and does not wait.
func (o *outbox) put(ctx context.Context, message []byte) error {
	return o.putIf(ctx, message, nil)
}

// putIf queues a message that is left out if begins says so when it is due. What follows waits for
// that.
func (o *outbox) putIf(ctx context.Context, message []byte, begins func() bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.puts >= maxQueued || o.bytes+len(message) > maxQueuedBytes {
		return errBehind
	}
	o.puts++
	o.bytes += len(message)
	o.add(&parcel{ctx: ctx, message: message, begins: begins})
	return nil
}

// Write implements Conn: it waits until the message is written.
func (o *outbox) Write(ctx context.Context, message []byte) error {
	return o.writeIf(ctx, message, nil)
}

// writeIf writes a message if begins says, when it is due, that it still may be written.
func (o *outbox) writeIf(ctx context.Context, message []byte, begins func() bool) error {
	p := &parcel{ctx: ctx, message: message, begins: begins, sent: make(chan error, 1)}
	o.mu.Lock()
	o.add(p)
	o.mu.Unlock()
	select {
	case err := <-p.sent:
		return err
	case <-ctx.Done():
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = slices.DeleteFunc(o.queue, func(other *parcel) bool { return other == p })
	return context.Cause(ctx)
}

func (o *outbox) add(p *parcel) {
	o.queue = append(o.queue, p)
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// left is how many messages of the client's are not written yet.
func (o *outbox) left() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.puts
}

// run writes what is queued until ctx ends, or a message of the client's can't be written.
func (o *outbox) run(ctx context.Context) error {
	for {
		select {
		case <-o.more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for p := o.next(); p != nil; p = o.next() {
			err := o.deliver(p)
			if p.sent != nil {
				p.sent <- err
				continue
			}
			o.mu.Lock()
			o.puts--
			o.bytes -= len(p.message)
			o.mu.Unlock()
			if err != nil && !errors.Is(err, errNotBegun) {
				return ended(ctx, err, ErrServerEnded)
			}
		}
	}
}

func (o *outbox) next() *parcel {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return nil
	}
	p := o.queue[0]
	o.queue = slices.Delete(o.queue, 0, 1)
	return p
}

func (o *outbox) deliver(p *parcel) error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	if p.begins != nil && !p.begins() {
		return errNotBegun
	}
	return o.Conn.Write(p.ctx, p.message)
}

var errNotBegun = errors.New("mcpgate: it was taken back before it was written")
