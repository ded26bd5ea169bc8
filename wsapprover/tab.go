package wsapprover

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
)

// Limits bound what one tab may cost; a zero field means its default.
type Limits struct {
	Frame       int64         // bytes of a frame from a tab; 256 KiB
	QueueFrames int           // frames that wait for a tab; 1,024
	QueueBytes  int           // bytes that wait for a tab; 8 MiB
	QueueAge    time.Duration // how long a frame may wait for a tab; 20 s
	Idle        time.Duration // silence after which a tab is gone; 60 s
	Dribble     time.Duration // how long one frame from a tab may take; 10 s
	CloseGrace  time.Duration // how long a closing handshake may take; 1 s
	BadFrames   int           // bad frames in a row that end a connection; 10
	FrameRate   rate.Limit    // frames a second that are read from a tab, in the long run; 1,000
	PingRate    rate.Limit    // pings a second from a tab, in the long run; 2
	Tabs        int           // all that may be open; 10,000
}

func (l Limits) orDefault() Limits {
	setTo(&l.Frame, 256<<10)
	setTo(&l.QueueFrames, 1024)
	setTo(&l.QueueBytes, 8<<20)
	setTo(&l.QueueAge, 20*time.Second)
	setTo(&l.Idle, 60*time.Second)
	setTo(&l.Dribble, 10*time.Second)
	setTo(&l.CloseGrace, time.Second)
	setTo(&l.BadFrames, 10)
	setTo(&l.FrameRate, 1000)
	setTo(&l.PingRate, 2)
	setTo(&l.Tabs, 10_000)
	return l
}

func setTo[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// outgoing is a frame on its way to tabs; they share it.
type outgoing struct {
	frame []byte // as it goes over the line
	size  int    // what it counts for in a queue
	at    time.Time
}

// tab is one connection. One goroutine reads it, in run; another one writes, and lives only while there is something to write.
type tab struct {
	hub *Hub
	ws  *websocket.Conn
	who auth.Identity

	// Under Hub.mu.
	attached    uint64 // Hub.sent when it was attached
	approvals   ability
	follows     map[string]*follow
	clientTools []string // the client tools that it runs; set once, before ClientTools has it

	work    sync.WaitGroup // its requests that take long
	writers sync.WaitGroup

	mu      sync.Mutex
	writing bool // a goroutine writes
	held    bool // what is offered waits behind the snapshot
	pings   *time.Timer
	pinging bool    // a ping is due
	pong    *string // the data of a ping that is to be answered
	queue   []outgoing
	bytes   int
	closing *websocket.CloseError // why the tab is being closed; set once
	drained chan struct{}         // has room for one: the queue has become short; nil: nobody waits for that
}

// follow is a tab's place in a session's journal.
type follow struct {
	live bool  // events are passed on as they come
	sent int64 // the newest event passed on, once live
	top  int64 // the newest event that came while catching up
}

func newTab(h *Hub, ws *websocket.Conn, who auth.Identity) *tab {
	return &tab{
		hub: h, ws: ws, who: who, held: true, follows: map[string]*follow{},
	}
}

// run serves the tab until it is gone. leave is called before the tab is closed as one that has gone
// by itself.
func (t *tab) run(ctx context.Context, leave func()) {
	t.hub.attach(t)
	t.mu.Lock()
	t.pings = time.AfterFunc(t.hub.pingEvery(), t.pingDue)
	t.mu.Unlock()
	defer t.pings.Stop()
	greeted := make(chan struct{})
	t.work.Go(func() { // in a goroutine of its own, whose stack is freed with it
		defer close(greeted)
		if err := t.greet(ctx); err != nil {
			t.notGreeted(err)
		}
	})
	<-greeted
	t.read(ctx)
	t.hub.detach(t)
	t.hub.Clients.removeTab(t)
	leave()
	t.close(websocket.CloseNormalClosure, "")
	t.writers.Wait()
	// What the tab has sent meanwhile is read away, so that the close frame is
	// not lost to a reset.
	conn := t.ws.NetConn()
	_ = conn.SetReadDeadline(time.Now().Add(t.hub.limits.CloseGrace))
	_, _ = io.Copy(io.Discard, conn)
	t.work.Wait()
	_ = t.ws.Close() // it may be closed already; nobody is there to be told
}

// greet puts welcome and snapshot before everything that has been offered
// since the tab was attached. Where a hello is required, the snapshot follows that.
func (t *tab) greet(ctx context.Context) error {
	hi, err := prepare(eventWelcome, "", welcome{ServerTime: t.hub.Door.Now().UTC(), Identity: t.who, Protocol: Protocol, Version: t.hub.version})
	if err != nil {
		return err
	}
	hi.size = 0
	greeting := []outgoing{hi}
	if !t.hub.requireHello {
		state, err := t.snapshot(ctx)
		if err != nil {
			return err
		}
		greeting = append(greeting, state...)
	}
	t.release(0, greeting)
	return nil
}

// snapshot is what is the case, for a tab that was attached when it was.
func (t *tab) snapshot(ctx context.Context) ([]outgoing, error) {
	t.hub.mu.Lock()
	attached, requests := t.attached, t.hub.asked(t)
	t.hub.mu.Unlock()
	state, err := t.hub.snapshot(ctx, t.who, attached, requests)
	if err != nil {
		return nil, err
	}
	state, now := slices.Clone(state), time.Now()
	for i := range state {
		state[i].at = now // it may have been encoded for an earlier tab
	}
	return state, nil
}

// release puts frames at their place in the queue, and lets the tab have it.
func (t *tab) release(place int, frames []outgoing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing != nil {
		return
	}
	t.queue = slices.Insert(t.queue, place, frames...)
	t.held = false
	t.rouseLocked(true)
}

// offer queues a frame. A tab whose queue is too long, too large or too old is
// cut off instead: it reconnects and resumes.
func (t *tab) offer(out outgoing) {
	limits := t.hub.limits
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing != nil {
		return
	}
	tooOld := len(t.queue) > 0 && out.at.Sub(t.queue[0].at) > limits.QueueAge
	if tooOld || len(t.queue) >= limits.QueueFrames || (len(t.queue) > 0 && t.bytes+out.size > limits.QueueBytes) {
		t.tooSlowLocked()
		return
	}
	t.queue = append(t.queue, out)
	t.bytes += out.size
	t.rouseLocked(false)
}

// wants reports whether the tab is sent news: of the journal, the events of sessions that it follows and those that
// change any session's status. Under Hub.mu.
func (t *tab) wants(news door.News) bool {
	f := t.follows[news.SessionID]
	switch {
	case news.Passing:
		return f != nil && f.live
	case !news.Everyone && !t.who.Covers(news.AgentID):
		return false
	case news.Seq == 0:
		return t.hub.asked(t) || news.ForAll
	case f == nil:
		return news.Type.Headline()
	default:
		return f.live && news.Seq > f.sent
	}
}

// passed notes the newest event of the session, whether it was sent or the tab still catches up.
func (f *follow) passed(seq int64) {
	if f.live {
		f.sent = max(f.sent, seq)
	} else {
		f.top = seq
	}
}

// offerPatiently waits until the queue is short before it adds to it, so that
// a long journal can't overrun the tab that asked for it. It reports false
// when the tab is gone.
func (t *tab) offerPatiently(ctx context.Context, out outgoing) bool {
	for {
		t.mu.Lock()
		gone, room := t.closing != nil, t.roomLocked(out)
		if t.drained == nil {
			t.drained = make(chan struct{}, 1)
		}
		drained := t.drained
		t.mu.Unlock()
		if gone {
			return false
		}
		if room {
			t.offer(out)
			return true
		}
		select {
		case <-drained:
		case <-ctx.Done():
			return false
		}
	}
}

func (t *tab) roomLocked(out outgoing) bool {
	limits := t.hub.limits
	return len(t.queue) == 0 || len(t.queue) < limits.QueueFrames/2 && t.bytes+out.size <= limits.QueueBytes/2
}

// close has the writer send a close frame, instead of what is queued.
func (t *tab) close(code int, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closeLocked(code, reason)
}

// notWritten cuts off a tab that did not take what it was sent in time, or is
// gone.
func (t *tab) notWritten(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.tooSlowLocked()
		return
	}
	t.closeLocked(websocket.CloseGoingAway, "")
}

// tooSlowLocked cuts off a tab that reads too slowly, and counts it.
func (t *tab) tooSlowLocked() {
	if t.closing == nil {
		t.hub.slow.Add(1)
	}
	t.closeLocked(websocket.CloseTryAgainLater, "this tab reads too slowly: reconnect and resume")
}

func (t *tab) closeLocked(code int, reason string) {
	if t.closing != nil {
		return
	}
	t.closing = &websocket.CloseError{Code: code, Text: reason}
	t.queue, t.bytes = nil, 0
	t.rouseLocked(true)
	signal(t.drained)
	// A writer that is stuck in a peer that does not read is freed, and so is
	// the reader if the peer does not close in its turn.
	_ = t.ws.NetConn().SetWriteDeadline(time.Now().Add(t.hub.limits.CloseGrace))
	time.AfterFunc(2*t.hub.limits.CloseGrace, func() { _ = t.ws.Close() })
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
