package auth

import (
	"errors"
	"sync"
	"time"
)

// ErrTooMuch is returned to who has made more durable than an hour's budget holds.
var ErrTooMuch = errors.New("auth: more than is kept in an hour came with this login or token: wait and try again")

// What one login or token may have when nothing else is said.
const (
	DefaultPlaces  = 100
	DefaultWritten = 32 << 20 // bytes an hour
)

// changeCost is what a change costs beside its own bytes: a row, an event and an audit
// record.
const changeCost = 2 << 10

// Places counts what each login or token holds open (tabs, streams, and requests at a
// time) and what it makes durable, over all doors together, so that nobody takes the
// room of others.
type Places struct {
	each    int
	written *Buckets // in bytes

	mu   sync.Mutex
	held map[string]int
}

// NewPlaces makes room for each, and lets it write so many bytes in an hour, a quarter of
// them at once; zero is the default.
func NewPlaces(each, written int) *Places {
	if each == 0 {
		each = DefaultPlaces
	}
	if written == 0 {
		written = DefaultWritten
	}
	return &Places{each: each, written: NewBuckets(float64(written)/3600, 900), held: map[string]int{}}
}

// Write takes a change of so many bytes from the hour's budget of the identity, or
// returns ErrTooMuch.
func (p *Places) Write(who Identity, size int) error {
	if !p.written.Of(who.Root).AllowN(time.Now(), size+changeCost) {
		return ErrTooMuch
	}
	return nil
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
