package httpapi

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"

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

// Connections keeps the connections of a server within their limits. Where there
// are too many, the one goes that has been quiet for longest: on which nothing
// has been asked yet, before those that wait for a further request. One that is
// at work, or a WebSocket, is never taken away; then the new one is refused.
type Connections struct {
	limits ConnectionLimits
	log    *zap.Logger

	mu      sync.Mutex
	open    int
	from    map[netip.Addr]int
	unasked *list.List // of *guarded, the quiet for longest first
	idle    *list.List
}

// NewConnections makes a guard for one server.
func NewConnections(l ConnectionLimits, log *zap.Logger) *Connections {
	if l.All == 0 {
		l.All = 8192
	}
	if l.PerAddress == 0 {
		l.PerAddress = 2048
	}
	return &Connections{limits: l, log: log, from: map[netip.Addr]int{}, unasked: list.New(), idle: list.New()}
}

// guarded is a connection that is counted.
type guarded struct {
	net.Conn
	guard  *Connections
	addr   netip.Addr
	closed sync.Once

	// Under guard.mu.
	quiet *list.List // the one of its lists that it is in; nil: at work
	place *list.Element
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
	c.from[addr]++
	g.queue(c.unasked)
	return g
}

// room reports whether one more connection can be open, and which has to go for
// it.
func (c *Connections) room(addr netip.Addr) (victim *guarded, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	full := c.open >= c.limits.All
	crowded := c.from[addr] >= c.limits.PerAddress && !within(c.limits.Trusted, addr)
	if !full && !crowded {
		return nil, true
	}
	for _, quiet := range []*list.List{c.unasked, c.idle} {
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
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	g, ok := conn.(*guarded)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateIdle:
		g.queue(c.idle)
	case http.StateActive, http.StateHijacked, http.StateClosed:
		g.queue(nil)
	case http.StateNew: // it is where it was put
	}
}

// queue puts the connection at the end of a list, or in none; under guard.mu.
func (g *guarded) queue(quiet *list.List) {
	if g.quiet != nil {
		g.quiet.Remove(g.place)
	}
	if g.quiet = quiet; quiet != nil {
		g.place = quiet.PushBack(g)
	}
}

// Close implements net.Conn.
func (g *guarded) Close() error {
	g.closed.Do(func() {
		c := g.guard
		c.mu.Lock()
		defer c.mu.Unlock()
		g.queue(nil)
		c.open--
		if c.from[g.addr]--; c.from[g.addr] == 0 {
			delete(c.from, g.addr)
		}
	})
	return g.Conn.Close()
}
