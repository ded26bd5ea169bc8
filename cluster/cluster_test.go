//go:build postgres

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/cluster"
	"github.com/lineclear/lineclear/cluster/natstest"
	"github.com/lineclear/lineclear/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 30 * time.Second

// node is a Relay with a bus of its own.
type node struct {
	*cluster.Relay
	bus   *bus.Bus
	sub   *bus.Subscription // of what is not kept
	looks chan struct{}
	views chan approval.Viewing
	logs  chan string
	stop  func() error

	mu     sync.Mutex
	counts map[cluster.Outcome]int
}

var key = []byte("what the nodes share")

func start(t *testing.T, url string, key []byte) *node {
	t.Helper()
	n := &node{looks: make(chan struct{}, 1<<16), views: make(chan approval.Viewing, 10), logs: make(chan string, 1<<10), counts: map[cluster.Outcome]int{}}
	core := zapcore.NewNopCore()
	log := zap.New(zapcore.RegisterHooks(nopEnabled{core}, func(e zapcore.Entry) error {
		n.logs <- e.Message
		return nil
	}))
	n.Relay = cluster.New(cluster.Options{URL: url, Log: log, Count: func(o cluster.Outcome) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.counts[o]++
	}})
	n.bus = bus.New([]bus.Named{session.Events, session.Deltas, session.Progresses}, n.Inline()...)
	n.sub = n.bus.Subscribe(1<<16, session.Deltas, session.Progresses)
	n.Join(cluster.Shared{
		Key: key, Node: "a-node", Turn: 7, Now: time.Now, Look: func() { n.looks <- struct{}{} },
		Viewed: func(_ string, v approval.Viewing) { n.views <- v },
	}, n.bus)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	n.stop = sync.OnceValue(func() error {
		cancel()
		n.sub.Close()
		return <-ended
	})
	t.Cleanup(func() {
		if err := n.stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	})
	return n
}

// nopEnabled writes nothing, and is asked all the same.
type nopEnabled struct{ zapcore.Core }

func (nopEnabled) Enabled(zapcore.Level) bool { return true }
func (c nopEnabled) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return ce.AddCore(e, c)
}

func (n *node) count(o cluster.Outcome) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts[o]
}

func (n *node) logged(t *testing.T, words string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case said := <-n.logs:
			if strings.Contains(said, words) {
				return
			}
		case <-late:
			t.Fatalf("it never says %q", words)
		}
	}
}

// heardBy has a node tell of commits until another one has heard one of them.
func (n *node) heardBy(t *testing.T, other *node) {
	t.Helper()
	late := time.After(patience)
	for {
		n.Committed(1)
		select {
		case <-other.looks:
			return
		case <-time.After(10 * time.Millisecond):
		case <-late:
			t.Fatal("it never hears of a commit")
		}
	}
}

func (n *node) says(offset int, messageID, text string) {
	session.Deltas.Publish(n.bus, session.Delta{SessionID: "s", MessageID: messageID, Offset: offset, Text: text})
}

// has reads what comes on the bus of a node, until a text.
func (n *node) has(t *testing.T, until string) (all []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		e, err := n.sub.Next(ctx)
		if err != nil {
			t.Fatalf("%q does not come after %q: %v", until, all, err)
		}
		said := ""
		if d, ok := session.Deltas.From(e); ok {
			said = fmt.Sprint(d.MessageID, " ", d.Offset, " ", d.Text, " ", d.Elsewhere)
		}
		if p, ok := session.Progresses.From(e); ok {
			said = fmt.Sprint(p.CallID, " ", p.Done, " ", p.Elsewhere)
		}
		all = append(all, said)
		if strings.HasPrefix(said, until) {
			return all
		}
	}
}

func TestCommitsTextAndProgressAreHeardByTheOthersAndNotSentOn(t *testing.T) {
	server := natstest.Start(t)
	one, two, three := start(t, server.URL, key), start(t, server.URL, key), start(t, server.URL, key)
	for _, other := range []*node{two, three} {
		one.heardBy(t, other)
		other.heardBy(t, one)
	}
	two.heardBy(t, three)
	one.says(0, "m", "Hello ")
	session.Progresses.Publish(one.bus, session.Progress{SessionID: "s", CallID: "c", Done: 3})
	one.says(6, "m", "there")
	two.has(t, "m 6")
	two.says(0, "end", "")
	for n, want := range map[*node][]string{
		one:   {"m 0 Hello  false", "c 3 false", "m 6 there false", "end 0  true"},
		three: {"m 0 Hello  true", "c 3 true", "m 6 there true", "end 0  true"},
	} {
		if diff := cmp.Diff(want, n.has(t, "end")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTheOthersAreToldWhoLooksAtARequest(t *testing.T) {
	server := natstest.Start(t)
	one, two := start(t, server.URL, key), start(t, server.URL, key)
	one.heardBy(t, two)
	want := approval.Viewing{ApprovalID: "a", Viewers: []string{"ada", "bob"}}
	one.Viewing(want)
	select {
	case got := <-two.views:
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	case <-time.After(patience):
		t.Fatal("they are not told")
	}
	if len(one.views) > 0 {
		t.Error("it is told what it has said itself")
	}
}

func TestOfAMessageTheBusHasThePiecesFromItsBeginningUntilItIsInTheJournal(t *testing.T) {
	server := natstest.Start(t)
	one, two := start(t, server.URL, key), start(t, server.URL, key)
	one.heardBy(t, two)
	for _, d := range []struct {
		offset   int
		id, text string
	}{
		{4, "begun before", "x"}, {0, "a", "👋 "}, {3, "a", "hi"}, {9, "a", "hole"}, {13, "a", "after it"},
		{0, "b", "one"}, {2, "another", "x"}, {3, "b", "two"}, {0, "a", "again"},
	} {
		one.says(d.offset, d.id, d.text)
	}
	want := []string{"a 0 👋  true", "a 3 hi true", "b 0 one true", "b 3 two true", "a 0 again true"}
	if diff := cmp.Diff(want, two.has(t, "a 0 again")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	written := session.Event{SessionID: "s", Seq: 5, Type: session.TypeAssistantMessage}
	session.Events.Publish(one.bus, session.Event{SessionID: "s", Seq: 4, Type: session.TypeTurnStarted})
	session.Events.Publish(two.bus, written) // which is ahead of the rest of the text
	one.says(5, "a", " and")
	one.says(0, "late", "it is over")
	session.Progresses.Publish(one.bus, session.Progress{SessionID: "s", CallID: "late", Done: 3})
	session.Events.Publish(one.bus, written)
	one.says(0, "c", "next")
	if diff := cmp.Diff([]string{"c 0 next true"}, two.has(t, "c 0")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// stranger is somebody at the same NATS who sees everything.
type stranger struct {
	*nats.Conn
	all chan *nats.Msg
}

func newStranger(t *testing.T, url string) stranger {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	s := stranger{conn, make(chan *nats.Msg, 1<<10)}
	if _, err := conn.ChanSubscribe(">", s.all); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	return s
}

// overhears waits for a message with a text.
func (s stranger) overhears(t *testing.T, text string) *nats.Msg {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case m := <-s.all:
			if strings.Contains(string(m.Data), text) {
				return m
			}
		case <-late:
			t.Fatalf("%q is not said", text)
		}
	}
}

func (s stranger) says(t *testing.T, subject string, data []byte) {
	t.Helper()
	if err := errors.Join(s.Publish(subject, data), s.Flush()); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsForgedRepeatedOrOfAnotherClusterIsRefused(t *testing.T) {
	server := natstest.Start(t)
	one, two, foreign := start(t, server.URL, key), start(t, server.URL, key), start(t, server.URL, []byte("another key"))
	one.heardBy(t, two)
	s := newStranger(t, server.URL)
	one.says(0, "m", "genuine")
	said := s.overhears(t, "genuine")
	foreign.logged(t, "carries")
	foreign.says(0, "m", "foreign")
	other := s.overhears(t, "foreign")
	if other.Subject == said.Subject {
		t.Error("two clusters meet")
	}
	forged := strings.Replace(string(said.Data), "genuine", "forged!", 1)
	forged = strings.Replace(forged, `"count":`, `"count":9`, 1)
	for name, data := range map[string]string{
		"forged": forged, "repeated": string(said.Data), "foreign": string(other.Data), "without a mark": string(said.Data[32:]), "nothing": "",
	} {
		before := two.count(cluster.Refused)
		s.says(t, said.Subject, []byte(data))
		one.heardBy(t, two) // what is said after it is heard after it
		if got := two.count(cluster.Refused) - before; got != 1 {
			t.Errorf("%s: %d were refused", name, got)
		}
	}
	two.logged(t, "refused")
	one.says(7, "m", "end")
	if diff := cmp.Diff([]string{"m 0 genuine true", "m 7 end true"}, two.has(t, "m 7")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	later := start(t, server.URL, key) // which has not heard it
	two.heardBy(t, later)
	s.says(t, said.Subject, said.Data)
	two.heardBy(t, later)
	if got := later.count(cluster.Refused); got != 1 {
		t.Errorf("a node that came later has refused %d", got)
	}
}

func TestItGoesOnOnceTheServerIsBackAndDropsWhatIsSaidMeanwhile(t *testing.T) {
	server := natstest.Start(t)
	one, two := start(t, server.URL, key), start(t, server.URL, key)
	one.heardBy(t, two)
	server.Kill()
	one.logged(t, "is away")
	two.logged(t, "is away")
	one.says(0, "m", "lost")
	if err := server.Again(); err != nil {
		t.Fatal(err)
	}
	one.logged(t, "carries")
	two.logged(t, "carries")
	one.heardBy(t, two)
	one.says(4, "m", "without its beginning")
	one.says(0, "n", "new")
	if diff := cmp.Diff([]string{"n 0 new true"}, two.has(t, "n 0")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if one.count(cluster.Dropped) == 0 {
		t.Error("nothing was dropped")
	}
}

func TestAServerThatIsAwayAtTheStartIsSaidOnceAndFoundLater(t *testing.T) {
	server := natstest.Start(t)
	server.Kill()
	one, two := start(t, server.URL, key), start(t, server.URL, key)
	one.logged(t, "is away")
	two.logged(t, "is away")
	if err := server.Again(); err != nil {
		t.Fatal(err)
	}
	if said := <-one.logs; !strings.Contains(said, "carries") {
		t.Errorf("it says %q", said)
	}
	one.heardBy(t, two)
}

func TestAWrongPasswordStopsNothingAndIsTriedAgain(t *testing.T) {
	server := natstest.Start(t)
	one := start(t, strings.Replace(server.URL, ":pass", ":wrong", 1), key)
	one.logged(t, "is away")
	one.Committed(1)
	if err := one.stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNothingWaitsForAServerThatHangs(t *testing.T) {
	server := natstest.Start(t)
	one, two := start(t, server.URL, key), start(t, server.URL, key)
	one.heardBy(t, two)
	server.Hang(t)
	text := strings.Repeat("x", 8<<10)
	for i := 0; one.count(cluster.Dropped) == 0; i++ {
		one.says(i*len(text), "m", text)
	}
	if err := one.stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
