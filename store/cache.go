package store

import "sync"

// maxHeld bounds how many holders are kept in memory.
const maxHeld = 4096

// cache keeps grants or refusals by holder, a session or an agent, so that judging a call needs no query. The writer
// drops a holder's entries when they change, before it answers.
type cache[T any] struct {
	mu      sync.Mutex
	holders map[string][]T
	age     uint64 // grows with every drop, so that nothing read before it is kept
}

func newCache[T any]() *cache[T] { return &cache[T]{holders: map[string][]T{}} }

func (h *cache[T]) get(holder string) (held []T, known bool, age uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held, known = h.holders[holder]
	return held, known, h.age
}

// put keeps what was read at an age, unless something was dropped since.
func (h *cache[T]) put(holder string, held []T, age uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.age != age {
		return
	}
	if len(h.holders) >= maxHeld {
		clear(h.holders)
	}
	h.holders[holder] = held
}

func (h *cache[T]) drop(holders []string) {
	if len(holders) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age++
	for _, id := range holders {
		delete(h.holders, id)
	}
}
