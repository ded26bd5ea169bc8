package transport

import (
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"
)

// What a server may send beside the answers to our requests. The library keeps
// all of it until it is handled, so it is bounded where it is read.
const (
	maxOpen       = 64       // of a server's requests that have no answer yet
	maxOpenBytes  = 32 << 20 // of the same
	maxNotice     = 64 << 10 // bytes of a notification
	noticesSecond = 100      // notifications taken a second
	noticesAtOnce = 200      // before that counts
)

// limiter decides what of a server's messages is handed on. Answers always are. A
// notification too many is left out; a request too many, for which there is no
// such way out, ends the connection.
type limiter struct {
	log  func(level, text string)
	cut  func() // ends the connection
	rate *rate.Limiter

	mu    sync.Mutex
	open  map[jsonrpc.ID]int // the length of each request that has no answer yet
	bytes int
	told  bool // that notifications are left out
}

func newLimiter(log func(level, text string), cut func()) *limiter {
	return &limiter{log: log, cut: cut, rate: rate.NewLimiter(noticesSecond, noticesAtOnce), open: map[jsonrpc.ID]int{}}
}

// admits reports whether a message of a length is handed on.
func (l *limiter) admits(m jsonrpc.Message, length int) bool {
	r, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
		return true
	case r.IsCall():
		return l.admitsRequest(r.ID, length)
	default:
		return l.admitsNotice(length)
	}
}

func (l *limiter) admitsRequest(id jsonrpc.ID, length int) bool {
	l.mu.Lock()
	l.bytes += length - l.open[id]
	l.open[id] = length
	over := len(l.open) > maxOpen || l.bytes > maxOpenBytes
	l.mu.Unlock()
	if over {
		l.cut()
	}
	return !over
}

func (l *limiter) admitsNotice(length int) bool {
	if length <= maxNotice && l.rate.Allow() {
		return true
	}
	l.mu.Lock()
	told := l.told
	l.told = true
	l.mu.Unlock()
	if !told {
		l.log("warning", fmt.Sprintf("the server sends more than %d notifications a second, or too long ones: some are left out", noticesSecond))
	}
	return false
}

// answered is told when the answer to a request of the server's is on its way, or
// can't be sent.
func (l *limiter) answered(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes -= l.open[r.ID]
	delete(l.open, r.ID)
}

// waits reports whether a request of the server's has no answer yet.
func (l *limiter) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) > 0
}
