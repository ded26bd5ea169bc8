package notify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
)

// unannounced is how long before its own turn requests may have been made that a process did not announce which is gone.
// Some are announced twice, which puts one message in the place of the other.
const unannounced = 15 * time.Second

// busQueue is how far it may fall behind the bus.
const busQueue = 1 << 14

// Backend is what a Notifier works with; all of it but Mine is required.
type Backend struct {
	Bus     *bus.Bus
	Store   Store
	Keyring Keyring
	Sender  Sender
	Pending func(ctx context.Context) ([]approval.Request, error)
	Report  func(what Outcome, err error) // of each message; err says why it, or what else, has failed
	Mine    func() bool                   // false while another process announces; once true it stays so. nil: it is true
}

// Notifier tells logins of requests; make it with Open.
type Notifier struct {
	Backend
	began   time.Time     // what was asked earlier was announced by an earlier process
	woken   chan struct{} // has room for one: Mine may be true by now
	slots   chan struct{} // one for each message that is being sent
	rates   *auth.Buckets // of messages, by login
	running sync.WaitGroup

	waits map[string]*waiting // by approval id; only Run's goroutine uses it

	writing sync.Mutex // one change of a subscription at a time

	mu            sync.Mutex
	subscriptions map[string]Subscription // by login
	pending       map[string]int          // how many requests wait, by agent
	lanes         map[string]*lane        // by login; only those with messages that wait
}

// waiting is a request that waits.
type waiting struct {
	id, agentID string
	approvers   []approval.Approvers
	senders     []string
	until       time.Time
	told        map[string]*telling // by login
}

// may reports whether an identity may approve the request.
func (w *waiting) may(who auth.Identity) bool {
	return who.Check(w.agentID, auth.Answer) == nil && approval.MayApprove(who, w.approvers, w.senders, false) == nil
}

// Open makes a Notifier. Requests that were made before are taken as announced.
func Open(ctx context.Context, b Backend) (*Notifier, error) {
	n := &Notifier{
		Backend: b, began: time.Now(), woken: make(chan struct{}, 1), slots: make(chan struct{}, atOnce), rates: auth.NewBuckets(perSecond, burstSeconds),
		waits: map[string]*waiting{}, subscriptions: map[string]Subscription{}, pending: map[string]int{}, lanes: map[string]*lane{},
	}
	return n, n.read(ctx)
}

func (n *Notifier) read(ctx context.Context) error {
	n.writing.Lock()
	defer n.writing.Unlock()
	all, err := n.Store.ListSubscriptions(ctx)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.subscriptions)
	for _, s := range all {
		n.subscriptions[s.LoginID] = s
	}
	return nil
}

// Refresh takes in the subscriptions that other processes have changed, and has Run look whose task it is to announce.
func (n *Notifier) Refresh(ctx context.Context) error {
	select {
	case n.woken <- struct{}{}:
	default: // it is going to look
	}
	return n.read(ctx)
}

// Run announces requests until ctx ends.
func (n *Notifier) Run(ctx context.Context) error {
	defer n.running.Wait()
	for n.Mine != nil && !n.Mine() {
		select {
		case <-n.woken:
		case <-ctx.Done():
			return ctx.Err()
		}
		n.began = time.Now().Add(-unannounced)
	}
	for {
		err := n.follow(ctx)
		if !errors.Is(err, bus.ErrEvicted) {
			return err
		}
		n.Report(Failed, err)
	}
}

func (n *Notifier) follow(ctx context.Context) error {
	events := n.Bus.Subscribe(busQueue, approval.Requests, approval.Responses)
	defer events.Close()
	n.catchUp(ctx)
	for {
		e, err := events.Next(ctx)
		if err != nil {
			return err
		}
		if r, ok := approval.Requests.From(e); ok {
			n.announce(ctx, r)
		}
		if r, ok := approval.Responses.From(e); ok {
			n.settle(ctx, r.ApprovalID, r.Reason != approval.Timeout)
		}
	}
}

// catchUp takes up what has happened while nobody followed the bus.
func (n *Notifier) catchUp(ctx context.Context) {
	pending, err := n.Pending(ctx)
	if err != nil {
		n.Report(Failed, err)
		return
	}
	there := map[string]bool{}
	for _, r := range pending {
		there[r.ApprovalID] = true
		if r.RequestedAt.Before(n.began) {
			n.recall(r)
		} else {
			n.announce(ctx, r)
		}
	}
	for id := range n.waits {
		if !there[id] {
			n.settle(ctx, id, true)
		}
	}
}

// add notes a request that waits; nil if it is known.
func (n *Notifier) add(r approval.Request) *waiting {
	if n.waits[r.ApprovalID] != nil {
		return nil
	}
	w := &waiting{
		id: r.ApprovalID, agentID: r.AgentID, approvers: r.Approvers, senders: r.Senders(), until: r.ExpiresAt,
		told: map[string]*telling{},
	}
	n.waits[w.id] = w
	n.mu.Lock()
	n.pending[w.agentID]++
	n.mu.Unlock()
	return w
}

// recall notes a request that an earlier process has announced.
func (n *Notifier) recall(r approval.Request) {
	w := n.add(r)
	if w == nil {
		return
	}
	for _, s := range n.all() {
		if s.CreatedAt.Before(r.RequestedAt) {
			w.told[s.LoginID] = announcedBefore()
		}
	}
}

// announce tells everyone who may approve a request of it.
func (n *Notifier) announce(ctx context.Context, r approval.Request) {
	w := n.add(r)
	if w == nil {
		return
	}
	for _, s := range n.all() {
		who, _, done, err := n.Keyring.Follow(ctx, s.LoginID)
		if err != nil {
			n.forget(s.LoginID)
			continue
		}
		done()
		if w.may(who) {
			w.told[s.LoginID] = n.tell(ctx, s.LoginID, w, nil)
		}
	}
}

// settle ends what is being told of a request and, with takeBack, tells those whom it
// may have reached that it is answered.
func (n *Notifier) settle(ctx context.Context, approvalID string, takeBack bool) {
	w := n.waits[approvalID]
	if w == nil {
		return
	}
	delete(n.waits, approvalID)
	n.mu.Lock()
	if n.pending[w.agentID]--; n.pending[w.agentID] == 0 {
		delete(n.pending, w.agentID)
	}
	n.mu.Unlock()
	for loginID, announced := range w.told {
		announced.stop()
		if takeBack {
			n.tell(ctx, loginID, w, announced)
		}
	}
}

// waitingFor counts the requests that wait and that an identity may see.
func (n *Notifier) waitingFor(who auth.Identity) (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for agentID, waiting := range n.pending {
		if who.Covers(agentID) {
			count += waiting
		}
	}
	return count
}

// Subscribe has the browser of a login called.
func (n *Notifier) Subscribe(ctx context.Context, who auth.Identity, s Subscription) error {
	if err := n.Sender.Check(s); err != nil {
		return err
	}
	n.writing.Lock()
	defer n.writing.Unlock()
	s.LoginID, s.CreatedAt = who.Credential, time.Now().UTC().Truncate(time.Microsecond)
	if err := n.Store.SaveSubscription(ctx, who.Subject, s); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for loginID, other := range n.subscriptions {
		if other.Endpoint == s.Endpoint {
			delete(n.subscriptions, loginID)
		}
	}
	n.subscriptions[s.LoginID] = s
	return nil
}

// Unsubscribe ends the subscription of a login, if there is one.
func (n *Notifier) Unsubscribe(ctx context.Context, who auth.Identity) error {
	s, ok := n.Of(who)
	if !ok {
		return nil
	}
	return n.drop(ctx, who.Subject, s)
}

// Of returns the subscription of a login.
func (n *Notifier) Of(who auth.Identity) (Subscription, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, ok := n.subscriptions[who.Credential]
	return s, ok
}

func (n *Notifier) all() []Subscription {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]Subscription, 0, len(n.subscriptions))
	for _, s := range n.subscriptions {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Subscription) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all
}

// forget lets go of the subscription of a login that is over, which the store has dropped.
func (n *Notifier) forget(loginID string) {
	n.mu.Lock()
	delete(n.subscriptions, loginID)
	n.mu.Unlock()
}

// drop ends a subscription, unless the login has another by now.
func (n *Notifier) drop(ctx context.Context, by string, s Subscription) error {
	n.writing.Lock()
	defer n.writing.Unlock()
	if err := n.Store.DropSubscription(ctx, by, s); err != nil {
		return err
	}
	n.mu.Lock()
	if n.subscriptions[s.LoginID].Endpoint == s.Endpoint {
		delete(n.subscriptions, s.LoginID)
	}
	n.mu.Unlock()
	return nil
}
