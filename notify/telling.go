package notify

import (
	"context"
	"errors"
	"time"
)

// What is sent at most.
const (
	atOnce       = 32               // messages to all logins; one to each
	maxQueued    = 100              // messages that wait for one login
	perSecond    = 0.5              // messages to one login, in the long run
	burstSeconds = 40               // 20 messages at once
	sendTime     = 10 * time.Second // for one message
	attempts     = 8
	firstPause   = time.Second // after a failure; it doubles
	longestPause = time.Minute
	maxRefused   = 5 // messages in a row, until a subscription is dropped
	noteEvery    = time.Hour
)

// errNobody ends a message whose login is over, or may not approve the request any more.
var errNobody = errors.New("notify: nobody is to be told")

// telling is a message to one login, under way or over.
type telling struct {
	stop    context.CancelFunc
	done    chan struct{} // closed when it is over
	arrived bool          // it may have; read after done
}

// announcedBefore is what an earlier process has told.
func announcedBefore() *telling {
	t := &telling{stop: func() {}, done: make(chan struct{}), arrived: true}
	close(t.done)
	return t
}

// tell announces a request to a login or, after its announcement, says that it is settled.
func (n *Notifier) tell(ctx context.Context, loginID string, w *waiting, announced *telling) *telling {
	ctx, stop := context.WithCancel(ctx)
	t := &telling{stop: stop, done: make(chan struct{})}
	if !n.enqueue(loginID) {
		stop()
		close(t.done)
		n.Report(Dropped, nil)
		return t
	}
	n.running.Go(func() {
		defer n.dequeue(loginID)
		defer stop()
		defer close(t.done)
		if announced != nil {
			<-announced.done // which was stopped
			if !announced.arrived {
				return
			}
		}
		t.arrived = n.deliver(ctx, loginID, w, announced != nil)
	})
	return t
}

// deliver sends a message, again and again while that may help, and reports whether it
// may have arrived.
func (n *Notifier) deliver(ctx context.Context, loginID string, w *waiting, settled bool) (arrived bool) {
	if !w.until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, w.until)
		defer cancel()
	}
	if n.rates.Of(loginID).Wait(ctx) != nil {
		if ctx.Err() == nil { // its turn would come after the deadline
			n.Report(Dropped, nil)
		}
		return false
	}
	pause := firstPause
	for attempt := 1; ; attempt++ {
		began, err := n.send(ctx, loginID, w, settled)
		arrived = arrived || began
		var later *Later
		switch {
		case err == nil:
			n.Report(Sent, nil)
			return true
		case errors.Is(err, errNobody):
			return arrived
		case errors.Is(err, ErrGone):
			n.Report(Gone, nil)
			return false
		case errors.Is(err, ErrRefused):
			n.Report(Failed, err)
			return false
		case errors.As(err, &later):
			pause = max(pause, later.After)
		}
		if errors.Is(ctx.Err(), context.Canceled) { // it was answered, or the gateway stops
			return arrived
		}
		if attempt == attempts || !slept(ctx, pause) {
			if !errors.Is(ctx.Err(), context.Canceled) {
				n.Report(Failed, err)
			}
			return arrived
		}
		pause = min(2*pause, longestPause)
	}
}

// slept waits, and reports false if ctx ends before.
func slept(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send tries once, as what the login is now. It ends with the login.
func (n *Notifier) send(ctx context.Context, loginID string, w *waiting, settled bool) (began bool, err error) {
	for _, turn := range []chan struct{}{n.lane(loginID).turn, n.slots} {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		defer func() { <-turn }()
	}
	who, access, done, err := n.Keyring.Follow(ctx, loginID)
	if err != nil {
		n.forget(loginID)
		return false, errNobody
	}
	defer done()
	to, ok := n.Of(who)
	if !ok || !w.may(who) || access.Err() != nil {
		return false, errNobody
	}
	access, cancel := context.WithTimeout(access, sendTime)
	defer cancel()
	err = n.Sender.Send(access, to, Message{ApprovalID: w.id, Settled: settled, Waiting: n.waitingFor(who), Until: w.until})
	if failure := n.note(context.WithoutCancel(ctx), to, err); failure != nil {
		n.Report(Failed, failure)
	}
	return true, err
}

// note keeps what came of a message, and drops a subscription that is of no use.
func (n *Notifier) note(ctx context.Context, s Subscription, sent error) error {
	now := time.Now().UTC().Truncate(time.Microsecond)
	refused := errors.Is(sent, ErrRefused)
	switch {
	case errors.Is(sent, ErrGone), refused && s.Refused+1 >= maxRefused:
		return n.drop(ctx, "system", s)
	case refused:
		s.Refused++
	case sent != nil || s.Refused == 0 && now.Sub(s.LastSuccess) < noteEvery:
		return nil
	default:
		s.Refused, s.LastSuccess = 0, now
	}
	n.mu.Lock()
	if current := n.subscriptions[s.LoginID]; current.Endpoint == s.Endpoint {
		current.Refused, current.LastSuccess = s.Refused, s.LastSuccess
		n.subscriptions[s.LoginID] = current
	}
	n.mu.Unlock()
	return n.Store.NoteSubscription(ctx, s)
}

// lane is the messages to one login.
type lane struct {
	queued int
	turn   chan struct{} // holds the one that is being sent
}

// enqueue takes a place for a message, if the login has one left.
func (n *Notifier) enqueue(loginID string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.lanes[loginID]
	if l == nil {
		l = &lane{turn: make(chan struct{}, 1)}
		n.lanes[loginID] = l
	}
	if l.queued >= maxQueued {
		return false
	}
	l.queued++
	return true
}

func (n *Notifier) dequeue(loginID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.lanes[loginID]
	if l.queued--; l.queued == 0 {
		delete(n.lanes, loginID)
	}
}

// lane is that of a login for which a message waits.
func (n *Notifier) lane(loginID string) *lane {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lanes[loginID]
}
