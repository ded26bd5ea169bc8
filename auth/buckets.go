package auth

import (
	"sync"

	"golang.org/x/time/rate"
)

// maxBuckets bounds how many clients are remembered at a time.
const maxBuckets = 10_000

// Buckets are token buckets by the client's name.
type Buckets struct {
	rate  rate.Limit
	burst int

	mu  sync.Mutex
	all map[string]*rate.Limiter
}

// NewBuckets makes buckets that fill at a rate, up to so many seconds' worth.
func NewBuckets(perSecond float64, seconds int) *Buckets {
	return &Buckets{rate: rate.Limit(perSecond), burst: max(1, int(perSecond*float64(seconds))), all: map[string]*rate.Limiter{}}
}

// Allow takes one token of a client, if it has one.
func (b *Buckets) Allow(client string) bool { return b.Of(client).Allow() }

// Of is a client's bucket.
func (b *Buckets) Of(client string) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket := b.all[client]
	if bucket == nil {
		b.makeRoom()
		bucket = rate.NewLimiter(b.rate, b.burst)
		b.all[client] = bucket
	}
	return bucket
}

// makeRoom forgets clients that have been quiet for long enough to be new ones,
// and, where there are none, whichever come first.
func (b *Buckets) makeRoom() {
	if len(b.all) < maxBuckets {
		return
	}
	for client, bucket := range b.all {
		if bucket.Tokens() >= float64(b.burst) {
			delete(b.all, client)
		}
	}
	for client := range b.all {
		if len(b.all) < maxBuckets {
			return
		}
		delete(b.all, client)
	}
}
