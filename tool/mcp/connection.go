package mcp

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool"
)

// errEnded is the cause of calls that are ended because their connection is.
var errEnded = errors.New("mcp: the connection was ended")

// connection is one connection to a server, for one session.
type connection struct {
	server    *Server
	sessionID string
	way       way
	voice     *voice
	session   *mcp.ClientSession
	catalog   catalog
	proven    atomic.Bool // it has answered something after its start

	closing  chan struct{} // closed when it begins to end
	stopping chan struct{} // closed by stop
	over     chan struct{} // closed when nothing is left of it

	mu      sync.Mutex
	ready   bool // the start is done
	ended   bool
	stopped bool
	users   int
	lastUse time.Time
	count   int // of calls so far
	flights map[string]*flight
	newest  tool.Call

	questions int                      // that are open
	pages     map[string]chan struct{} // by id; closed when the server has said that it is done
}

func (s *Server) newConnection(sessionID string, w way, v *voice) *connection {
	return &connection{
		server: s, sessionID: sessionID, way: w, voice: v,
		closing: make(chan struct{}), stopping: make(chan struct{}), over: make(chan struct{}),
		lastUse: time.Now(), flights: map[string]*flight{}, pages: map[string]chan struct{}{},
	}
}

// enter counts a use, and reports whether the connection can be used.
func (c *connection) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.stopped || c.way.lost() {
		return false
	}
	c.users++
	return true
}

func (c *connection) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users--
	c.lastUse = time.Now()
	if c.users == 0 && c.way.lost() {
		c.stopLocked()
	}
}

// stop has the connection ended soon.
func (c *connection) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopLocked()
}

func (c *connection) stopLocked() {
	if !c.stopped {
		c.stopped = true
		close(c.stopping)
	}
}

// serve keeps the connection until it breaks, is stopped, is no longer used, or
// the server is closed; then it ends it. It reports whether it broke.
func (c *connection) serve() bool {
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		_ = c.session.Wait() // why it broke is told by the calls that it breaks
	}()
	broke := c.wait(broken)
	c.end()
	<-broken
	return broke
}

func (c *connection) wait(broken <-chan struct{}) (broke bool) {
	idle := time.NewTimer(c.server.config.Idle)
	defer idle.Stop()
	for {
		select {
		case <-broken:
			return true
		case <-c.way.off():
			return true
		case <-c.server.closing:
			return false
		case <-c.stopping:
			return false
		case <-idle.C:
			left := c.idleIn(c.server.config.Idle)
			if left <= 0 {
				return false
			}
			idle.Reset(left)
		}
	}
}

// idleIn is how long it is until the connection has not been used for a time.
// Where that is so, it can't be used any more.
func (c *connection) idleIn(limit time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users > 0 {
		return limit
	}
	left := limit - time.Since(c.lastUse)
	c.ended = c.ended || left <= 0
	return left
}

// end ends the connection and all that belongs to it.
func (c *connection) end() {
	c.mu.Lock()
	c.ended = true
	flights := c.flying()
	c.mu.Unlock()
	close(c.closing)
	for _, f := range flights {
		f.cancel(errEnded)
	}
	c.way.end(func() {
		_ = c.session.Close() // the server may be gone, which is no fault here
	})
	c.voice.end()
	close(c.over)
}

// flying are the calls that run; c.mu is held.
func (c *connection) flying() []*flight {
	all := make([]*flight, 0, len(c.flights))
	for _, f := range c.flights {
		all = append(all, f)
	}
	return all
}

// lift registers a call, to be landed.
func (c *connection) lift(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	f.token = "call-" + strconv.Itoa(c.count)
	c.flights[f.token] = f
	c.newest = f.call
	if c.ended {
		f.cancel(errEnded)
	}
}

func (c *connection) land(f *flight) {
	c.mu.Lock()
	delete(c.flights, f.token)
	c.mu.Unlock()
	f.land()
}
