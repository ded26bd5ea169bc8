package sessiontest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/session"
)

func joined(t *testing.T, f Fixture) {
	of := func(subject, name string) session.Session {
		s := session.Session{AgentID: "external", Kind: session.KindExternal, Title: "build", CreatedBy: subject}
		if name != "" {
			s.Run = &session.Run{Name: name, WorkingDirectory: "/repo"}
		}
		return s
	}
	join := func(s session.Session) string {
		t.Helper()
		got, err := f.Log.Join(t.Context(), s)
		if err != nil || got.Title != "build" || got.Ended != "" {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.ID
	}
	ids := make(chan string, 20)
	var joining sync.WaitGroup
	for range cap(ids) {
		joining.Go(func() {
			got, err := f.Log.Join(t.Context(), of("ci", "one"))
			if err != nil {
				t.Error(err)
			}
			ids <- got.ID
		})
	}
	joining.Wait()
	first := <-ids
	for range cap(ids) - 1 {
		if id := <-ids; id != first {
			t.Errorf("two that join at once are in %s and %s", first, id)
		}
	}
	different := map[string]bool{first: true}
	for _, s := range []session.Session{of("ci", "two"), of("ci", ""), of("ada", "one"), of("ada", "")} {
		different[join(s)] = true
	}
	if len(different) != 5 {
		t.Errorf("five runs have %d sessions", len(different))
	}
	head, err := f.Log.Head(t.Context(), first)
	if err != nil || head.Run == nil || *head.Run != (session.Run{Name: "one", WorkingDirectory: "/repo"}) {
		t.Errorf("the run is %+v, %v", head.Run, err)
	}
	f.add(t, first, session.Ended{Outcome: session.Completed})
	if again := join(of("ci", "one")); again == first {
		t.Error("an ended run goes on")
	}
	f.create(t, session.Session{AgentID: "demo", CreatedBy: "ci"}) // joins nothing and is joined by nothing
}

func idle(t *testing.T, f Fixture) {
	s, err := f.Log.Join(t.Context(), session.Session{AgentID: "external", Kind: session.KindExternal, CreatedBy: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	f.create(t, session.Session{AgentID: "demo"})
	for _, c := range []struct {
		since time.Time
		want  []string
	}{{time.Now().Add(-time.Hour), nil}, {time.Now().Add(time.Hour), []string{s.ID}}} {
		if got, err := f.Log.Idle(t.Context(), c.since); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("idle since %s are %q, %v", c.since, got, err)
		}
	}
	f.add(t, s.ID, session.Ended{Outcome: session.Completed})
	if got, err := f.Log.Idle(t.Context(), time.Now().Add(time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("after its end: %q, %v", got, err)
	}
}
