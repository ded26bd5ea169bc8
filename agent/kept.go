package agent

import (
	"container/list"
	"sync"

	"github.com/lineclear/lineclear/session"
)

// maxKept is how many bytes of events the agents of a Runtime keep together.
const maxKept = 16 << 20

// conversations caches conversations between turns, so that a turn reads only the events that are new. It
// evicts the least recently used.
type conversations struct {
	mu    sync.Mutex
	bytes int
	used  list.List // of *kept, the most recently used first
	of    map[string]*list.Element
}

// kept is a session's conversation, with the exchanges that its agent has made of it.
type kept struct {
	sessionID string
	agent     *Agent
	conv      session.Conversation
	settled   settled
}

// take removes and returns what an agent has kept of a session: an empty conversation if there is nothing.
func (c *conversations) take(a *Agent, sessionID string) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.of[sessionID]; e != nil {
		if k := c.remove(e); k.agent == a {
			return k
		}
	}
	return &kept{sessionID: sessionID, agent: a}
}

// keep adds a conversation.
func (c *conversations) keep(k *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]*list.Element{}
	}
	if e := c.of[k.sessionID]; e != nil {
		c.remove(e)
	}
	c.of[k.sessionID] = c.used.PushFront(k)
	for c.bytes += k.conv.Bytes; c.bytes > maxKept; {
		c.remove(c.used.Back())
	}
}

func (c *conversations) remove(e *list.Element) *kept {
	k := c.used.Remove(e).(*kept)
	delete(c.of, k.sessionID)
	c.bytes -= k.conv.Bytes
	return k
}
