package notify_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/notify"
)

func TestOfSeveralProcessesOneAnnouncesAndTheNextTakesItUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		w.stop()
		w.others.Store(true)
		w.open()
		w.run()
		w.subscribe("ada", []auth.Role{auth.Approver})
		early := w.ask("early")
		passes(time.Minute)
		late := w.ask("late")
		passes(time.Second)
		if sent := w.post.take(); len(sent) > 0 {
			t.Errorf("it announced %v beside another process", sent)
		}
		w.pending = []approval.Request{early, late}
		w.others.Store(false)
		if err := w.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		passes(time.Second)
		if diff := cmp.Diff([]string{"ada asked late (2 wait)"}, w.post.take()); diff != "" {
			t.Errorf("what it announces that may have got lost (-want +got):\n%s", diff)
		}
	})
}

func TestASubscriptionThatAnotherProcessHasTakenIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t)
		id := w.subscribe("ada", []auth.Role{auth.Approver})
		w.store.mu.Lock()
		w.store.all = map[string]notify.Subscription{id.Credential: {LoginID: id.Credential, Endpoint: "another"}}
		w.store.mu.Unlock()
		if err := w.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.ask("one")
		passes(time.Second)
		if diff := cmp.Diff([]string{"another asked one (1 wait)"}, w.post.take()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
