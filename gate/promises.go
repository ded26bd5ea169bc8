package gate

import (
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
)

// Waiters holds the promises of those who wait for an answer. It is woken by
// the bus, inline, so that it can't be evicted; who registers before a request
// is announced can't miss its answer, however fast it comes.
type Waiters struct {
	mu   sync.Mutex
	byID map[string]map[*Waiter]struct{}
}

// NewWaiters makes an empty set.
func NewWaiters() *Waiters { return &Waiters{byID: map[string]map[*Waiter]struct{}{}} }

// Inline is what wakes the waiters; the bus has to be made with it.
func (w *Waiters) Inline() bus.Inline { return approval.Responses.Inline(w.resolve) }

// Register makes a promise for the answer to the approval. The caller must
// Close it.
func (w *Waiters) Register(approvalID string) *Waiter {
	p := &Waiter{owner: w, id: approvalID, done: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byID[approvalID] == nil {
		w.byID[approvalID] = map[*Waiter]struct{}{}
	}
	w.byID[approvalID][p] = struct{}{}
	return p
}

// ids lists the approvals that somebody waits for.
func (w *Waiters) ids() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.byID))
	for id := range w.byID {
		ids = append(ids, id)
	}
	return ids
}

func (w *Waiters) resolve(r approval.Response) {
	w.mu.Lock()
	waiting := w.byID[r.ApprovalID]
	delete(w.byID, r.ApprovalID)
	w.mu.Unlock()
	for p := range waiting {
		p.response = r
		close(p.done)
	}
}

// Waiter is a promise of one answer.
type Waiter struct {
	owner    *Waiters
	id       string
	done     chan struct{}
	response approval.Response
}

// Done is closed when the answer is there.
func (p *Waiter) Done() <-chan struct{} { return p.done }

// Response is the answer, once Done is closed.
func (p *Waiter) Response() approval.Response { return p.response }

// Close gives the promise up.
func (p *Waiter) Close() {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	delete(p.owner.byID[p.id], p)
	if len(p.owner.byID[p.id]) == 0 {
		delete(p.owner.byID, p.id)
	}
}
