//go:build postgres

package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
)

// listed waits until a node lists what is wanted, whatever its times are.
func (n node) listed(t *testing.T, want ...session.Node) (got []session.Node) {
	t.Helper()
	times := cmpopts.IgnoreFields(session.Node{}, "Since", "Silent")
	diff := ""
	for range 1000 {
		got = must[[]session.Node](t)(n.store.Nodes(t.Context()))
		if diff = cmp.Diff(want, got, times); diff == "" {
			return got
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatalf("(-want +got):\n%s", diff)
	return nil
}

func TestTheNodesAreListedWithWhatTheyDoOldestFirst(t *testing.T) {
	url := server.Database(t)
	opened := func(name, version string) node {
		return open(t, postgres.Options{URL: url, Node: name, Version: version}, filepath.Join(t.TempDir(), name))
	}
	one, two := opened("one", "v2"), opened("two", "v2")
	raw := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = raw.Close() }()
	run := func(statement string, args ...any) {
		t.Helper()
		if _, err := raw.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func(name string, since string) {
		run("INSERT INTO nodes (name, process, until) VALUES ($1, gen_random_uuid(), clock_timestamp() + $2::interval)", name, since)
	}
	waiting("aside", "1 hour")
	waiting("killed", "-1 minute")
	waiting("forgotten", "-25 hours")
	for range 2 {
		id := two.session(t)
		if _, err := two.Log.Work(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := two.Log.Append(t.Context(), id, session.UserMessage{Text: "hi", By: "ada"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := one.Log.Work(t.Context(), one.session(t)); err != nil { // in which nothing goes on
		t.Fatal(err)
	}
	works := func(name string, sessions int) session.Node {
		return session.Node{Name: name, State: session.NodeWorks, Version: "v2", Sessions: sessions}
	}
	here := func(n session.Node) session.Node { n.Here = true; return n }
	rest := []session.Node{{Name: "killed", State: session.NodeGone}, {Name: "aside", State: session.NodeStandsBy}}
	if got := one.listed(t, here(works("one", 0)), works("two", 2), rest[1], rest[0]); got[3].Silent < 60 || got[0].Silent > 30 || time.Since(got[0].Since).Abs() > time.Minute {
		t.Errorf("the times are %+v", got)
	}
	two.listed(t, works("one", 0), here(works("two", 2)), rest[1], rest[0])

	two.stop()
	one.listed(t, here(works("one", 0)), rest[1], rest[0])
}

func TestANodeSaysHowFarItIs(t *testing.T) {
	all, url := nodes(t, "one", "two")
	raw := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = raw.Close() }()
	works := func(behind int64) []session.Node {
		return []session.Node{{Name: "one", State: session.NodeWorks, Here: true}, {Name: "two", State: session.NodeWorks, Behind: behind}}
	}
	all[0].session(t)
	for said := false; !said; { // from then on they have nothing new to say
		if err := raw.QueryRowContext(t.Context(), "SELECT min(seen) = (SELECT position FROM head) FROM nodes").Scan(&said); err != nil {
			t.Fatal(err)
		}
		<-time.After(20 * time.Millisecond)
	}
	if _, err := raw.ExecContext(t.Context(), "UPDATE nodes SET seen = seen - 1000 WHERE name = 'two'"); err != nil {
		t.Fatal(err)
	}
	all[0].listed(t, works(1000)...)
	all[0].session(t) // of which the other one hears
	all[0].listed(t, works(0)...)
}

func TestAPingIsNotWaitedForLongerThanIsWanted(t *testing.T) {
	all, url := nodes(t, "one")
	holding(t, url)
	ctx, enough := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() { answered <- all[0].store.Ping(ctx) }()
	waitsForHead(t, url)
	enough()
	if err := within(t, answered); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}
