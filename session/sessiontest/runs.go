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
		s := session.Session{AgentID: "external", Kind: session.KindExternal, Title: "build", CreatedBy: subject, Asker: subject}
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
	f.create(t, session.Session{AgentID: "demo", CreatedBy: "ci", Asker: "ci"}) // no run: Join must not find it
}

func idle(t *testing.T, f Fixture) {
	s, err := f.Log.Join(t.Context(), session.Session{AgentID: "external", Kind: session.KindExternal, Asker: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	f.create(t, session.Session{AgentID: "demo"})
	for _, c := range []struct {
		since  time.Time
		spared bool
		want   []string
	}{{time.Now().Add(-time.Hour), false, nil}, {time.Now().Add(time.Hour), true, nil}, {time.Now().Add(time.Hour), false, []string{s.ID}}, {time.Now().Add(time.Hour), false, nil}} {
		got, err := f.Log.EndIdle(t.Context(), c.since, func(string) bool { return c.spared })
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("idle since %s (spared: %t) are %q, %v", c.since, c.spared, got, err)
		}
	}
	if head, err := f.Log.Head(t.Context(), s.ID); err != nil || head.Ended != session.Completed {
		t.Errorf("it has ended as %q, %v", head.Ended, err)
	}
}
