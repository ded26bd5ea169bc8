package auth

import (
	"sync"

	"golang.org/x/time/rate"
)

// maxBuckets is how many clients are remembered.
const maxBuckets = 10_000

// Buckets holds a token bucket for each client.
type Buckets struct {
	rate  rate.Limit
	burst int

	mu  sync.Mutex
	all map[string]*rate.Limiter
}

// NewBuckets makes buckets that gain perSecond tokens a second, and hold what they gain in
// so many seconds.
func NewBuckets(perSecond float64, seconds int) *Buckets {
	return &Buckets{rate: rate.Limit(perSecond), burst: max(1, int(perSecond*float64(seconds))), all: map[string]*rate.Limiter{}}
}

// Allow takes a token from the client's bucket. It reports false if the bucket is empty.
func (b *Buckets) Allow(client string) bool { return b.Of(client).Allow() }

// Of returns the client's bucket, a full one for a new client.
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

// makeRoom forgets every client whose bucket is full again. If that is not enough, it
// forgets arbitrary clients, a tenth of them at once so that it seldom has to look.
func (b *Buckets) makeRoom() {
	if len(b.all) < maxBuckets {
		return
	}
	for client, bucket := range b.all {
		if bucket.Tokens() >= float64(b.burst) {
			delete(b.all, client)
		}
	}
	if len(b.all) < maxBuckets {
		return
	}
	for client := range b.all {
		if len(b.all) < maxBuckets*9/10 {
			return
		}
		delete(b.all, client)
	}
}
