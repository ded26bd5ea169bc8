package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/notify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a notify.Store.
type memory struct {
	mu      sync.Mutex
	all     map[string]notify.Subscription
	dropped []string // by whom
}

func (m *memory) ListSubscriptions(context.Context) (list []notify.Subscription, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.all {
		list = append(list, s)
	}
	return list, nil
}

func (m *memory) SaveSubscription(_ context.Context, _ string, s notify.Subscription) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, other := range m.all {
		if other.Endpoint == s.Endpoint {
			delete(m.all, id)
		}
	}
	m.all[s.LoginID] = s
	return nil
}

func (m *memory) NoteSubscription(_ context.Context, s notify.Subscription) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[s.LoginID] = s
	return nil
}

func (m *memory) DropSubscription(_ context.Context, by string, s notify.Subscription) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, s.LoginID)
	m.dropped = append(m.dropped, by)
	return nil
}

// post is a notify.Sender that keeps what it is given.
type post struct {
	mu      sync.Mutex
	sent    []string                       // "ada asked 1 (2 wait)"
	tried   []time.Time                    // each attempt
	answers func(to string, nth int) error // nil: all is well
	before  func(context.Context, string)  // runs before a message counts as sent
	names   map[string]string              // subjects, by endpoint
}

func (p *post) Check(s notify.Subscription) error {
	if s.Endpoint == "bad" {
		return notify.ErrInvalid
	}
	return nil
}

func (p *post) Send(ctx context.Context, to notify.Subscription, m notify.Message) error {
	if p.before != nil {
		p.before(ctx, to.Endpoint)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried = append(p.tried, time.Now())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.answers != nil {
		if err := p.answers(to.Endpoint, len(p.tried)); err != nil {
			return err
		}
	}
	what := "asked"
	if m.Settled {
		what = "settled"
	}
	p.sent = append(p.sent, fmt.Sprintf("%s %s %s (%d wait)", to.Endpoint, what, m.ApprovalID, m.Waiting))
	return nil
}

// take returns what was sent since the last time, sorted.
func (p *post) take() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.sent
	slices.Sort(sent)
	p.sent = nil
	return sent
}

// world is a Notifier with people, on a bus.
type world struct {
	*notify.Notifier
	t        *testing.T
	bus      *bus.Bus
	keyring  *auth.Keyring
	store    *memory
	post     *post
	pending  []approval.Request
	reports  map[notify.Outcome]int
	failures []error
	mu       sync.Mutex
	stop     func()
	logins   map[string]auth.Credential
	others   atomic.Bool // it is another process's to announce
}

// begin makes a world whose Notifier runs, in a bubble.
func begin(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, bus: bus.New(approval.Topics()), store: &memory{all: map[string]notify.Subscription{}}, post: &post{},
		reports: map[notify.Outcome]int{}, logins: map[string]auth.Credential{},
	}
	var err error
	if w.keyring, err = auth.OpenKeyring(t.Context(), &auth.Memory{}, 0); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.run()
	return w
}

// open makes the Notifier, as a process does that starts.
func (w *world) open() {
	w.t.Helper()
	var err error
	w.Notifier, err = notify.Open(w.t.Context(), notify.Backend{
		Mine: func() bool { return !w.others.Load() },
		Bus:  w.bus, Store: w.store, Keyring: w.keyring, Sender: w.post,
		Pending: func(context.Context) ([]approval.Request, error) { return w.pending, nil },
		Report: func(what notify.Outcome, err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reports[what]++
			if err != nil {
				w.failures = append(w.failures, err)
			}
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) run() {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; !errors.Is(err, context.Canceled) {
			w.t.Errorf("it ended with %v", err)
		}
	})
	w.t.Cleanup(w.stop)
	synctest.Wait()
}

// subscribe logs somebody in, and has their browser called; its endpoint is the subject.
func (w *world) subscribe(subject string, roles []auth.Role, agents ...string) auth.Identity {
	w.t.Helper()
	c, _, _, err := w.keyring.NewLogin(w.t.Context(), auth.Identity{Subject: subject, Roles: roles, Agents: agents}, auth.Page{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.logins[subject] = c
	if err := w.Subscribe(w.t.Context(), c.Identity(), notify.Subscription{Endpoint: subject}); err != nil {
		w.t.Fatal(err)
	}
	passes(time.Millisecond)
	return c.Identity()
}

// ask puts a request, which waits for five minutes.
func (w *world) ask(id string, with ...func(*approval.Request)) approval.Request {
	r := approval.Request{ApprovalID: id, AgentID: "demo", RequestedAt: time.Now(), ExpiresAt: time.Now().Add(5 * time.Minute)}
	for _, change := range with {
		change(&r)
	}
	approval.Requests.Publish(w.bus, r)
	return r
}

func (w *world) answer(id string, reason approval.Reason) {
	approval.Responses.Publish(w.bus, approval.Response{ApprovalID: id, Status: approval.Denied, Reason: reason})
}

func (w *world) report() map[notify.Outcome]int {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	reports := w.reports
	w.reports = map[notify.Outcome]int{}
	return reports
}

// passes lets time pass in the bubble.
func passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
