package agent

import (
	"container/list"
	"sync"

	"github.com/lineclear/lineclear/session"
)

// maxKept bounds the events of all conversations that are kept, in bytes.
const maxKept = 16 << 20

// conversations keeps what has been read of sessions between their turns: a turn reads what has been
// journaled since, and not the whole journal again. The one that was longest unused goes first.
type conversations struct {
	mu    sync.Mutex
	bytes int
	used  list.List // of *kept, the newest first
	of    map[string]*list.Element
}

// kept is a conversation, and its beginning as messages.
type kept struct {
	sessionID string
	conv      session.Conversation
	told      told
}

// take returns what is kept of a session, or an empty conversation; it is the caller's alone.
func (c *conversations) take(sessionID string) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.of[sessionID]; e != nil {
		return c.remove(e)
	}
	return &kept{sessionID: sessionID}
}

// keep takes a conversation back.
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
