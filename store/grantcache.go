package store

import (
	"sync"

	"github.com/lineclear/lineclear/approval"
)

// maxHeld bounds how many holders' grants are kept in memory.
const maxHeld = 4096

// grantCache keeps the grants of holders, sessions and agents, that were asked for, so that a remembered
// decision needs no query. The writer drops a holder's when they change, before
// it answers.
type grantCache struct {
	mu       sync.Mutex
	sessions map[string][]approval.Grant
	age      uint64 // grows with every drop: what was read before is not kept
}

func newHeld() *grantCache { return &grantCache{sessions: map[string][]approval.Grant{}} }

func (h *grantCache) get(sessionID string) (grants []approval.Grant, known bool, age uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	grants, known = h.sessions[sessionID]
	return grants, known, h.age
}

// put keeps what was read at an age, unless something was dropped since.
func (h *grantCache) put(sessionID string, grants []approval.Grant, age uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.age != age {
		return
	}
	if len(h.sessions) >= maxHeld {
		clear(h.sessions)
	}
	h.sessions[sessionID] = grants
}

func (h *grantCache) drop(sessionIDs []string) {
	if len(sessionIDs) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age++
	for _, id := range sessionIDs {
		delete(h.sessions, id)
	}
}
