package notify_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/notify"
)

var (
	approver = []auth.Role{auth.Approver}
	admin    = []auth.Role{auth.Admin}
)

// wants fails unless that was sent since the last time.
func (w *world) wants(what string, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.post.take()); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestWhoMayApproveARequestIsToldOfItAndNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		w.subscribe("ben", approver)
		w.subscribe("carol", approver, "demo")
		w.subscribe("dan", approver, "other")
		w.subscribe("eve", []auth.Role{auth.Viewer})
		w.subscribe("fay", []auth.Role{auth.Operator})
		w.subscribe("gil", []auth.Role{auth.Agent})
		for i, c := range []struct {
			what   string
			change func(*approval.Request)
			told   []string
		}{
			{"of the agent demo", func(*approval.Request) {}, []string{"ada", "ben", "carol"}},
			{"of another agent", func(r *approval.Request) { r.AgentID = "other" }, []string{"ada", "ben", "dan"}},
			{"for one person", func(r *approval.Request) { r.Approvers = []approval.Approvers{{Subjects: []string{"ben"}}} }, []string{"ben"}},
			{"for a role", func(r *approval.Request) { r.Approvers = []approval.Approvers{{Roles: admin}} }, []string{"ada"}},
			{"for who did not ask", func(r *approval.Request) {
				r.Approvers, r.SentBy = []approval.Approvers{{NotSender: true}}, []string{"ben"}
			}, []string{"ada", "carol"}},
			{"for somebody who has no access to the agent", func(r *approval.Request) {
				r.Approvers = []approval.Approvers{{Subjects: []string{"dan"}}}
			}, nil},
		} {
			id := fmt.Sprint(i)
			w.ask(id, c.change)
			var want []string
			for _, name := range c.told {
				want = append(want, fmt.Sprintf("%s asked %s (1 wait)", name, id))
			}
			w.wants(c.what, want...)
			w.answer(id, approval.Timeout)
			w.wants("after " + c.what)
			passes(time.Minute)
		}
	})
}

func TestAMessageCountsWhatWaitsAndThePersonMaySee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		w.subscribe("carol", approver, "demo")
		w.ask("a", func(r *approval.Request) { r.AgentID = "other" })
		w.wants("the first", "ada asked a (1 wait)")
		w.ask("b")
		w.wants("the second", "ada asked b (2 wait)", "carol asked b (1 wait)")
		w.answer("a", approval.UserDenied)
		w.wants("answered", "ada settled a (1 wait)")
	})
}

func TestALoginThatIsOverIsToldNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		ada := w.subscribe("ada", admin)
		w.subscribe("ben", approver)
		w.subscribe("carol", approver)
		revoke := func(name string) {
			if _, err := w.keyring.Revoke(t.Context(), ada, w.logins[name].ID); err != nil {
				t.Fatal(err)
			}
		}
		revoke("ben")
		w.ask("a")
		w.wants("ben was revoked", "ada asked a (1 wait)", "carol asked a (1 wait)")

		// While it is tried again, and while it is sent.
		w.post.answers = func(to string, _ int) error {
			if to == "carol" {
				return errors.New("not now")
			}
			return nil
		}
		w.ask("b")
		w.wants("carol's did not arrive", "ada asked b (2 wait)")
		revoke("carol")
		w.post.answers = nil
		passes(time.Minute)
		w.wants("carol was revoked")

		w.subscribe("dan", approver)
		w.post.before = func(ctx context.Context, to string) {
			if to == "dan" {
				revoke("dan")
				<-ctx.Done()
			}
		}
		w.ask("c")
		w.wants("dan was revoked while it was sent", "ada asked c (3 wait)")
		passes(time.Minute)
		w.answer("a", approval.UserDenied)
		w.wants("an answer", "ada settled a (2 wait)")

		passes(8 * 24 * time.Hour) // ada's login has expired
		w.ask("d")
		w.wants("nobody is logged in")
	})
}

func TestWhoseRightsWereTakenIsToldNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		ada := w.subscribe("ada", admin)
		w.subscribe("ben", approver)
		w.ask("a")
		w.wants("both", "ada asked a (1 wait)", "ben asked a (1 wait)")
		roles := []auth.Role{auth.Viewer}
		if _, err := w.keyring.Update(t.Context(), ada, w.logins["ben"].ID, auth.Change{Roles: &roles}); err != nil {
			t.Fatal(err)
		}
		w.ask("b")
		w.wants("ada alone", "ada asked b (2 wait)")
		w.answer("a", approval.UserDenied)
		w.wants("ada alone", "ada settled a (1 wait)")
	})
}

func TestWhatIsAnsweredBeforeItIsSentIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		release := make(chan struct{})
		w.post.before = func(context.Context, string) { <-release }
		w.ask("a")
		synctest.Wait()
		w.ask("b") // waits until a is sent
		synctest.Wait()
		w.answer("b", approval.UserDenied)
		w.wants("a is being sent")
		close(release)
		w.wants("b was answered", "ada asked a (1 wait)")
		passes(time.Hour)
		w.wants("nothing follows")
	})
}

func TestWhatWasToldAndIsAnsweredIsTakenBackUnlessItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		for id, c := range map[string]struct {
			reason approval.Reason
			back   bool
		}{"a": {"", true}, "b": {approval.UserDenied, true}, "c": {approval.AskerGone, true}, "d": {approval.Timeout, false}} {
			w.ask(id)
			w.wants("asked", "ada asked "+id+" (1 wait)")
			w.answer(id, c.reason)
			if c.back {
				w.wants(string(c.reason), "ada settled "+id+" (0 wait)")
			} else {
				w.wants(string(c.reason))
			}
			w.answer(id, c.reason)
			w.wants("once")
		}
	})
}

// An announcement that broke off may have arrived: it is taken back, after it has ended.
func TestWhatMayHaveArrivedIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		ended := false
		w.post.before = func(ctx context.Context, _ string) {
			if !ended {
				<-ctx.Done()
				ended = true
			}
		}
		w.ask("a")
		synctest.Wait()
		w.answer("a", approval.UserDenied)
		w.wants("the announcement broke off", "ada settled a (0 wait)")
	})
}

func TestWhatFailsIsTriedAgainUntilTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		w.post.answers = func(string, int) error { return errors.New("not now") }
		began := time.Now()
		w.ask("a", func(r *approval.Request) { r.ExpiresAt = began.Add(20 * time.Second) })
		passes(time.Hour)
		var after []time.Duration
		for _, at := range w.post.tried {
			after = append(after, at.Sub(began))
		}
		if diff := cmp.Diff([]time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second}, after); diff != "" {
			t.Errorf("the attempts (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[notify.Outcome]int{notify.Failed: 1}, w.report()); diff != "" || len(w.failures) != 1 {
			t.Errorf("the reports %v (-want +got):\n%s", w.failures, diff)
		}

		// Without a deadline it is given up as well, and one that passes arrives.
		w.post.tried = nil
		w.ask("b", func(r *approval.Request) { r.ExpiresAt = time.Time{} })
		passes(time.Hour)
		if len(w.post.tried) != 8 || w.report()[notify.Failed] != 1 {
			t.Errorf("it was tried %d times", len(w.post.tried))
		}
		w.post.tried, began = nil, time.Now()
		w.post.answers = func(_ string, nth int) error {
			if nth == 1 {
				return fmt.Errorf("busy: %w", &notify.Later{After: 30 * time.Second})
			}
			return nil
		}
		w.ask("c")
		passes(time.Hour)
		w.wants("it passes", "ada asked c (3 wait)")
		if got := w.post.tried[1].Sub(began); got != 30*time.Second {
			t.Errorf("it was tried again after %s", got)
		}
	})
}

func TestAnAttemptEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.subscribe("ada", admin)
		w.post.before = func(ctx context.Context, _ string) { <-ctx.Done() } // it never answers
		w.ask("a")
		passes(time.Hour)
		if got := w.report()[notify.Failed]; got != 1 || len(w.post.tried) < 2 {
			t.Errorf("it failed %d times, after %d attempts", got, len(w.post.tried))
		}
	})
}

func TestASubscriptionOfNoUseIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		ada := w.subscribe("ada", admin)
		refused := func(string, int) error { return fmt.Errorf("%w: 403", notify.ErrRefused) }
		fail := func(answer func(string, int) error, times int) {
			w.post.answers = answer
			for range times {
				r := w.ask(fmt.Sprint(time.Now()))
				passes(time.Minute)
				w.answer(r.ApprovalID, approval.Timeout)
			}
			synctest.Wait()
		}
		there := func() bool { _, ok := w.Of(ada); return ok && len(w.store.all) == 1 }
		fail(refused, 4)
		fail(nil, 1)
		fail(refused, 4)
		if !there() || w.store.all[ada.Credential].Refused != 4 || w.store.all[ada.Credential].LastSuccess.IsZero() {
			t.Errorf("after four refusals: %+v", w.store.all)
		}
		fail(refused, 1)
		if there() {
			t.Error("after five refusals it is still there")
		}
		w.subscribe("ada", admin)
		fail(func(string, int) error { return errors.New("the network is gone") }, 20)
		if len(w.store.all) != 1 {
			t.Error("it was dropped for what is not its fault")
		}
		w.report()
		fail(func(string, int) error { return notify.ErrGone }, 1)
		if len(w.store.all) != 0 || w.report()[notify.Gone] != 1 {
			t.Error("it has ended, and is still there")
		}
		if diff := cmp.Diff([]string{"system", "system"}, w.store.dropped); diff != "" {
			t.Errorf("who dropped them (-want +got):\n%s", diff)
		}
	})
}
