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

// Connections keeps the connections of a server within their limits. A stranger is one on
// which nobody has proved who they are. Where there are too many, strangers give way, the
// oldest first, whatever they are in the middle of, then those that wait for a
// further request. Others, at work or a WebSocket, are never taken away; then the new one is
// refused. A quarter of the places is never given to strangers.
type Connections struct {
	limits ConnectionLimits
	log    *zap.Logger
	unread atomic.Int64

	mu        sync.Mutex
	open      int
	from      map[netip.Addr]*counted
	strangers *list.List // of *guarded, the oldest first
	idle      *list.List // the quiet for longest first
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
	return &Connections{limits: l, log: log, from: map[netip.Addr]*counted{}, strangers: list.New(), idle: list.New()}
}

// guarded is a connection that is counted.
type guarded struct {
	net.Conn
	guard  *Connections
	addr   netip.Addr
	closed sync.Once
	read   atomic.Int64 // bytes since a request was last taken up

	// Under guard.mu.
	in    *list.List // the one of its lists that it is in; nil: at work
	place *list.Element
	known bool // somebody has proved who they are
}

// Read implements net.Conn.
func (g *guarded) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if total := g.read.Add(int64(n)); total > 2*maxHeaders && g.guard.unread.Add(int64(n)) > maxUnread {
		return 0, errors.New("too much is sent at once before a request is complete")
	}
	return n, err
}

// taken notes that a request was read whole.
func (g *guarded) taken() {
	if total := g.read.Swap(0); total > 2*maxHeaders {
		g.guard.unread.Add(2*maxHeaders - total)
	}
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
		_ = conn.Close() // the client sees that it is not taken
		if l.guard.limits.Refused != nil {
			l.guard.limits.Refused()
		}
	}
}

// take counts a connection in, or returns nil.
func (c *Connections) take(conn net.Conn) net.Conn {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	addr := client(at.Addr())
	if err != nil || c.limits.Only != nil && !c.limits.Only(at.Addr().Unmap()) {
		c.log.Warn("a connection was refused: it does not come from a trusted proxy", zap.Stringer("from", conn.RemoteAddr()))
		return nil
	}
	victim, ok := c.room(addr)
	if victim != nil {
		_ = victim.Close() // whoever holds it open has asked nothing
	}
	if !ok {
		c.log.Warn("a connection was refused: too many are open", zap.Stringer("from", addr))
		return nil
	}
	g := &guarded{Conn: conn, guard: c, addr: addr}
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
			if g := e.Value.(*guarded); full && !crowded || g.addr == addr {
				g.queue(nil)
				return g, true
			}
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
	switch {
	case state == http.StateHijacked: // by a ticket
		g.recognise()
		g.queue(nil)
	case !g.known: // a stranger stays one
	case state == http.StateIdle:
		g.queue(c.idle)
	case state == http.StateActive:
		g.queue(nil)
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
		g.taken()
	}
}

// recognised notes that whoever asks has proved who they are.
func recognised(r *http.Request) {
	if g, _ := r.Context().Value(connectionKey{}).(*guarded); g != nil {
		g.guard.mu.Lock()
		defer g.guard.mu.Unlock()
		if !g.known {
			g.recognise()
			g.queue(nil)
		}
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
	if g.in != nil {
		g.in.Remove(g.place)
	}
	if g.in = in; in != nil {
		g.place = in.PushBack(g)
	}
}

// Close implements net.Conn.
func (g *guarded) Close() error {
	g.closed.Do(func() {
		c := g.guard
		c.mu.Lock()
		defer c.mu.Unlock()
		g.queue(nil)
		g.taken()
		g.recognise()
		c.open--
		if c.from[g.addr].open--; c.from[g.addr].open == 0 {
			delete(c.from, g.addr)
		}
	})
	return g.Conn.Close()
}
