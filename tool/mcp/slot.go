package mcp

import (
	"context"
	"time"
)

// slot is where a session's connection stands. Server.mu guards it.
type slot struct {
	current  *connection
	starting chan struct{} // closed when the start that is under way is over; nil: none is

	failures int // since it last worked
	last     *Error
	again    time.Time
}

func (s *slot) failed(err *Error) {
	s.failures++
	s.last = err
	s.again = time.Now().Add(min(lastPause, firstPause<<min(s.failures-1, 10)))
}

// use is the session's connection, started if need be. Who gets it has to leave
// it.
func (s *Server) use(ctx context.Context, sessionID string) (*connection, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, &Error{Server: s.config.Name, Detail: "cancelled before it was asked", Err: err}
		}
		c, started, err := s.find(sessionID)
		if c != nil || err != nil {
			return c, err
		}
		select {
		case <-started:
		case <-ctx.Done():
		}
	}
}

// find returns the connection, or what to wait for: it begins a start that many
// may wait for, and that goes on when they don't.
func (s *Server) find(sessionID string) (*connection, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, s.closedError()
	}
	p := s.slots[sessionID]
	if p == nil {
		p = &slot{}
		s.slots[sessionID] = p
	}
	if p.current != nil {
		if p.current.enter() {
			return p.current, nil, nil
		}
		p.current = nil
	}
	if p.starting != nil {
		return nil, p.starting, nil
	}
	if now := time.Now(); now.Before(p.again) {
		return nil, nil, later(p.last, now, p.again)
	}
	s.sweep()
	s.slots[sessionID] = p
	p.starting = make(chan struct{})
	s.running.Go(func() { s.run(sessionID, p) })
	return nil, p.starting, nil
}

// sweep forgets the failures of sessions that have not come back.
func (s *Server) sweep() {
	for id, p := range s.slots {
		if p.current == nil && p.starting == nil && time.Since(p.again) > lastPause {
			delete(s.slots, id)
		}
	}
}

// run starts a session's connection and keeps it until it is over.
func (s *Server) run(sessionID string, p *slot) {
	c, err := s.connect(context.Background(), sessionID)
	s.mu.Lock()
	close(p.starting)
	p.starting = nil
	if err != nil {
		p.failed(err)
		s.mu.Unlock()
		return
	}
	p.current = c
	s.mu.Unlock()

	broke := c.serve()

	s.mu.Lock()
	defer s.mu.Unlock()
	if p.current == c {
		p.current = nil
	}
	switch {
	case broke && !c.proven.Load():
		p.failed(&Error{Server: s.config.Name, Detail: c.transport.Name() + " ended before it was of any use", Remedy: "run it by hand to see why"})
	case c.proven.Load():
		p.failures, p.again = 0, time.Time{}
	}
	if p.current == nil && p.starting == nil && p.failures == 0 && s.slots[sessionID] == p {
		delete(s.slots, sessionID)
	}
}
