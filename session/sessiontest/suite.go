// Package sessiontest is the contract that every session.Log passes.
package sessiontest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
)

// Fixture is a fresh log and the bus on which it publishes.
type Fixture struct {
	Log session.Log
	Bus *bus.Bus
}

// Run puts a log through the contract. make returns a fresh fixture and cleans
// up after itself.
func Run(t *testing.T, make func(t *testing.T) Fixture) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Fixture)
	}{
		{"a new session is idle and has one event", created},
		{"events are numbered without gaps, whoever appends at once", numbered},
		{"events are read in pages", paged},
		{"the bus has every event in the journal's order", published},
		{"the status follows from the events", status},
		{"a session counts what its replies have cost", usage},
		{"an ended session takes only what brings it to a close", ended},
		{"sessions are listed newest first", listed},
		{"what is unknown is unknown", unknown},
		{"a session can't be made twice", twice},
		{"a program's run has one session while it lives", joined},
		{"a program's session is idle when nothing happens and nothing waits", idle},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, make(t)) })
	}
}

func (f Fixture) create(t *testing.T, s session.Session) session.Session {
	t.Helper()
	s, err := f.Log.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f Fixture) add(t *testing.T, id string, body session.Body) session.Event {
	t.Helper()
	e, err := f.Log.Append(t.Context(), id, body)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (f Fixture) status(t *testing.T, id string) session.Status {
	t.Helper()
	s, err := f.Log.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s.Status
}

func (f Fixture) events(t *testing.T, id string, after int64) []session.Event {
	t.Helper()
	events, err := f.Log.Events(t.Context(), id, after, 0)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func created(t *testing.T, f Fixture) {
	s := f.create(t, session.Session{AgentID: "demo", Title: "Disk check", CreatedBy: "ada"})
	if s.ID == "" || s.CreatedAt.IsZero() || s.Kind != session.KindAgent || s.Status != session.StatusIdle || s.Seq != 1 {
		t.Errorf("it is %+v", s)
	}
	got, err := f.Log.Get(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, s)
	f.add(t, s.ID, session.UserMessage{Text: "hello"})
	head, err := f.Log.Head(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, head, s.Head())
	f.add(t, s.ID, session.Ended{Outcome: session.Cancelled})
	if head, err = f.Log.Head(t.Context(), s.ID); err != nil || head.Ended != session.Cancelled {
		t.Errorf("after its end: %+v, %v", head, err)
	}
	events := f.events(t, s.ID, 0)
	var body session.Created
	if len(events) == 0 || events[0].Type != session.TypeCreated || events[0].Decode(&body) != nil || body.Session.ID != s.ID {
		t.Errorf("its events are %+v", events)
	}
}

func usage(t *testing.T, f Fixture) {
	s := f.create(t, session.Session{AgentID: "demo", Usage: session.Usage{Input: 99}})
	for _, u := range []session.Usage{{Input: 10, Output: 5, Cost: 0.25}, {}, {Input: 20, Cached: 8, Output: 1, Cost: 0.5}} {
		f.add(t, s.ID, session.AssistantMessage{MessageID: "m", Text: "so", Usage: u})
	}
	f.add(t, s.ID, session.TurnFinished{TurnID: "t", Outcome: session.Failed, Usage: session.Usage{Input: 100, Cost: 0.25}})
	got, err := f.Log.Get(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got.Usage, session.Usage{Input: 130, Cached: 8, Output: 6, Cost: 1})
	var conv session.Conversation
	for _, e := range f.events(t, s.ID, 0) {
		if err := conv.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, conv.Usage, got.Usage)
}

func paged(t *testing.T, f Fixture) {
	id := f.create(t, session.Session{AgentID: "demo"}).ID
	for range 4 {
		f.add(t, id, session.UserMessage{Text: "hello"})
	}
	var pages [][]int64
	for after := int64(0); ; {
		events, err := f.Log.Events(t.Context(), id, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		var page []int64
		for _, e := range events {
			page, after = append(page, e.Seq), e.Seq
		}
		pages = append(pages, page)
	}
	equal(t, pages, [][]int64{{1, 2}, {3, 4}, {5}})
	long := strings.Repeat("x", session.PageBytes*2/5)
	for range 5 {
		f.add(t, id, session.UserMessage{Text: long})
	}
	events, err := f.Log.Events(t.Context(), id, 5, 100)
	if err != nil || len(events) != 3 || events[2].Seq != 8 {
		t.Errorf("of long events a page has %d, %v", len(events), err)
	}
}

func numbered(t *testing.T, f Fixture) {
	const writers, each = 8, 25
	s := f.create(t, session.Session{AgentID: "demo"})
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				if _, err := f.Log.Append(t.Context(), s.ID, session.UserMessage{Text: fmt.Sprint(w, i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	events := f.events(t, s.ID, 0)
	equal(t, len(events), 1+writers*each)
	for i, e := range events {
		if e.Seq != int64(i+1) || e.SessionID != s.ID || e.At.IsZero() {
			t.Fatalf("event %d is %+v", i+1, e)
		}
	}
	equal(t, f.events(t, s.ID, 100), events[100:])
	equal(t, len(f.events(t, s.ID, 10_000)), 0)
}

func published(t *testing.T, f Fixture) {
	sub := f.Bus.Subscribe(1000, session.Events)
	defer sub.Close()
	s := f.create(t, session.Session{AgentID: "demo"})
	var writing sync.WaitGroup
	for range 8 {
		writing.Go(func() {
			for range 10 {
				if _, err := f.Log.Append(t.Context(), s.ID, session.UserMessage{Text: "x"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	for _, want := range f.events(t, s.ID, 0) {
		e, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := session.Events.From(e)
		equal(t, got, want)
	}
}

func status(t *testing.T, f Fixture) {
	s := f.create(t, session.Session{AgentID: "demo"})
	for _, step := range []struct {
		body session.Body
		want session.Status
	}{
		{session.UserMessage{Text: "hello"}, session.StatusActive},
		{session.TurnStarted{TurnID: "1"}, session.StatusActive},
		{session.AssistantMessage{MessageID: "m", Text: "hi"}, session.StatusActive},
		{session.TurnFinished{TurnID: "1", Outcome: session.Completed, Heard: 2}, session.StatusCompleted},
		{session.UserMessage{Text: "more"}, session.StatusActive},
		{session.TurnStarted{TurnID: "2"}, session.StatusActive},
		{session.UserMessage{Text: "still more"}, session.StatusActive},
		{session.TurnFinished{TurnID: "2", Outcome: session.Failed, Message: "no model", Heard: 6}, session.StatusActive}, // one is left
		{session.TurnStarted{TurnID: "3"}, session.StatusActive},
		{session.TurnFinished{TurnID: "3", Outcome: session.Cancelled, Heard: 8}, session.StatusCancelled},
		{session.Ended{Outcome: session.Completed}, session.StatusCompleted},
	} {
		f.add(t, s.ID, step.body)
		if got, err := f.Log.Get(t.Context(), s.ID); err != nil || got.TurnOpen != (step.want == session.StatusActive) {
			t.Errorf("after %s a turn is open: %v, %v", step.body.EventType(), got.TurnOpen, err)
		}
		if got := f.status(t, s.ID); got != step.want {
			t.Errorf("after %s it is %s, want %s", step.body.EventType(), got, step.want)
		}
	}
}

func ended(t *testing.T, f Fixture) {
	s := f.create(t, session.Session{AgentID: "demo"})
	f.add(t, s.ID, session.Ended{Outcome: session.Cancelled, By: "ada"})
	for _, body := range []session.Body{
		session.UserMessage{Text: "late"}, session.TurnStarted{}, session.AssistantMessage{}, session.Ended{},
	} {
		if _, err := f.Log.Append(t.Context(), s.ID, body); !errors.Is(err, session.ErrEnded) {
			t.Errorf("%s: %v", body.EventType(), err)
		}
	}
	f.add(t, s.ID, session.ToolResult{CallID: "c"})
	f.add(t, s.ID, session.TurnFinished{Outcome: session.Cancelled})
	got, err := f.Log.Get(t.Context(), s.ID)
	if err != nil || got.Ended != session.Cancelled || got.Status != session.StatusCancelled || got.Seq != 4 {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func listed(t *testing.T, f Fixture) {
	ctx := t.Context()
	made := map[string]string{}
	for _, name := range []string{"old and at work", "quiet", "another agent's", "has finished", "asks", "newest"} {
		agent := "demo"
		if name == "another agent's" {
			agent = "other"
		}
		made[name] = f.create(t, session.Session{AgentID: agent}).ID
	}
	f.add(t, made["old and at work"], session.TurnStarted{TurnID: "t"})
	f.add(t, made["has finished"], session.TurnStarted{TurnID: "t"})
	f.add(t, made["has finished"], session.TurnFinished{TurnID: "t", Outcome: session.Completed})
	f.add(t, made["asks"], session.UserMessage{Text: "hello"})
	for name, c := range map[string]struct {
		query session.Query
		want  []string
	}{
		"all":            {session.Query{}, []string{"newest", "asks", "has finished", "another agent's", "quiet", "old and at work"}},
		"so many":        {session.Query{Limit: 2}, []string{"newest", "asks"}},
		"older":          {session.Query{Limit: 2, Before: made["asks"]}, []string{"has finished", "another agent's"}},
		"of some agents": {session.Query{Agents: []string{"other", "none"}}, []string{"another agent's"}},
		"at work":        {session.Query{Busy: true}, []string{"asks", "old and at work"}},
		"older at work":  {session.Query{Busy: true, Before: made["asks"]}, []string{"old and at work"}},
	} {
		list, err := f.Log.List(ctx, c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, s := range list {
			got = append(got, s.ID)
		}
		for _, name := range c.want {
			want = append(want, made[name])
		}
		t.Run(name, func(t *testing.T) { equal(t, got, want) })
	}
	if _, err := f.Log.List(ctx, session.Query{Before: "nowhere"}); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("before a session that is not there: %v", err)
	}
	var pages []string
	for s, err := range session.All(ctx, f.Log, session.Query{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, s.ID)
	}
	if len(pages) != len(made) {
		t.Errorf("in pages there are %d of %d sessions", len(pages), len(made))
	}
}

func unknown(t *testing.T, f Fixture) {
	_, getErr := f.Log.Get(t.Context(), "nowhere")
	_, headErr := f.Log.Head(t.Context(), "nowhere")
	_, appendErr := f.Log.Append(t.Context(), "nowhere", session.UserMessage{})
	_, eventsErr := f.Log.Events(t.Context(), "nowhere", 0, 0)
	for _, err := range []error{getErr, headErr, appendErr, eventsErr} {
		if !errors.Is(err, session.ErrUnknown) {
			t.Errorf("got %v", err)
		}
	}
}

func twice(t *testing.T, f Fixture) {
	s := f.create(t, session.Session{AgentID: "demo"})
	if _, err := f.Log.Create(t.Context(), session.Session{ID: s.ID, AgentID: "other"}); err == nil {
		t.Error("it was made again")
	}
	equal(t, len(f.events(t, s.ID, 0)), 1)
}
