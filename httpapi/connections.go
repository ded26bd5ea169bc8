package httpapi

import (
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// ConnectionLimits bound the connections of a server; a zero field means its
// default.
type ConnectionLimits struct {
	All        int // open at a time; 8,192
	PerAddress int // of these, from one address (of IPv6: one /64) that is no trusted proxy; 2,048

	// Only, where it is not nil, says from which addresses connections are taken.
	Only    func(netip.Addr) bool
	Trusted []netip.Prefix // proxies, whose connections are those of many

	Refused func() // told of each connection that is not taken; nil disables it
}

// maxHeaders bounds what a request's headers may take; what is larger is told why.
const maxHeaders = 16 << 10

// maxUnread bounds the headers beyond maxHeaders that are read at a time, of all connections.
// A browser can be made to send hundreds of kilobytes of cookies, and needs an answer.
const maxUnread = 64 << 20

// maxHanging is how many connections that are no longer served are kept open.
const maxHanging = 4096

// Connections keeps the connections of a server within their limits. A stranger is a
// connection on which nobody has authenticated. If there are too many connections, the
// oldest stranger is closed, whatever it is in the middle of; if there is none, an idle
// connection; and if there is none either, the new one is refused. WebSockets and
// connections that hold a place (auth.Places) are never closed. A quarter of the room is
// never given to strangers.
type Connections struct {
	limits ConnectionLimits
	log    *zap.Logger
	unread atomic.Int64

	hanging atomic.Int64 // connections to be closed later

	mu        sync.Mutex
	open      int
	from      map[netip.Addr]*counted
	strangers *list.List     // of *guarded, the oldest first
	idle      *list.List     // longest idle first
	idleOf    map[string]int // how many each login or token has in idle
}

// counted are the connections from one address.
type counted struct{ open, strangers int }

// NewConnections makes a guard for one server.
func NewConnections(l ConnectionLimits, log *zap.Logger) *Connections {
	if l.All == 0 {
		l.All = 8192
	}
	if l.PerAddress == 0 {
		l.PerAddress = 2048
	}
	return &Connections{limits: l, log: log, from: map[netip.Addr]*counted{}, strangers: list.New(), idle: list.New(), idleOf: map[string]int{}}
}

// guarded is a connection that is counted.
type guarded struct {
	net.Conn
	guard   *Connections
	addr    netip.Addr
	closed  sync.Once
	counted sync.Once     // for countOut
	forced  atomic.Bool   // it has to give way: reads and writes fail
	ending  chan struct{} // closed when it has to give way
	headers headers

	// Under guard.mu.
	in    *list.List // the one of its lists that it is in; nil: at work
	place *list.Element
	known bool   // somebody has authenticated
	root  string // as whom: Identity.Root
	gone  bool   // it is closed
}

// headers counts the bytes of a request's headers beyond what every connection may send.
// All connections share total.
type headers struct {
	mu     sync.Mutex
	total  *atomic.Int64
	read   int64 // bytes
	beyond int64 // how many of these were added to total
	over   bool  // the headers are complete, or no further request will come
}

// add counts n bytes, and reports whether there was room for them.
func (h *headers) add(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return true
	}
	h.read += int64(n)
	more := max(0, h.read-2*maxHeaders) - h.beyond
	h.beyond += more
	return h.total.Add(more) <= maxUnread || more == 0
}

// end returns what was counted. Unless over, the next request is counted again.
func (h *headers) end(over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total.Add(-h.beyond)
	h.read, h.beyond, h.over = 0, 0, over
}

// giveWay stops all use of the connection.
func (g *guarded) giveWay() {
	if g.forced.Swap(true) {
		return
	}
	close(g.ending)
	g.countOut()
	_ = g.Conn.SetDeadline(time.Unix(1, 0))
}

// hangUp closes a connection that was refused or had to give way, after a delay. Clients
// that redial at once would cost more than the open connection does.
func (c *Connections) hangUp(conn net.Conn) {
	hanging := c.hanging.Add(1)
	if hanging > maxHanging {
		c.hanging.Add(-1)
		_ = conn.Close()
		return
	}
	time.AfterFunc(pauseAmong(hanging), func() {
		_ = conn.Close()
		c.hanging.Add(-1)
	})
}

// SetDeadline implements net.Conn.
func (g *guarded) SetDeadline(at time.Time) error { return g.deadline(g.Conn.SetDeadline, at) }

// SetReadDeadline implements net.Conn.
func (g *guarded) SetReadDeadline(at time.Time) error { return g.deadline(g.Conn.SetReadDeadline, at) }

// SetWriteDeadline implements net.Conn.
func (g *guarded) SetWriteDeadline(at time.Time) error {
	return g.deadline(g.Conn.SetWriteDeadline, at)
}

// deadline sets a deadline, but never one that revives a connection that gives way.
func (g *guarded) deadline(set func(time.Time) error, at time.Time) error {
	err := set(at)
	if g.forced.Load() {
		return set(time.Unix(1, 0))
	}
	return err
}

// Read implements net.Conn.
func (g *guarded) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if !g.headers.add(n) {
		return 0, errors.New("too much is sent at once before a request is complete")
	}
	return n, err
}

// Listener is l, with the connections beyond the limits left out.
func (c *Connections) Listener(l net.Listener) net.Listener { return &guardedListener{l, c} }

type guardedListener struct {
	net.Listener
	guard *Connections
}

// Accept implements net.Listener.
func (l *guardedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if taken := l.guard.take(conn); taken != nil {
			return taken, nil
		}
		l.guard.hangUp(conn)
		if l.guard.limits.Refused != nil {
			l.guard.limits.Refused()
		}
	}
}

// take counts a connection in, or returns nil.
func (c *Connections) take(conn net.Conn) net.Conn {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	addr := customer(at.Addr())
	if err != nil || c.limits.Only != nil && !c.limits.Only(at.Addr().Unmap()) {
		c.log.Warn("a connection was refused: it does not come from a trusted proxy", zap.Stringer("from", conn.RemoteAddr()))
		return nil
	}
	victim, ok := c.room(addr)
	if victim != nil {
		victim.giveWay() // it is a stranger's, or idle
	}
	if !ok {
		c.log.Warn("a connection was refused: too many are open", zap.Stringer("from", addr))
		return nil
	}
	g := &guarded{Conn: conn, guard: c, addr: addr, headers: headers{total: &c.unread}, ending: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	if c.from[addr] == nil {
		c.from[addr] = &counted{}
	}
	c.from[addr].open++
	c.from[addr].strangers++
	g.queue(c.strangers)
	return g
}

// room reports whether one more connection can be open, and which has to go for
// it.
func (c *Connections) room(addr netip.Addr) (victim *guarded, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := counted{}
	if found := c.from[addr]; found != nil {
		own = *found
	}
	shares := func(n int) int { return n - n/4 } // of strangers
	full := c.open >= c.limits.All || c.strangers.Len() >= shares(c.limits.All)
	crowded := !within(c.limits.Trusted, addr) && (own.open >= c.limits.PerAddress || own.strangers >= shares(c.limits.PerAddress))
	if !full && !crowded {
		return nil, true
	}
	for _, quiet := range []*list.List{c.strangers, c.idle} {
		for e := quiet.Front(); e != nil; e = e.Next() {
			g := e.Value.(*guarded)
			if !crowded || g.addr == addr {
				// Among the idle, take from the login or token that has the most.
				if victim == nil || c.idleOf[g.root] > c.idleOf[victim.root] {
					victim = g
				}
				if quiet == c.strangers {
					break
				}
			}
		}
		if victim != nil {
			victim.queue(nil)
			return victim, true
		}
	}
	return nil, false
}

// State is for http.Server.ConnState.
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	g := guardedOf(conn)
	if g == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateHijacked: // by a ticket
		g.headers.end(true)
		g.recognise()
		g.queue(nil)
	case http.StateIdle:
		g.headers.end(false)
		if g.known {
			g.queue(c.idle)
		}
	case http.StateNew, http.StateActive, http.StateClosed: // it stays in its list
	}
}

// guardedOf is the counted connection below one of a server.
func guardedOf(conn net.Conn) *guarded {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	g, _ := conn.(*guarded)
	return g
}

type connectionKey struct{}

// Context is for http.Server.ConnContext.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, guardedOf(conn))
}

// arrived notes that a request was read whole.
func arrived(r *http.Request) {
	if g, _ := r.Context().Value(connectionKey{}).(*guarded); g != nil {
		g.headers.end(true)
	}
}

// endingOf returns a channel that is closed when the request's connection has to give way.
func endingOf(r *http.Request) <-chan struct{} {
	if g, _ := r.Context().Value(connectionKey{}).(*guarded); g != nil {
		return g.ending
	}
	return nil
}

// recognised notes that the request is authenticated as root and holds a place until left
// is called.
func recognised(r *http.Request, root string) (left func()) {
	g, _ := r.Context().Value(connectionKey{}).(*guarded)
	if g == nil {
		return func() {}
	}
	g.guard.mu.Lock()
	defer g.guard.mu.Unlock()
	g.recognise()
	g.queue(nil)
	g.root = root
	return func() {
		g.guard.mu.Lock()
		defer g.guard.mu.Unlock()
		g.queue(g.guard.idle)
	}
}

// recognise makes it no stranger any more; under guard.mu.
func (g *guarded) recognise() {
	if from := g.guard.from[g.addr]; !g.known && from != nil {
		g.known = true
		from.strangers--
	}
}

// queue puts the connection at the end of a list, or in none; under guard.mu.
func (g *guarded) queue(in *list.List) {
	if g.gone {
		in = nil
	}
	if g.in != nil {
		g.in.Remove(g.place)
	}
	idle := g.guard.idle
	if g.in == idle {
		if g.guard.idleOf[g.root]--; g.guard.idleOf[g.root] == 0 {
			delete(g.guard.idleOf, g.root)
		}
	}
	if g.in = in; in != nil {
		g.place = in.PushBack(g)
	}
	if in == idle {
		g.guard.idleOf[g.root]++
	}
}

// Close implements net.Conn. A connection that had to give way is closed after a delay.
func (g *guarded) Close() (err error) {
	g.closed.Do(func() {
		g.countOut()
		if g.forced.Load() {
			g.guard.hangUp(g.Conn)
			return
		}
		err = g.Conn.Close()
	})
	return err
}

// countOut removes the connection from all counts.
func (g *guarded) countOut() {
	g.counted.Do(func() {
		c := g.guard
		c.mu.Lock()
		defer c.mu.Unlock()
		g.gone = true
		g.queue(nil)
		g.headers.end(true)
		g.recognise()
		c.open--
		if c.from[g.addr].open--; c.from[g.addr].open == 0 {
			delete(c.from, g.addr)
		}
	})
}
