package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/bus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	words   = bus.NewTopic[string]("words")
	numbers = bus.NewTopic[int]("numbers")
)

func both() []bus.Named { return []bus.Named{words, numbers} }

// rest reads what is left of a subscription and why it ended.
func rest(t *testing.T, s *bus.Subscription) (values []any, end error) {
	t.Helper()
	for {
		e, err := s.Next(t.Context())
		if err != nil {
			return values, err
		}
		values = append(values, e.Value)
	}
}

func TestEverySubscriberSeesOneOrderOverAllTopics(t *testing.T) {
	const publishers, each = 8, 200
	b := bus.New(both())
	subs := []*bus.Subscription{
		b.Subscribe(publishers*each, both()...),
		b.Subscribe(publishers*each, both()...),
	}
	var publishing sync.WaitGroup
	for p := range publishers {
		publishing.Go(func() {
			for i := range each {
				if i%2 == 0 {
					words.Publish(b, fmt.Sprint(p, "/", i))
				} else {
					numbers.Publish(b, p*each+i)
				}
			}
		})
	}
	publishing.Wait()
	var seen [2][]any
	for i, s := range subs {
		s.Close()
		seen[i], _ = rest(t, s)
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" || len(seen[0]) != publishers*each {
		t.Errorf("two subscribers saw %d and %d events in different orders:\n%s", len(seen[0]), len(seen[1]), diff)
	}
}

func TestASubscriberThatFallsBehindIsEvictedAfterWhatItHolds(t *testing.T) {
	b := bus.New(both())
	slow, quick := b.Subscribe(2, numbers), b.Subscribe(10, numbers)
	for i := range 5 {
		numbers.Publish(b, i)
	}
	values, end := rest(t, slow)
	if diff := cmp.Diff([]any{0, 1}, values); diff != "" || !errors.Is(end, bus.ErrEvicted) {
		t.Errorf("the slow one ended with %v after:\n%s", end, diff)
	}
	quick.Close()
	values, end = rest(t, quick)
	if diff := cmp.Diff([]any{0, 1, 2, 3, 4}, values); diff != "" || !errors.Is(end, bus.ErrClosed) {
		t.Errorf("the quick one ended with %v after:\n%s", end, diff)
	}
	if s := b.Stats(); s.Evictions != 1 || s.Published != 5 || s.Subscribers != 0 || s.Topics["numbers"] != 5 || s.Topics["words"] != 0 {
		t.Errorf("the counts are %+v", s)
	}
}

func TestASubscriberHasThePartOfATopicThatItWants(t *testing.T) {
	b := bus.New(both())
	even := b.Subscribe(10, words, numbers.Where(func(n int) bool { return n%2 == 0 }))
	broken := b.Subscribe(10, numbers.Where(func(n int) bool { panic("boom") }))
	for i := range 5 {
		numbers.Publish(b, i)
	}
	words.Publish(b, "end")
	even.Close()
	broken.Close()
	if values, _ := rest(t, even); cmp.Diff([]any{0, 2, 4, "end"}, values) != "" {
		t.Errorf("got %v", values)
	}
	if values, _ := rest(t, broken); len(values) != 5 || b.Stats().Panics != 5 || b.Stats().Subscribers != 0 {
		t.Errorf("where its condition panics it has %v; the counts are %+v", values, b.Stats())
	}
}

func TestWhatSubscribersMakeOfAnEventIsMadeOnce(t *testing.T) {
	b := bus.New(both())
	one, two := b.Subscribe(1, numbers), b.Subscribe(1, numbers)
	numbers.Publish(b, 7)
	made := 0
	for _, s := range []*bus.Subscription{one, two} {
		e, err := s.Next(t.Context())
		if got := e.Once(func() any { made++; return made }); err != nil || got != 1 {
			t.Errorf("got %v, %v", got, err)
		}
	}
}

func TestAnInlinePanicIsCountedAndStopsNobody(t *testing.T) {
	var after []string
	b := bus.New(both(),
		words.Inline(func(string) { panic("boom") }),
		words.Inline(func(s string) { after = append(after, s) }))
	var told []string
	b.Failed(func(err error) { told = append(told, err.Error()) })
	sub := b.Subscribe(4, words)
	words.Publish(b, "one")
	words.Publish(b, "two")
	sub.Close()
	if len(told) != 2 || !strings.HasPrefix(told[0], "bus: panic while delivering words: boom\n") || !strings.Contains(told[0], "TestAnInlinePanicIsCounted") {
		t.Errorf("told was %q", told)
	}
	values, _ := rest(t, sub)
	if len(values) != 2 || len(after) != 2 || b.Stats().Panics != 2 {
		t.Errorf("queued %v, inline %v, counts %+v", values, after, b.Stats())
	}
}

func TestASubscriptionIsClosedByItsHandleOnly(t *testing.T) {
	b := bus.New(both())
	one, two := b.Subscribe(4, words), b.Subscribe(4, words)
	one.Close()
	one.Close()
	words.Publish(b, "late")
	two.Close()
	first, _ := rest(t, one)
	second, _ := rest(t, two)
	if len(first) != 0 || len(second) != 1 {
		t.Errorf("the closed one got %v, the open one %v", first, second)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	b := bus.New(both())
	sub := b.Subscribe(1, words)
	defer sub.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sub.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSubscribingWhileOthersPublishNeverBlocks(t *testing.T) {
	b := bus.New(both())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				s := b.Subscribe(1, both()...)
				numbers.Publish(b, i)
				s.Close()
			}
		})
	}
	all.Wait()
	if n := b.Stats().Subscribers; n != 0 {
		t.Errorf("%d subscriptions were left behind", n)
	}
}

func TestTopicsThatWereNotListedCanNotBeUsed(t *testing.T) {
	for name, use := range map[string]func(){
		"publishing":        func() { words.Publish(bus.New([]bus.Named{numbers}), "x") },
		"subscribing":       func() { bus.New([]bus.Named{numbers}).Subscribe(1, words) },
		"an inline for it":  func() { bus.New([]bus.Named{numbers}, words.Inline(func(string) {})) },
		"listing it twice ": func() { bus.New([]bus.Named{numbers, numbers}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			use()
		})
	}
}

// A subscription delivers a prefix of what was published after it began, whole
// and in order, whatever happens around it.
func TestDeliveryIsAlwaysAPrefix(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := bus.New(both())
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		sub := b.Subscribe(limit, numbers)
		var published, got []int
		evicted := false
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "publish") {
				numbers.Publish(b, len(published))
				published = append(published, len(published))
				continue
			}
			if len(got) == len(published) || evicted {
				continue
			}
			e, err := sub.Next(t.Context())
			if evicted = errors.Is(err, bus.ErrEvicted); evicted {
				continue
			}
			n, _ := numbers.From(e)
			got = append(got, n)
		}
		for i, n := range got {
			if n != i {
				rt.Fatalf("event %d was %d", i, n)
			}
		}
		if evicted != (b.Stats().Evictions == 1 && evicted) {
			rt.Fatalf("evicted, but the counts are %+v", b.Stats())
		}
		sub.Close()
	})
}
