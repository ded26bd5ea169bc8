// Package notify calls people who have no page open when a request needs them.
//
// # What it promises
//
//   - A request is announced to a login that may approve it, as what the login is at
//     the moment of sending, and to no other. A login that is over is told nothing.
//   - No call waits for it: it follows the bus in goroutines of its own. How many
//     messages wait, how many are sent at once and how long each may take is bounded.
//   - A request is announced to a login once, also over a restart; where it is not known
//     whether a message arrived, it is sent again in its place. What is answered before it
//     was sent is not announced; what is answered before its deadline is taken back.
//   - What could not be sent is tried again until the deadline, and then reported. What
//     waits to be sent is lost with the process.
//
// # How to use it
//
// Open reads the subscriptions and takes up what waits; Run sends until its context ends.
// A Sender brings a message to a browser, such as one of package webpush.
package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// The ways in which a Sender fails, other than for now.
var (
	// ErrGone is returned for a subscription that has ended.
	ErrGone = errors.New("notify: the subscription has ended")
	// ErrRefused is returned for a message that would be refused again.
	ErrRefused = errors.New("notify: refused")
	// ErrInvalid is returned for a subscription that can't be one.
	ErrInvalid = errors.New("notify: invalid")
)

// Later is returned for a message that has to wait.
type Later struct{ After time.Duration }

// Error says how long.
func (l *Later) Error() string { return fmt.Sprintf("notify: not before %s have passed", l.After) }

// Subscription is how the browser of a login is called.
type Subscription struct {
	LoginID     string // it ends with the login
	Endpoint    string // where the browser's push service takes messages for it; whoever knows it can send there
	PublicKey   []byte // the browser's
	Secret      []byte // shared with the browser
	CreatedAt   time.Time
	LastSuccess time.Time // zero: none yet
	Refused     int       // how many messages in a row were refused
}

// Message is what a browser is told. It says nothing of what a request is about.
type Message struct {
	ApprovalID string
	Settled    bool      // it needs nobody any more
	Waiting    int       // how many requests wait that the person may see
	Until      time.Time // it is of no use later; zero: there is no deadline
}

// Sender brings messages to browsers.
type Sender interface {
	// Check is ErrInvalid for a subscription to which nothing would be sent.
	Check(s Subscription) error
	// Send returns once the message is on its way. An error that is not one of this
	// package's may pass.
	Send(ctx context.Context, to Subscription, m Message) error
}

// Store keeps subscriptions over restarts. It drops one with its login.
type Store interface {
	ListSubscriptions(ctx context.Context) ([]Subscription, error)
	// SaveSubscription puts one in the place of the login's own and of any with its
	// endpoint. It is auth.ErrUnknown for a login that is over.
	SaveSubscription(ctx context.Context, by string, s Subscription) error
	// NoteSubscription keeps LastSuccess and Refused.
	NoteSubscription(ctx context.Context, s Subscription) error
	// DropSubscription forgets one, if it is still the login's.
	DropSubscription(ctx context.Context, by string, s Subscription) error
}

// Keyring says what a login is now; *auth.Keyring is it.
type Keyring interface {
	Follow(ctx context.Context, credentialID string) (who auth.Identity, access context.Context, done context.CancelFunc, err error)
}

// Outcome is what became of a message.
type Outcome string

// The outcomes.
const (
	Sent    Outcome = "sent"
	Gone    Outcome = "gone"    // the subscription has ended
	Failed  Outcome = "failed"  // it was refused, or tried until there was no more time
	Dropped Outcome = "dropped" // too many waited, or its time came before its turn
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Sent, Gone, Failed, Dropped} }
