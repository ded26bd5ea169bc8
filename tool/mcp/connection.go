package mcp

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// errEnded is the cause of calls that are ended because their connection is.
var errEnded = errors.New("mcp: the connection was ended")

// connection is one connection to a server, for one session.
type connection struct {
	server    *Server
	sessionID string
	transport *transport.Transport
	log       *serverLog
	session   *mcp.ClientSession
	catalog   catalog
	proven    atomic.Bool // it has answered something after its start

	closing  chan struct{} // closed when it begins to end
	stopOnce sync.Once
	stopping chan struct{} // closed by stop
	over     chan struct{} // closed when nothing is left of it

	mu      sync.Mutex
	ready   bool // the start is done
	ended   bool
	users   int
	lastUse time.Time
	count   int // of calls so far
	running map[string]*inflight
	newest  tool.Call

	questions int                      // that are open
	pages     map[string]chan struct{} // by id; closed when the server has said that it is done
}

func (s *Server) newConnection(sessionID string) *connection {
	log := s.newLog(sessionID)
	return &connection{
		server: s, sessionID: sessionID, transport: s.newTransport(log.hear), log: log,
		closing: make(chan struct{}), stopping: make(chan struct{}), over: make(chan struct{}),
		lastUse: time.Now(), running: map[string]*inflight{}, pages: map[string]chan struct{}{},
	}
}

// enter counts a use, and reports whether the connection can be used.
func (c *connection) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.transport.Lost() != nil {
		return false
	}
	c.users++
	return true
}

func (c *connection) leave() {
	c.mu.Lock()
	c.users--
	c.lastUse = time.Now()
	last := c.users == 0
	c.mu.Unlock()
	if last && c.transport.Lost() != nil {
		c.stop()
	}
}

// stop has the connection ended soon.
func (c *connection) stop() { c.stopOnce.Do(func() { close(c.stopping) }) }

// serve keeps the connection until it breaks, is stopped, is no longer used, or
// the server is closed; then it ends it. It reports whether it broke.
func (c *connection) serve() bool {
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		_ = c.session.Wait() // why it broke is told by the calls that it breaks
	}()
	broke := c.wait(broken)
	c.shutdown()
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
		case <-c.transport.Done():
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

// shutdown ends the connection and all that belongs to it.
func (c *connection) shutdown() {
	c.mu.Lock()
	c.ended = true
	running := c.inflightLocked()
	c.mu.Unlock()
	close(c.closing)
	for _, f := range running {
		f.cancel(errEnded)
	}
	c.transport.Shutdown(c.closeSession)
	c.log.flush()
	close(c.over)
}

// closeSession ends the connection as far as the protocol is concerned.
func (c *connection) closeSession() {
	if c.session != nil {
		_ = c.session.Close() // the server may be gone, which is no fault here
	}
}

// inflightLocked are the calls that run; c.mu is held.
func (c *connection) inflightLocked() []*inflight {
	all := make([]*inflight, 0, len(c.running))
	for _, f := range c.running {
		all = append(all, f)
	}
	return all
}

// addCall registers a call, until removeCall.
func (c *connection) addCall(f *inflight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	f.token = "call-" + strconv.Itoa(c.count)
	c.running[f.token] = f
	c.newest = f.call
	if c.ended {
		f.cancel(errEnded)
	}
}

func (c *connection) removeCall(f *inflight) {
	c.mu.Lock()
	delete(c.running, f.token)
	c.mu.Unlock()
	f.finish()
}
