// Package bus carries events inside one process, in one order for everyone.
//
// # What it promises
//
//   - One total order: whatever the topic, every subscriber sees the events it
//     asked for in the order in which they were published.
//   - Publishing never waits for a subscriber. An event is put into bounded
//     queues; a subscriber whose queue is full is evicted: its queue ends with
//     ErrEvicted after what it already holds, and Stats counts it. An event is
//     never dropped silently from the middle of a queue.
//   - Inline functions, fixed when the bus is made, run inside Publish and can
//     not be evicted. They must be quick and must not publish. One that panics
//     is recovered and counted; the others still run.
//   - It is a hint, not the truth: what must survive is in a store, and who
//     was evicted reads it there and subscribes again.
//
// # How to use it
//
// A package that owns a kind of event declares a Topic for it. The program
// makes one Bus with the topics it needs, publishes with Topic.Publish, and
// reads with Bus.Subscribe and Subscription.Next.
//
// The engine underneath is asaskevich/EventBus, which no other package
// imports. It runs handlers under its own mutex and dead-locks when a handler
// calls it back, so exactly one handler a topic is ever registered, at
// construction, and that handler only queues.
package bus

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/asaskevich/EventBus"
)

// Event is one published value together with the name of its topic.
type Event struct {
	Topic string
	Value any

	once *once
}

// once holds a value that the subscribers of an event share.
type once struct {
	sync.Once
	made any
}

// Once returns the value of make, which is called once for the event, by the first
// subscriber that asks. The others wait for it.
func (e Event) Once(make func() any) any {
	e.once.Do(func() { e.once.made = make() })
	return e.once.made
}

// Named is a topic of any type, or a part of one; see Topic.Where.
type Named interface {
	Name() string
	wants() func(Event) bool // nil: every event
}

// Topic names one kind of event and the Go type that travels on it.
type Topic[T any] struct{ name string }

// NewTopic makes a topic; names must be unique within a bus.
func NewTopic[T any](name string) Topic[T] { return Topic[T]{name: name} }

// Name is the topic's name, which is also the name of its event on the wire.
func (t Topic[T]) Name() string { return t.name }

func (t Topic[T]) wants() func(Event) bool { return nil }

// Where is the part of the topic for which wanted returns true, for Subscribe. wanted runs
// inside Publish: it must be quick and must not publish.
func (t Topic[T]) Where(wanted func(T) bool) Named {
	return part{t.name, func(e Event) bool {
		v, ok := t.From(e)
		return ok && wanted(v)
	}}
}

// part is a topic with a condition.
type part struct {
	name   string
	wanted func(Event) bool
}

func (p part) Name() string { return p.name }

func (p part) wants() func(Event) bool { return p.wanted }

// Publish puts v on b: inline functions run, queues are filled, and it
// returns. It panics if b was made without this topic.
func (t Topic[T]) Publish(b *Bus, v T) { b.publish(t.name, v) }

// From returns the value of an event of this topic, and false for events of
// other topics.
func (t Topic[T]) From(e Event) (T, bool) {
	if e.Topic != t.name {
		var zero T
		return zero, false
	}
	v, ok := e.Value.(T)
	return v, ok
}

// Inline is a function that runs inside Publish; see Topic.Inline.
type Inline struct {
	topic string
	run   func(Event)
}

// Inline binds f to the topic, for New.
func (t Topic[T]) Inline(f func(T)) Inline {
	return Inline{topic: t.name, run: func(e Event) {
		if v, ok := t.From(e); ok {
			f(v)
		}
	}}
}

// Stats counts what has happened on a bus since it was made.
type Stats struct {
	Published   uint64
	Evictions   uint64
	Panics      uint64
	Subscribers int
	Topics      map[string]uint64 // published, by the topic's name
}

// Bus is one process's event bus; make it with New.
type Bus struct {
	engine EventBus.Bus
	topics map[string]*lane
	failed func(error)

	published, evictions, panics atomic.Uint64
}

// lane is what hangs on one topic.
type lane struct {
	inline    []Inline
	published atomic.Uint64

	mu   sync.Mutex
	subs []subscriber // replaced, never changed, so that it can be read after unlocking
}

// subscriber is a subscription to one topic.
type subscriber struct {
	*Subscription
	wants func(Event) bool // nil: every event
}

// New makes a bus for the given topics. Inline functions are fixed here, for
// the bus's whole life. It panics on a topic named twice and on an inline
// function for a topic that is not listed.
func New(topics []Named, inline ...Inline) *Bus {
	b := &Bus{engine: EventBus.New(), topics: make(map[string]*lane, len(topics)), failed: func(error) {}}
	for _, t := range topics {
		if b.topics[t.Name()] != nil {
			panic("bus: topic " + t.Name() + " is listed twice")
		}
		b.topics[t.Name()] = &lane{}
	}
	for _, in := range inline {
		l := b.lane(in.topic)
		l.inline = append(l.inline, in)
	}
	for name, l := range b.topics {
		if err := b.engine.Subscribe(name, func(e Event) { b.deliver(l, e) }); err != nil {
			panic("bus: " + err.Error())
		}
	}
	return b
}

// Failed sets the function that reports panics, with their stacks. Call it before the
// first event.
func (b *Bus) Failed(failed func(error)) { b.failed = failed }

// Subscribe starts a queue of at most limit events (at least one) over the
// topics, in the order of publication. The caller must Close it.
func (b *Bus) Subscribe(limit int, topics ...Named) *Subscription {
	s := &Subscription{bus: b, events: make(chan Event, max(limit, 1))}
	for _, t := range topics {
		s.lanes = append(s.lanes, b.lane(t.Name()))
	}
	for i, l := range s.lanes { // only now: an eviction may come at once
		l.mu.Lock()
		l.subs = append(slices.Clone(l.subs), subscriber{s, topics[i].wants()})
		l.mu.Unlock()
	}
	return s
}

// Stats tells what has happened so far.
func (b *Bus) Stats() Stats {
	seen := map[*Subscription]bool{}
	topics := make(map[string]uint64, len(b.topics))
	for name, l := range b.topics {
		topics[name] = l.published.Load()
		l.mu.Lock()
		for _, s := range l.subs {
			seen[s.Subscription] = true
		}
		l.mu.Unlock()
	}
	return Stats{
		Published:   b.published.Load(),
		Evictions:   b.evictions.Load(),
		Panics:      b.panics.Load(),
		Subscribers: len(seen),
		Topics:      topics,
	}
}

func (b *Bus) lane(name string) *lane {
	l := b.topics[name]
	if l == nil {
		panic("bus: topic " + name + " is not one of this bus's topics")
	}
	return l
}

func (b *Bus) publish(name string, v any) {
	l := b.lane(name)
	// The engine holds its mutex while the handler runs; a panic that got past
	// deliver's own guards must not leave through the publisher.
	defer b.guard(name)
	b.published.Add(1)
	l.published.Add(1)
	b.engine.Publish(name, Event{Topic: name, Value: v, once: &once{}})
}

// deliver runs under the engine's mutex, which is what makes one order of all
// topics.
func (b *Bus) deliver(l *lane, e Event) {
	for _, in := range l.inline {
		b.runInline(in, e)
	}
	l.mu.Lock()
	subs := l.subs
	l.mu.Unlock()
	for _, s := range subs {
		if b.wanted(s, e) && !s.offer(e) {
			b.evictions.Add(1)
			s.detach()
		}
	}
}

// wanted reports true if the condition panics, so that no event is missed.
func (b *Bus) wanted(s subscriber, e Event) (yes bool) {
	if s.wants == nil {
		return true
	}
	yes = true
	defer b.guard(e.Topic)
	return s.wants(e)
}

func (b *Bus) runInline(in Inline, e Event) {
	defer b.guard(e.Topic)
	in.run(e)
}

func (b *Bus) guard(topic string) {
	if fault := recover(); fault != nil {
		b.panics.Add(1)
		b.failed(fmt.Errorf("bus: panic while delivering %s: %v\n%s", topic, fault, debug.Stack()))
	}
}
