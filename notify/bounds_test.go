package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/notify"
)

// Publish runs on the road of a call: it has to return whatever push services do.
func TestAFloodBlocksNobodyAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		w.subscribe("ben", approver, "quiet")
		release := make(chan struct{})
		w.post.before = func(_ context.Context, to string) {
			if to == "ada" {
				<-release
			}
		}
		for i := range 250 {
			w.ask(fmt.Sprint(i), func(r *approval.Request) { r.ExpiresAt = time.Now().Add(24 * time.Hour) })
		}
		w.ask("quiet", func(r *approval.Request) { r.AgentID = "quiet" })
		w.wants("ben does not wait for ada", "ben asked quiet (1 wait)")
		if got := w.report()[notify.Dropped]; got != 151 {
			t.Errorf("%d messages were dropped", got)
		}
		close(release)
		if got := w.post.take(); len(got) != 20 {
			t.Errorf("%d messages were sent at once", len(got))
		}
		passes(10 * time.Second)
		if got := w.post.take(); len(got) != 5 {
			t.Errorf("%d messages were sent in ten seconds", len(got))
		}
		passes(time.Hour)
		if got := w.post.take(); len(got) != 75 {
			t.Errorf("%d more messages were sent", len(got))
		}
	})
}

func TestWhatAnEarlierProcessAnnouncedIsNotAnnouncedAgainButTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		old := w.ask("old")
		w.wants("before", "ada asked old (1 wait)")
		w.subscribe("late", admin)
		w.stop()

		passes(time.Second)
		w.open()
		passes(time.Millisecond)
		between := w.ask("between") // before anybody follows the bus
		w.pending = []approval.Request{old, between}
		w.run()
		w.wants("after a restart", "ada asked between (2 wait)", "late asked between (2 wait)")
		w.answer("old", approval.UserDenied)
		w.wants("answered", "ada settled old (1 wait)")
	})
}

func TestWhoFallsBehindTheBusCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		w.stop()
		first, lost := w.ask("first"), w.ask("lost")
		passes(time.Millisecond)
		w.open()
		passes(time.Millisecond)
		release, asked, got := make(chan struct{}), 0, []string{}
		w.Pending = func(context.Context) ([]approval.Request, error) {
			if asked++; asked == 1 {
				<-release
				return []approval.Request{first, lost}, nil
			}
			return w.pending, nil
		}
		w.run()
		w.pending = []approval.Request{w.ask("second")}
		w.answer("first", approval.UserDenied)
		for range 1 << 14 {
			w.answer("unknown", approval.UserDenied)
		}
		w.answer("lost", approval.UserDenied) // of which nobody hears
		close(release)
		for _, sent := range w.post.take() { // in any order, so how many wait is not certain
			got = append(got, strings.Join(strings.Fields(sent)[:3], " "))
		}
		if diff := cmp.Diff([]string{"ada asked second", "ada settled first", "ada settled lost"}, got); diff != "" {
			t.Errorf("both are known again (-want +got):\n%s", diff)
		}
		if got := w.report()[notify.Failed]; got != 1 {
			t.Errorf("%d failures were reported", got)
		}
	})
}

func TestABrowserIsCalledForTheLoginThatSubscribedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		ada := w.subscribe("ada", admin)
		ben := w.subscribe("ben", approver)
		if err := w.Subscribe(t.Context(), ben, notify.Subscription{Endpoint: "ada"}); err != nil {
			t.Fatal(err)
		}
		w.ask("a")
		w.wants("one browser", "ada asked a (1 wait)")
		if _, ok := w.Of(ada); ok || len(w.store.all) != 1 {
			t.Errorf("ada is still called: %v", w.store.all)
		}
		if err := w.Subscribe(t.Context(), ben, notify.Subscription{Endpoint: "bad"}); !errors.Is(err, notify.ErrInvalid) {
			t.Errorf("a bad subscription: %v", err)
		}
		for range 2 {
			if err := w.Unsubscribe(t.Context(), ben); err != nil {
				t.Error(err)
			}
		}
		w.ask("b")
		w.wants("nobody")
		if !slices.Equal(w.store.dropped, []string{"ben"}) {
			t.Errorf("it was dropped by %q", w.store.dropped)
		}
	})
}
