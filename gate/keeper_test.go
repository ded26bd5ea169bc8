package gate_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
)

// answered is a store that has nothing but the answers that were given, each of them yes.
type answered struct {
	approval.Store
	mu  sync.Mutex
	yes map[string]bool
}

func (s *answered) Get(_ context.Context, approvalID string) (approval.Approval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := approval.Approval{Status: approval.Pending}
	if s.yes[approvalID] {
		row.Status, row.Response.Status = approval.Approved, approval.Approved
	}
	return row, nil
}

// promised makes a set of promises, and answers as a store and its bus do.
func promised(t *testing.T) (*gate.Promises, func(approvalID string)) {
	t.Helper()
	p, s := gate.NewPromises(), &answered{yes: map[string]bool{}}
	b := bus.New(approval.Topics(), p.Inline())
	gate.NewManager(s, p, approval.Plain{}, gate.Options{})
	return p, func(approvalID string) {
		s.mu.Lock()
		s.yes[approvalID] = true
		s.mu.Unlock()
		approval.Responses.Publish(b, approval.Response{ApprovalID: approvalID})
	}
}

func TestAnAnswerThatComesBeforeAnybodyAsksIsNotMissed(t *testing.T) {
	p, answer := promised(t)
	defer p.Expect("one")()
	answer("one")
	got, err := p.Ask(t.Context(), approval.Request{ApprovalID: "one"})
	if err != nil || got.Status != approval.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEveryoneWhoWaitsGetsTheOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, answer := promised(t)
		got := make(chan approval.Response, 3)
		for range cap(got) {
			go func() {
				r, err := p.Ask(t.Context(), approval.Request{ApprovalID: "one", ExpiresAt: time.Now().Add(time.Minute)})
				if err != nil {
					t.Error(err)
				}
				got <- r
			}()
		}
		synctest.Wait()
		answer("another")
		if len(got) > 0 {
			t.Fatal("the answer to another request ended it")
		}
		synctest.Wait()
		answer("one")
		for range cap(got) {
			if r := <-got; r.Status != approval.Approved {
				t.Errorf("one got %+v", r)
			}
		}
	})
}

func TestAPromiseEndsAtTheRequestsDeadlineAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := promised(t)
		begun := time.Now()
		_, err := p.Ask(t.Context(), approval.Request{ApprovalID: "one", ExpiresAt: begun.Add(time.Minute)})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
	})
}

func TestAForgottenPromiseIsMadeAgain(t *testing.T) {
	p, answer := promised(t)
	p.Expect("one")()
	answer("one")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := p.Ask(ctx, approval.Request{ApprovalID: "one"}); !errors.Is(err, gone) {
		t.Errorf("an answer was kept for nobody: %v", err)
	}
}

func TestAnOwnHandlersContextEndsWhenADoorIsFaster(t *testing.T) {
	told := make(chan error, 1)
	asked := make(chan struct{})
	own := approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
		close(asked)
		<-ctx.Done()
		told <- ctx.Err()
		return approval.Response{}, ctx.Err()
	})
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: own}})
	go func() {
		<-asked
		if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: d.row(t, "call").ApprovalID, Status: approval.Approved}); err != nil {
			t.Error(err)
		}
	}()
	if r := d.run(t, "call"); r.Text != "ran" {
		t.Errorf("got %q", r.Text)
	}
	if err := <-told; !errors.Is(err, context.Canceled) {
		t.Errorf("it was told %v", err)
	}
}

// hasty is a store whose new requests are answered before anybody hears of them.
type hasty struct {
	approval.Store
	desk *desk
}

func (s hasty) Create(ctx context.Context, a approval.Approval) (approval.Approval, error) {
	row, err := s.Store.Create(ctx, a)
	if err == nil && row.Status == approval.Pending {
		_, err = s.desk.manager.Decide(ctx, approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved})
	}
	return row, err
}

func TestAnAnswerThatIsFasterThanTheAskerIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, h := range map[string]approval.Handler{"one that keeps promises": nil, "a program's own": approvaltest.Silent()} {
			d := newDesk(t, deskOptions{
				AgentOptions: gate.AgentOptions{Handler: h, Timeout: gate.NoTimeout},
				store:        func(d *desk) approval.Store { return hasty{d.Store, d} },
			})
			if h == nil {
				d.gate.SetHandler(d.Promises)
			}
			if r := d.run(t, "call"); r.Text != "ran" {
				t.Errorf("%s: got %q", name, r.Text)
			}
			d.manager.Wait()
		}
	})
}

// overtaken is a store whose pending row is answered while it is on its way to who
// has asked for it, once.
type overtaken struct {
	approval.Store
	desk *desk
	done *atomic.Bool
}

func (s overtaken) Get(ctx context.Context, approvalID string) (approval.Approval, error) {
	row, err := s.Store.Get(ctx, approvalID)
	if err == nil && s.done.CompareAndSwap(false, true) {
		_, err = s.desk.manager.Decide(ctx, approver(), approval.Response{ApprovalID: approvalID, Status: approval.Approved})
	}
	return row, err
}

func TestAnAnswerThatIsFasterThanWhoAsksAgainIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done atomic.Bool
		done.Store(true)
		d := newDesk(t, deskOptions{
			AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: gate.NoTimeout},
			store:        func(d *desk) approval.Store { return overtaken{d.Store, d, &done} },
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		if _, err := d.tool.Run(ctx, d.call("call")); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		done.Store(false)
		if r := d.run(t, "call"); r.Text != "ran" {
			t.Errorf("got %q", r.Text)
		}
		d.manager.Wait()
	})
}
