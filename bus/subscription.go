package bus

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrEvicted ends a subscription that fell behind by more than its limit.
var ErrEvicted = errors.New("bus: subscriber evicted: it fell behind its queue's limit")

// ErrClosed ends a subscription that was closed by its owner.
var ErrClosed = errors.New("bus: subscription closed")

// Subscription is a queue of events and the handle that ends it.
type Subscription struct {
	bus    *Bus
	lanes  []*lane
	events chan Event

	mu  sync.Mutex
	end error // why events was closed; nil while it is open
}

// Next waits for the next event. It returns ErrEvicted or ErrClosed once the
// events queued before the end have been read, or ctx's error.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	select {
	case e, ok := <-s.events:
		if !ok {
			return Event{}, s.reason()
		}
		return e, nil
	case <-ctx.Done():
		return Event{}, ctx.Err()
	}
}

// Waiting reports whether an event is queued, so that Next would return at once.
func (s *Subscription) Waiting() bool { return len(s.events) > 0 }

// Close ends the subscription; it may be called more than once.
func (s *Subscription) Close() {
	s.finish(ErrClosed)
	s.detach()
}

// offer queues e and reports false when that ended the subscription instead.
func (s *Subscription) offer(e Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		return true
	}
	select {
	case s.events <- e:
		return true
	default:
		s.end = ErrEvicted
		close(s.events)
		return false
	}
}

func (s *Subscription) finish(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil {
		s.end = why
		close(s.events)
	}
}

func (s *Subscription) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// detach takes the subscription off its topics; it never calls the engine, so
// it is safe inside delivery.
func (s *Subscription) detach() {
	for _, l := range s.lanes {
		l.mu.Lock()
		if i := slices.IndexFunc(l.subs, func(one subscriber) bool { return one.Subscription == s }); i >= 0 {
			l.subs = slices.Delete(slices.Clone(l.subs), i, i+1)
		}
		l.mu.Unlock()
	}
}
