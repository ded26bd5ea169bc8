package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/tool"
)

// news is one thing for the bus. The node that makes the commit publishes what it has in memory; the others read it
// from the database by these fields.
type news struct {
	Of    newsOf    `json:"of"`
	ID    string    `json:"id,omitzero"`
	Seq   int64     `json:"seq,omitzero"`
	Value tool.JSON `json:"value,omitzero"`

	publish func()
}

type newsOf string

const (
	newEvent        newsOf = "event"   // ID is the session's, Seq the event's
	newRequest      newsOf = "request" // ID is the approval's, also of the next two
	newAnswer       newsOf = "answer"
	newVoid         newsOf = "void"
	newCall         newsOf = "call"         // for the node with turn Seq: ID is a session in which it works; Value is a session.Stop, or empty
	newMode         newsOf = "mode"         // Value is the approval.ModeSetting
	newHalt         newsOf = "halt"         // Value is the approval.Halt
	newAccess       newsOf = "access"       // access changed: Seq is the version after it, Value the changed ids; Seq 0: they were only used
	newHeld         newsOf = "held"         // grants or refusals changed: ID is their holder, as the cache names it
	newClientCall   newsOf = "clientCall"   // ID is the turn of the node that has to look at its client calls
	newSubscription newsOf = "subscription" // push subscriptions changed
	newNodes        newsOf = "nodes"        // the nodes agreed on an agent, or a session is left for another node
)

// judging reports whether the change affects what calls are judged by.
func (c *change) judging() bool {
	return len(c.changed) > 0 || slices.ContainsFunc(c.news, news.judging)
}

func (n news) judging() bool { return n.Of == newMode || n.Of == newHeld }

// tell queues something for the bus, until the change is durable.
func (c *change) tell(n news, publish func()) {
	n.publish = publish
	c.news = append(c.news, n)
}

// newsText encodes the news of a commit for the other nodes; "" without a cluster.
func (s *Store) newsText(done change) (string, error) {
	if s.others == nil {
		return "", nil
	}
	all := done.news
	for _, holder := range done.changed {
		all = append(all, news{Of: newHeld, ID: holder})
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("store: news: %w", err)
	}
	return string(raw), nil
}

// others is what a store needs of a cluster's database beyond an engine.
type others interface {
	Position(ctx context.Context) (int64, error)
	After(ctx context.Context, position int64, most int) ([]postgres.Commit, error)
	Listen(ctx context.Context, wake func()) error
	Size(ctx context.Context) (bytes int64, err error)
	Clock() time.Time
	Key(ctx context.Context, name string, make func() (string, error)) (pem string, err error)
	Held() error
	Turn() int64
	First() bool
	Apart(ctx context.Context, query string, args []any, into ...any) error
	Node() string
	Show(ctx context.Context, clients string) error
	Say(ctx context.Context, seen int64) error
	Nodes(ctx context.Context) ([]session.Node, error)
}

// lookEvery is how often a node looks for commits it was not notified of, and how long it waits before it connects again.
const lookEvery = time.Second

// listen returns a channel that wakes the writer after commits of other nodes, and a function that stops listening.
func (s *Store) listen(ctx context.Context) (wake <-chan struct{}, stop func()) {
	if s.others == nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			if err := s.others.Listen(ctx, s.Look); ctx.Err() == nil {
				s.failed("commits of other nodes", err)
				_ = rest(ctx, s.looks) // its error is ctx's
			}
		}
	})
	all.Go(func() {
		for rest(ctx, s.looks) == nil {
			s.Look()
		}
	})
	all.Go(func() { s.saySeen(ctx) })
	return s.woken, func() { cancel(); all.Wait() }
}

// Look makes the writer look for commits of other nodes, and returns at once.
func (s *Store) Look() {
	select {
	case s.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// saySeen stores every second how far this node has read, if that has changed, until ctx ends.
func (s *Store) saySeen(ctx context.Context) {
	for said := int64(0); rest(ctx, lookEvery) == nil; {
		seen := s.seen.Load()
		if seen == said {
			continue
		}
		if err := s.others.Say(ctx, seen); err == nil {
			said = seen
		} else if ctx.Err() == nil {
			s.failed("how far this node is", err)
		}
	}
}

// publish puts the news of a commit of this node on the bus, after those of all commits before it.
func (s *Store) publish(ctx context.Context, position int64, all []news) {
	if s.others != nil && position != s.seen.Load()+1 {
		s.catchUp(ctx)
		return
	}
	s.seen.Store(position)
	for _, n := range all {
		n.publish()
	}
}

// readAhead is how many commits are read at once.
const readAhead = 100

// catchUp publishes the commits of all nodes that were not published yet. What it can't read now, the next call
// publishes.
func (s *Store) catchUp(ctx context.Context) {
	for {
		list, err := s.others.After(ctx, s.seen.Load(), readAhead)
		for _, commit := range list {
			if err == nil {
				err = s.follow(ctx, commit)
			}
		}
		if err != nil && ctx.Err() == nil {
			s.failed("commits of other nodes", err)
		}
		if err != nil || len(list) < readAhead {
			return
		}
	}
}

func (s *Store) follow(ctx context.Context, commit postgres.Commit) error {
	var all []news
	if err := json.Unmarshal([]byte(commit.News), &all); err != nil {
		return fmt.Errorf("store: news of commit %d: %w", commit.Position, err)
	}
	for i := range all {
		var err error
		if all[i].publish, err = s.found(ctx, all[i]); err != nil {
			return err
		}
	}
	for _, n := range all {
		n.publish()
	}
	if s.watch.Judging != nil && slices.ContainsFunc(all, news.judging) {
		s.watch.Judging()
	}
	s.seen.Store(commit.Position)
	return nil
}

// Held returns nil while this node's lease lets it begin work that no transaction guards; without a cluster, always.
func (s *Store) Held() error {
	if s.others == nil {
		return nil
	}
	return s.others.Held()
}

// Now returns the time by which deadlines are decided: in a cluster, this node's estimate of the database's clock.
func (s *Store) Now() time.Time {
	if s.others == nil {
		return time.Now()
	}
	return s.others.Clock()
}

// found reads what the news of another node's commit refers to. Nothing is published for a row that no longer exists.
func (s *Store) found(ctx context.Context, n news) (publish func(), err error) {
	switch n.Of {
	case newEvent:
		list, err := s.Sessions().Events(ctx, n.ID, n.Seq-1, 1)
		if errors.Is(err, session.ErrUnknown) {
			err = nil
		}
		return func() {
			for _, e := range list {
				session.Events.Publish(s.bus, e)
			}
		}, err
	case newRequest, newAnswer, newVoid:
		return s.foundApproval(ctx, n)
	case newMode:
		var m approval.ModeSetting
		err := json.Unmarshal(n.Value, &m)
		return func() { approval.Modes.Publish(s.bus, m) }, err
	case newHalt:
		var h approval.Halt
		err := json.Unmarshal(n.Value, &h)
		return func() { approval.Halts.Publish(s.bus, h) }, err
	case newAccess:
		return func() {}, s.foundAccess(ctx, n)
	case newHeld:
		return func() { s.forget([]string{n.ID}) }, nil
	case newCall:
		var stop session.Stop
		if len(n.Value) > 0 {
			err = json.Unmarshal(n.Value, &stop)
		}
		return func() {
			if n.Seq == s.others.Turn() && s.watch.Called != nil {
				s.watch.Called(n.ID, stop)
			}
		}, err
	case newNodes:
		return func() {
			if s.watch.Nodes != nil {
				s.watch.Nodes()
			}
		}, nil
	case newSubscription:
		return func() {
			if s.watch.Subscribed != nil {
				s.watch.Subscribed()
			}
		}, nil
	case newClientCall:
		return func() { s.callChanged(n.ID) }, nil
	default: // from a newer version
		return func() {}, nil
	}
}

func (s *Store) foundApproval(ctx context.Context, n news) (publish func(), err error) {
	a, err := s.Approvals().Get(ctx, n.ID)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return func() {}, nil
	case err != nil:
		return nil, err
	case n.Of == newRequest:
		return func() { approval.Requests.Publish(s.bus, a.Request) }, nil
	case n.Of == newAnswer:
		return func() { approval.Responses.Publish(s.bus, a.Response) }, nil
	default:
		return func() { approval.Responses.Publish(s.bus, a.Voided) }, nil
	}
}

// forget drops the cached grants and refusals of some holders.
func (s *Store) forget(holders []string) {
	s.refusals.drop(holders)
	s.held.drop(holders)
}
