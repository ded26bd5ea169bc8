package auth

import "sync"

// DefaultPlaces is how much one login or token may hold open when nothing else is said.
const DefaultPlaces = 500

// Places counts what each login or token holds open: tabs, streams, and requests at a
// time, over all doors together, so that nobody takes the room of others.
type Places struct {
	each int

	mu   sync.Mutex
	held map[string]int
}

// NewPlaces makes room for each (DefaultPlaces when zero).
func NewPlaces(each int) *Places {
	if each == 0 {
		each = DefaultPlaces
	}
	return &Places{each: each, held: map[string]int{}}
}

// Take takes a place until leave is called; it reports false where all of the
// identity's are taken.
func (p *Places) Take(who Identity) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[who.Root] >= p.each {
		return func() {}, false
	}
	p.held[who.Root]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.held[who.Root]--; p.held[who.Root] == 0 {
			delete(p.held, who.Root)
		}
	}), true
}
