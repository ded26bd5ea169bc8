package auth

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// ErrTooMuch is returned when an identity has used up its hourly budget of stored bytes.
var ErrTooMuch = errors.New("auth: this login or token has stored as much as it may in an hour: wait and try again")

// Defaults for each login or token.
const (
	DefaultPlaces  = 100
	DefaultWritten = 32 << 20 // bytes an hour
)

// An identity that holds more places than a crowd is told of events up to a spread later.
const (
	crowd  = 16
	spread = 250 * time.Millisecond
)

// changeCost is what storing a change takes on top of its own bytes: a row, an event and
// an audit record.
const changeCost = 2 << 10

// Places limits what each login or token holds open (tabs, streams and requests in
// progress) and how much it stores, over all doors together, so that none crowds out the
// others.
type Places struct {
	each    int
	written *Buckets // in bytes

	mu   sync.Mutex
	held map[string]int
}

// NewPlaces allows each login or token so many open places, and so many stored bytes an
// hour, a quarter of them at once. Zero means the default.
func NewPlaces(each, written int) *Places {
	if each == 0 {
		each = DefaultPlaces
	}
	if written == 0 {
		written = DefaultWritten
	}
	return &Places{each: each, written: NewBuckets(float64(written)/3600, 900), held: map[string]int{}}
}

// Write charges a change of size bytes to the identity's hourly budget, or returns
// ErrTooMuch.
func (p *Places) Write(who Identity, size int) error {
	if !p.written.Of(who.Root).AllowN(time.Now(), size+changeCost) {
		return ErrTooMuch
	}
	return nil
}

// Take takes a place until leave is called. It reports false if the identity has none left.
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

// Spread waits for a random moment if the identity holds many places, and returns at once
// if not. Whoever sends an event to one of them waits first: the others of the same
// identity then don't all send at the same time, and each sends several events at once.
func (p *Places) Spread(end <-chan struct{}, who Identity) {
	p.mu.Lock()
	many := p.held[who.Root] > crowd
	p.mu.Unlock()
	if !many {
		return
	}
	select {
	case <-time.After(rand.N(spread)):
	case <-end:
	}
}
