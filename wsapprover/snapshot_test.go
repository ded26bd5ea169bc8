package wsapprover_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// counted is a log whose lists are counted.
type counted struct {
	session.Log
	lists atomic.Int64
}

func (c *counted) List(ctx context.Context, q session.Query) ([]session.Session, error) {
	c.lists.Add(1)
	return c.Log.List(ctx, q)
}

// titles are the sessions of all pages of a tab's snapshot.
func (c *client) titles() []string {
	c.t.Helper()
	var all []string
	for {
		var page struct {
			Sessions []session.Session `json:"sessions"`
			More     bool              `json:"more"`
		}
		if err := json.Unmarshal(c.until("snapshot").Data, &page); err != nil {
			c.t.Fatal(err)
		}
		for _, s := range page.Sessions {
			all = append(all, s.Title)
		}
		if !page.More {
			return all
		}
	}
}

func TestTwoNarrowTokensAreEachShownTheirOwnAgentsAlone(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	for _, agent := range []string{"one", "two"} {
		if _, err := g.log.Create(t.Context(), session.Session{AgentID: agent, Title: "of " + agent}); err != nil {
			t.Fatal(err)
		}
	}
	narrow := func(agents ...string) auth.Identity {
		who := ada()
		who.Agents = agents
		return who
	}
	for _, c := range []struct {
		who  auth.Identity
		want []string
	}{
		{narrow("one"), []string{"of one"}},
		{narrow("two"), []string{"of two"}}, // the first one's has been read
		{narrow("two", "one"), []string{"of two", "of one"}},
		{narrow("one"), []string{"of one"}},
		{narrow("onetwo"), nil},
		{ada(), []string{"of two", "of one"}},
	} {
		if got := g.connect(t, c.who).titles(); !slices.Equal(got, c.want) {
			t.Errorf("for the agents %v there are %q, want %q", c.who.Agents, got, c.want)
		}
	}
	// And of what happens afterwards.
	one, two := g.connect(t, narrow("one")), g.connect(t, narrow("two"))
	one.titles()
	two.titles()
	for _, agent := range []string{"two", "one"} {
		if _, err := g.log.Create(t.Context(), session.Session{AgentID: agent, Title: "new of " + agent}); err != nil {
			t.Fatal(err)
		}
	}
	if f := one.until("sessionEvent"); !strings.Contains(string(f.Data), "new of one") {
		t.Errorf("the token for one is sent %s", f.Data)
	}
	if f := two.until("sessionEvent"); !strings.Contains(string(f.Data), "new of two") {
		t.Errorf("the token for two is sent %s", f.Data)
	}
}

func TestASnapshotIsReadOnceUntilSomethingHappens(t *testing.T) {
	t.Parallel()
	log := &counted{}
	g := start(t, setup{read: func(l session.Log) session.Log {
		log.Log = l
		return log
	}})
	for range 5 {
		g.tab(t)
	}
	if n := log.lists.Load(); n != 1 {
		t.Errorf("five tabs had it read %d times", n)
	}
	last := g.tab(t)
	made := g.session(t)
	last.until("sessionEvent")
	if titles := g.connect(t, ada()).until("snapshot"); !strings.Contains(string(titles.Data), made) {
		t.Errorf("the snapshot lacks what happened before the tab came: %s", titles.Data)
	}
}

func TestASnapshotHasWhatIsAtWorkAndTheNewestSessionsInPages(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	add := func(title string, bodies ...session.Body) {
		t.Helper()
		s, err := g.log.Create(t.Context(), session.Session{AgentID: "demo", Title: title})
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range bodies {
			if _, err := g.log.Append(t.Context(), s.ID, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{}
	add("old and quiet")
	for i := range 300 {
		title := fmt.Sprintf("at work %d", i)
		add(title, session.TurnStarted{TurnID: "t"})
		want = append(want, title)
	}
	for i := range 50 {
		title := fmt.Sprintf("new %d", i)
		add(title)
		want = append(want, title)
	}
	slices.Reverse(want)
	if got := g.connect(t, ada()).titles(); !slices.Equal(got, want) {
		t.Errorf("it has %d sessions, from %q to %q; want %d", len(got), got[0], got[len(got)-1], len(want))
	}
}

// leaves closes a tab, and waits until the hub has none.
func (g *gateway) leaves(c *client) {
	_ = c.ws.Close()
	for open, _ := g.hub.Tabs(); open > 0; open, _ = g.hub.Tabs() {
		runtime.Gosched()
	}
}

func TestWhatHappensWhileThereIsNoTabReachesTheNextOne(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	for i := range 20 {
		g.leaves(g.tab(t))
		id := g.session(t)
		tab := g.connect(t, ada())
		if !tab.learnsOf(id) {
			t.Fatalf("%d: the tab does not learn of the session", i)
		}
		g.leaves(tab)
	}
}

// learnsOf reports whether a session is told of, in the snapshot or after it.
func (c *client) learnsOf(id string) bool {
	for {
		f, err := c.read()
		if err != nil {
			return false
		}
		if f.Event == "snapshot" || f.Event == "sessionEvent" {
			if strings.Contains(string(f.Data), id) {
				return true
			}
		}
	}
}

// Where a piece was lost, tabs are shown the beginning at most, and are not sent what they can't join to it.
func TestOfAMessageWithAMissingPieceNothingIsShownAfterIt(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	id := g.session(t)
	follower := g.tab(t)
	follower.send("subscribe", "s", map[string]any{"session": id})
	follower.reply("s")
	says := func(messageID string, offset int, text string) {
		session.Deltas.Publish(g.bus, session.Delta{SessionID: id, MessageID: messageID, Offset: offset, Text: text})
	}
	says("m", 0, "👋 ")
	says("m", 3, "hi")
	for _, want := range []string{"👋 ", "hi"} {
		if d := as[session.Delta](t, follower.until("delta")); d.Text != want {
			t.Errorf("it is told %+v, not %q", d, want)
		}
	}
	noneBefore := func(c *client, event string) {
		t.Helper()
		for f := c.next(); f.Event != event; f = c.next() {
			if f.Event == "delta" {
				t.Errorf("it is told %s", f.Data)
			}
		}
	}
	for _, messageID := range []string{"m", "begun before"} {
		says(messageID, 9, "after a hole")
		says(messageID, 21, " and more")
	}
	session.Progresses.Publish(g.bus, session.Progress{SessionID: id, CallID: "c", Done: 1})
	noneBefore(follower, "progress")
	late := g.tab(t)
	late.send("subscribe", "s", map[string]any{"session": id})
	noneBefore(late, "ack")
	says("n", 0, "whole")
	for _, tab := range []*client{follower, late} {
		if d := as[session.Delta](t, tab.until("delta")); d.Text != "whole" {
			t.Errorf("it is told %+v", d)
		}
	}
}

func TestWhatWasBeingSaidWhileThereWasNoTabIsSaidToTheNextOne(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	id := g.session(t)
	g.leaves(g.tab(t))
	session.Deltas.Publish(g.bus, session.Delta{SessionID: id, MessageID: "m", Text: "half of it"})
	tab := g.tab(t)
	tab.send("subscribe", "s", map[string]any{"session": id})
	if d := as[session.Delta](t, tab.until("delta")); d.Text != "half of it" {
		t.Errorf("it is told %+v", d)
	}
}
