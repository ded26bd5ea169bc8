package mcpgate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// Conn carries messages, each one JSON text. Read and Write end with their ctx. Read returns
// io.EOF once the other side has ended.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
}

// Options say how a relay asks.
type Options struct {
	Server  string         // the server's name: its tools are asked about as SERVER__TOOL
	Gateway *client.Client // where it asks
	AgentID string         // whose rules apply; empty: external
	Folder  string         // where the client works; empty: not known

	// Arguments declares what the arguments of tools are, by the server's own names.
	Arguments map[string]tool.Arguments
	// Takes reports whether the client may have a tool; nil: all of them.
	Takes func(name string) bool

	AnswerWithin  time.Duration // a client that is sent no progress is answered by then; default 50 s
	KeepFor       time.Duration // how long a decision is kept that nobody has taken; default 10 m
	Expires       time.Duration // how long a call waits for its answer at most; zero: the policy's limit
	ProgressEvery time.Duration // between notices to a client that asked for progress; default 5 s
	Note          func(string)  // is told what is left out; nil disables it
}

const (
	callMethod  = "tools/call"
	modelMethod = "sampling/createMessage"
)

// The defaults of Options, and other limits.
const (
	AnswerWithin  = 50 * time.Second // clients of the TypeScript SDK give up after 60 s
	KeepFor       = 10 * time.Minute // the gateway asks again about what was approved earlier
	progressEvery = 5 * time.Second
	listWithin    = 20 * time.Second
	beginWithin   = 20 * time.Second // for the gateway to begin a run, before a session begins
	endWithin     = 5 * time.Second  // for what is open once one side has ended
	maxOpen       = 256              // requests of a client that are not answered yet
	maxCalls      = 64               // of these, tool calls
	maxKept       = 64               // decisions that nobody has taken
)

// Why a relay has ended.
var (
	ErrClientEnded = errors.New("mcpgate: the client has ended the session")
	ErrServerEnded = errors.New("mcpgate: the server has ended")
)

// Relay stands between one client and one server.
type Relay struct {
	o      Options
	client Conn
	server *outbox

	running sync.WaitGroup
	catalog catalog
	runs    runs
	own     string // begins the ids of the relay's own requests

	mu    sync.Mutex
	about string                  // the client's name
	open  map[string]*request     // the client's, by id
	asked map[string]*sampling    // the server's that are gated, by id
	lists map[string]chan message // the relay's own, by id
	kept  map[string]*decision    // that nobody has taken, by what they are about; nil: nothing is kept any more
	calls int
	last  int
}

// request is one of the client's that is not answered yet.
type request struct {
	method string
	first  bool // of a list: its first page
	call   *call
	lends  bool // its answer wants the client's model, and people are asked about that

	ctx    context.Context // ends once nobody waits for an answer
	cancel context.CancelCauseFunc

	changes int // of the server's list of tools, when it was made
}

// New makes a relay; Run does the work.
func New(o Options, client, server Conn) *Relay {
	o.AnswerWithin, o.KeepFor = cmp.Or(o.AnswerWithin, AnswerWithin), cmp.Or(o.KeepFor, KeepFor)
	o.ProgressEvery = cmp.Or(o.ProgressEvery, progressEvery)
	if o.Note == nil {
		o.Note = func(string) {}
	}
	return &Relay{
		o: o, client: client, server: newOutbox(server), own: "lineclear-" + uuid.NewString() + "-",
		runs: runs{name: "mcp " + uuid.NewString(), open: map[string]*run{}},
		open: map[string]*request{}, asked: map[string]*sampling{}, lists: map[string]chan message{},
		kept: map[string]*decision{},
	}
}

// Run relays until one side ends or ctx does, and returns why: ErrClientEnded,
// ErrServerEnded, or ctx's cause. It waits for what it has started, and withdraws what it
// has asked.
func (r *Relay) Run(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	var reading sync.WaitGroup
	reading.Go(func() { end(r.fromClient(ctx)) })
	reading.Go(func() { end(r.fromServer(ctx)) })
	reading.Go(func() { end(r.server.run(ctx)) })
	<-ctx.Done()
	reading.Wait()
	r.giveUp()
	r.running.Wait()
	r.runs.end(context.WithoutCancel(ctx), r.o.Gateway)
	return context.Cause(ctx)
}

// ended is why a side's reading has ended.
func ended(ctx context.Context, err, why error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe):
		return why
	default:
		return fmt.Errorf("%w: %w", why, err)
	}
}

// fromClient takes what the client sends.
func (r *Relay) fromClient(ctx context.Context) error {
	for {
		raw, err := r.client.Read(ctx)
		if err != nil {
			r.drain(ctx)
			return ended(ctx, err, ErrClientEnded)
		}
		m, err := read(raw)
		if err != nil {
			if err := r.client.Write(ctx, errorTo(m.id, badRequest, "the gateway passes on single messages that can be read in one way only: %s", err)); err != nil {
				return ended(ctx, err, ErrClientEnded)
			}
			continue
		}
		if err := r.outward(ctx, m); err != nil {
			return ended(ctx, err, ErrServerEnded)
		}
	}
}

// outward takes one message of the client's. An error is one of the server's side.
func (r *Relay) outward(ctx context.Context, m message) error {
	switch {
	case m.isResponse():
		if s := r.sampled(m.id); s != nil {
			if s.gone() {
				s.answer(m)
			}
			return nil
		}
	case !m.isRequest():
		if m.method == "notifications/cancelled" && r.cancelled(m) || strings.EqualFold(m.method, callMethod) {
			return nil // a call without an id can't be answered, but a careless server could run it
		}
	default:
		return r.take(ctx, m)
	}
	return r.server.put(ctx, m.raw)
}

// take takes a request of the client's.
func (r *Relay) take(ctx context.Context, m message) error {
	q := &request{method: m.method, first: member(m.params, "cursor") == nil, changes: r.catalog.count()}
	if m.method != callMethod && strings.EqualFold(m.method, callMethod) {
		return r.client.Write(ctx, errorTo(m.id, badRequest, "method: names are case-sensitive: write %s", callMethod))
	}
	q.ctx, q.cancel = context.WithCancelCause(ctx)
	if m.method == callMethod {
		q.call = newCall(m, q.cancel)
	}
	if why := r.admit(m, q); why != "" {
		q.cancel(nil)
		return r.client.Write(ctx, errorTo(m.id, refusedByUs, "%s", why))
	}
	if q.call != nil {
		r.running.Go(func() {
			defer r.release(m.id, q)
			r.clear(q.ctx, q.call)
		})
		return nil
	}
	var begins func() bool
	if m.method == "initialize" || m.method == "server/discover" {
		r.meet(m)
		begins = func() bool { return r.greets(ctx, m, q) }
	}
	if err := r.server.putIf(ctx, m.raw, begins); err != nil {
		r.release(m.id, q)
		return r.client.Write(ctx, errorTo(m.id, refusedByUs, "%s", err))
	}
	return nil
}

// greets begins the run of a session before the server hears of it, and reports whether it could.
func (r *Relay) greets(ctx context.Context, m message, q *request) bool {
	within, stop := context.WithTimeoutCause(q.ctx, beginWithin, fmt.Errorf("the gateway has not answered within %s", beginWithin))
	defer stop()
	_, err := r.run(within, "")
	if err != nil && q.ctx.Err() == nil {
		r.tell(ctx, errorTo(m.id, refusedByUs, "%s", remedy(err)))
	}
	if err != nil {
		r.release(m.id, q)
	}
	return err == nil
}

// admit registers a request, or says why it is not taken.
func (r *Relay) admit(m message, q *request) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.open[key(m.id)] != nil:
		return "a request with this id is open already"
	case len(r.open) >= maxOpen:
		return fmt.Sprintf("more than %d requests are open: wait for answers", maxOpen)
	case q.call != nil && r.calls >= maxCalls:
		return fmt.Sprintf("more than %d tool calls are open: wait for answers", maxCalls)
	}
	if q.call != nil {
		r.calls++
	}
	r.open[key(m.id)] = q
	return ""
}

// release forgets a request that is answered, or that nobody waits for.
func (r *Relay) release(id tool.JSON, q *request) {
	q.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[key(id)] != q {
		return
	}
	delete(r.open, key(id))
	if q.call != nil {
		r.calls--
	}
}

// fromServer takes what the server sends.
func (r *Relay) fromServer(ctx context.Context) error {
	for {
		raw, err := r.server.Read(ctx)
		if err != nil {
			return ended(ctx, err, ErrServerEnded)
		}
		m, err := read(raw)
		if err != nil {
			r.o.Note("left out, from the server: " + err.Error())
			if m.id == nil {
				continue
			}
			raw := errorTo(m.id, refusedByUs, "the server's answer can't be read in one way only: %s", err)
			m = message{raw: raw, id: m.id, failed: true}
		}
		if r.inward(ctx, m) {
			continue
		}
		if err := r.client.Write(ctx, m.raw); err != nil {
			return ended(ctx, err, ErrClientEnded)
		}
	}
}

// inward looks at one message of the server's, and reports whether it is kept back.
func (r *Relay) inward(ctx context.Context, m message) (kept bool) {
	switch {
	case m.method == "notifications/tools/list_changed":
		r.catalog.stale()
	case m.method == "notifications/cancelled":
		return r.withdrawn(m)
	case m.isRequest():
		return r.wanted(ctx, m)
	case isModel(m.method), asksModel(m.params): // without an id
		r.o.Note("left out, from the server: a notification that asks for the client's model")
		return true
	case m.isResponse() && m.id != nil:
		return r.answered(m)
	}
	return false
}

// answered takes an answer of the server's.
func (r *Relay) answered(m message) (kept bool) {
	r.mu.Lock()
	list := r.lists[key(m.id)]
	delete(r.lists, key(m.id))
	q := r.open[key(m.id)]
	r.mu.Unlock()
	switch {
	case list != nil:
		list <- m
		return true
	case q == nil:
		return true // nobody waits for it
	case q.call != nil:
		q.call.answer(m)
		return true
	case q.lends:
		return true // it is answered
	case asksModel(m.result):
		q.lends = true
		r.running.Go(func() { r.lend(q, m) })
		return true
	}
	r.release(m.id, q)
	if q.method == "tools/list" && !m.failed {
		r.catalog.see(m.result, q)
	}
	return false
}

// drain waits a while for the answers to what is open, once the client sends nothing more.
// What waits for a person is withdrawn.
func (r *Relay) drain(ctx context.Context) {
	r.mu.Lock()
	for _, q := range r.open {
		if q.call != nil {
			q.call.withdraw(ErrClientEnded)
		}
	}
	r.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, endWithin)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		r.mu.Lock()
		left := len(r.open) + r.server.left()
		r.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// giveUp ends all that is open.
func (r *Relay) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.open {
		if q.call != nil {
			q.call.cancel(ErrClientEnded)
		}
	}
	for _, s := range r.asked {
		s.cancel(ErrServerEnded)
	}
	for _, d := range r.kept {
		d.cancel(errUntaken)
	}
	r.kept = nil
}

// meet learns the client's name.
func (r *Relay) meet(m message) {
	name := cmp.Or(text(m.params, "clientInfo", "name"), text(m.params, "_meta", clientKey, "name"))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.about = label(name)
}
