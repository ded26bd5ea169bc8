package mcp

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
	log  *serverLog
	cut  func() // ends the connection
	rate *rate.Limiter

	mu    sync.Mutex
	open  map[jsonrpc.ID]int // the length of each request that has no answer yet
	bytes int
	fault string // why the connection was cut
	told  bool   // that notifications are left out
}

func newLimiter(v *serverLog, cut func()) *limiter {
	return &limiter{log: v, cut: cut, rate: rate.NewLimiter(noticesSecond, noticesAtOnce), open: map[jsonrpc.ID]int{}}
}

// admits reports whether a message of a length is handed on.
func (k *limiter) admits(m jsonrpc.Message, length int) bool {
	r, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
		return true
	case r.IsCall():
		return k.admitsRequest(r.ID, length)
	default:
		return k.admitsNotice(length)
	}
}

func (k *limiter) admitsRequest(id jsonrpc.ID, length int) bool {
	k.mu.Lock()
	k.bytes += length - k.open[id]
	k.open[id] = length
	over := len(k.open) > maxOpen || k.bytes > maxOpenBytes
	if over && k.fault == "" {
		k.fault = fmt.Sprintf("made more than %d requests at once, or too long ones, and was cut off", maxOpen)
	}
	k.mu.Unlock()
	if over {
		k.cut()
	}
	return !over
}

func (k *limiter) admitsNotice(length int) bool {
	if length <= maxNotice && k.rate.Allow() {
		return true
	}
	k.mu.Lock()
	told := k.told
	k.told = true
	k.mu.Unlock()
	if !told {
		k.log.say("warning", fmt.Sprintf("the server sends more than %d notifications a second, or too long ones: some are left out", noticesSecond))
	}
	return false
}

// answered is told when the answer to a request of the server's is on its way, or
// can't be sent.
func (k *limiter) answered(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes -= k.open[r.ID]
	delete(k.open, r.ID)
}

// waits reports whether a request of the server's has no answer yet.
func (k *limiter) waits() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.open) > 0
}

// why is why the connection was cut; empty where that was not done here.
func (k *limiter) why() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fault
}
