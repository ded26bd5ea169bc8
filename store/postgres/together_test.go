//go:build postgres

package postgres_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
)

// dying is a node that cut takes from the cluster, as if its machine had lost the network.
func dying(t *testing.T, url, name string) (n node, cut func()) {
	t.Helper()
	proxy, through := server.Between(t, url)
	n = open(t, postgres.Options{URL: through, Node: name, Lease: short}, filepath.Join(t.TempDir(), name))
	t.Cleanup(proxy.Heal)
	return n, proxy.Cut
}

func (n node) says(t *testing.T, sessionID, text string) {
	t.Helper()
	if _, err := n.Log.Append(t.Context(), sessionID, session.UserMessage{Text: text, By: "ada"}); err != nil {
		t.Fatal(err)
	}
}

func (n node) works(t *testing.T, sessionID string) {
	t.Helper()
	if _, err := n.Log.Work(t.Context(), sessionID); err != nil {
		t.Fatalf("%s works in %s: %v", n.name, sessionID, err)
	}
}

// within waits for what a node is told.
func within[T any](t *testing.T, told <-chan T) T {
	t.Helper()
	select {
	case v := <-told:
		return v
	case <-time.After(30 * time.Second):
		t.Fatal("it was not told")
		panic("unreachable")
	}
}

func TestOneNodeWorksInASessionUntilItIsGoneAndThenAnother(t *testing.T) {
	url := server.Database(t)
	one, cut := dying(t, url, "one")
	two := open(t, postgres.Options{URL: url, Node: "two", Lease: short}, filepath.Join(t.TempDir(), "two"))
	id, other := one.session(t), one.session(t)
	one.says(t, id, "hi")
	one.works(t, id)
	two.says(t, other, "hi")
	two.works(t, other)
	if _, err := two.Log.Work(t.Context(), id); !errors.Is(err, session.ErrElsewhere) {
		t.Errorf("a second one: %v", err)
	}
	if left, _, err := two.Log.Left(t.Context(), []string{"demo"}); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	for len(two.nodes) > 0 {
		<-two.nodes
	}
	cut()
	within(t, two.nodes)
	if left, _, err := two.Log.Left(t.Context(), []string{"another"}); err != nil || len(left) != 0 {
		t.Errorf("of an agent that it has not: %v, %v", left, err)
	}
	left, more, err := two.Log.Left(t.Context(), []string{"demo"})
	if err != nil || more || len(left) != 1 || left[0].ID != id {
		t.Errorf("left are %v, %v, %v", left, more, err)
	}
	two.works(t, id)
	if left, _, err := two.Log.Left(t.Context(), []string{"demo"}); err != nil || len(left) != 0 {
		t.Errorf("once it works there: %v, %v", left, err)
	}
}

func TestNodesShareWhatIsLeftAndASessionBelowGoesWithTheOneAbove(t *testing.T) {
	url := server.Database(t)
	gone := open(t, postgres.Options{URL: url, Node: "gone"}, filepath.Join(t.TempDir(), "gone"))
	var ids []string
	for range 30 {
		id := gone.session(t)
		gone.says(t, id, "hi")
		gone.works(t, id)
		ids = append(ids, id)
	}
	below := must[session.Session](t)(gone.Log.Create(t.Context(), session.Session{AgentID: "demo", ParentID: ids[0]}))
	gone.says(t, below.ID, "help")
	gone.stop()
	one := open(t, postgres.Options{URL: url, Node: "one"}, filepath.Join(t.TempDir(), "one"))
	two := open(t, postgres.Options{URL: url, Node: "two"}, filepath.Join(t.TempDir(), "two"))
	var taken []string
	for i, n := range []node{one, two} {
		left, more, err := n.Log.Left(t.Context(), []string{"demo"})
		if err != nil || more != (i == 0) {
			t.Fatal(more, err)
		}
		for _, s := range left {
			taken = append(taken, s.ID)
		}
	}
	if !slices.Equal(taken, ids) {
		t.Errorf("taken over are %v, want %v", taken, ids)
	}
}

func TestTheNodeThatWorksInASessionIsToldWhatOthersWriteThere(t *testing.T) {
	all, _ := nodes(t, "one", "two", "three")
	one, two := all[0], all[1]
	id := one.session(t)
	one.says(t, id, "hi")
	one.works(t, id)
	two.says(t, id, "and this")
	if got := within(t, one.called); got != id {
		t.Errorf("it is called to %s", got)
	}
	if stop, err := one.Log.Work(t.Context(), id); err != nil || stop != (session.Stop{}) {
		t.Errorf("it finds %v, %v", stop, err)
	}
	want := session.Stop{By: "ada", Via: "rest"}
	if err := two.Log.Stop(t.Context(), id, want); err != nil {
		t.Fatal(err)
	}
	within(t, one.called)
	if stop, err := one.Log.Work(t.Context(), id); err != nil || stop != want {
		t.Errorf("it finds %v, %v", stop, err)
	}
	events := must[[]session.Event](t)(one.Log.Events(t.Context(), id, 0, 0))
	if _, err := one.Log.Append(t.Context(), id, session.TurnFinished{Outcome: session.Cancelled, Heard: events[len(events)-1].Seq}); err != nil {
		t.Fatal(err)
	}
	if stop, err := one.Log.Work(t.Context(), id); err != nil || stop != (session.Stop{}) {
		t.Errorf("once its turn has ended: %v, %v", stop, err)
	}
	if err := two.Log.Stop(t.Context(), id, want); err != nil {
		t.Fatal(err)
	}
	if stop, err := one.Log.Work(t.Context(), id); err != nil || stop != (session.Stop{}) {
		t.Errorf("at rest there is nothing to stop: %v, %v", stop, err)
	}
	if len(two.called)+len(all[2].called) > 0 {
		t.Error("another node was called")
	}
}

func TestACallThatOneNodeRunsIsNoOtherNodesUntilThatOneIsGone(t *testing.T) {
	url := server.Database(t)
	one, cut := dying(t, url, "one")
	two := open(t, postgres.Options{URL: url, Node: "two", Lease: short}, filepath.Join(t.TempDir(), "two"))
	id := one.session(t)
	a := one.ask(t, id, "call")
	if _, err := two.Store.Settle(t.Context(), answer(a.ApprovalID, approval.Approved, "ada"), nil); err != nil {
		t.Fatal(err)
	}
	holds := func() bool { return true }
	if _, err := one.Store.Claim(t.Context(), a.ApprovalID, 0, holds); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Store.Claim(t.Context(), a.ApprovalID, 0, holds); !errors.Is(err, approval.ErrElsewhere) {
		t.Errorf("while it runs: %v", err)
	}
	for len(two.nodes) > 0 {
		<-two.nodes
	}
	cut()
	within(t, two.nodes)
	if _, err := two.Store.Claim(t.Context(), a.ApprovalID, 0, holds); !errors.Is(err, approval.ErrClaimed) {
		t.Errorf("once that node is gone: %v", err)
	}
}

func TestAnAskerIsGoneForTheNodeAtWhichItWasLast(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := all[0], all[1]
	id := one.session(t)
	waits := func(r *approval.Request) { r.Origin.Kind, r.Origin.Waits = approval.OriginProgram, true }
	gone := approval.Response{Status: approval.Cancelled, Reason: approval.AskerGone, By: approval.BySystem()}
	for name, comes := range map[string]func(a approval.Approval) error{
		"it asks there again": func(a approval.Approval) error {
			_, err := two.Store.Create(t.Context(), approval.New(a.Request))
			return err
		},
		"it waits there": func(a approval.Approval) error { return two.Store.Adopt(t.Context(), a.ApprovalID) },
	} {
		t.Run(name, func(t *testing.T) {
			a := one.ask(t, id, name, waits)
			if err := comes(a); err != nil {
				t.Fatal(err)
			}
			gone.ApprovalID = a.ApprovalID
			if _, err := one.Store.Settle(t.Context(), gone, nil); !errors.Is(err, approval.ErrElsewhere) {
				t.Errorf("for the first one: %v", err)
			}
			for _, n := range []node{one, two} { // it goes there and back
				if err := n.Store.Adopt(t.Context(), a.ApprovalID); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := one.Store.Settle(t.Context(), gone, nil); !errors.Is(err, approval.ErrElsewhere) {
				t.Errorf("for the first one, at which it was in between: %v", err)
			}
			if got, err := two.Store.Settle(t.Context(), gone, nil); err != nil || got.Status != approval.Cancelled {
				t.Errorf("for the second one: %s, %v", got.Status, err)
			}
		})
	}
}

func TestNothingIsClaimedByWhatWasJudgedBeforeAnotherNodesChange(t *testing.T) {
	url := server.Database(t)
	one := open(t, postgres.Options{URL: url, Node: "one"}, filepath.Join(t.TempDir(), "one"))
	// It hears nothing of the other one by itself.
	deaf := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: url, Node: "two"}))
	defer func() { _ = deaf.Close() }()
	take(t, deaf)
	id := one.session(t)
	a := one.ask(t, id, "call")
	if _, err := one.Store.Settle(t.Context(), answer(a.ApprovalID, approval.Approved, "ada"), nil); err != nil {
		t.Fatal(err)
	}
	before := holding(t, url)
	claimed := make(chan error, 1)
	go func() {
		_, err := one.Store.Claim(t.Context(), a.ApprovalID, 0, func() bool { return true })
		claimed <- err
	}()
	waitsForHead(t, url)
	if _, err := before.Exec(`UPDATE head SET judged = position`); err != nil {
		t.Fatal(err)
	}
	if _, err := before.Exec(`INSERT INTO commits (position, id, node, news) SELECT position, gen_random_uuid(), 'two', '[{"of":"held","id":"demo"}]' FROM head`); err != nil {
		t.Fatal(err)
	}
	if err := before.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-claimed; !errors.Is(err, approval.ErrOutdated) {
		t.Errorf("by what was judged before: %v", err)
	}
	within(t, one.judged)
	if _, err := one.Store.Claim(t.Context(), a.ApprovalID, 0, func() bool { return true }); err != nil {
		t.Errorf("judged again: %v", err)
	}
}

func TestANodesClockIsTheDatabasesHoweverWrongItsOwnIs(t *testing.T) {
	url := server.Database(t)
	wrong := func() time.Time { return time.Now().Add(5 * time.Minute) }
	n := open(t, postgres.Options{URL: url, Node: "one", Clock: wrong}, filepath.Join(t.TempDir(), "one"))
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	var there time.Time
	if err := db.QueryRow("SELECT clock_timestamp()").Scan(&there); err != nil {
		t.Fatal(err)
	}
	if off := n.store.Now().Sub(there); off.Abs() > time.Minute {
		t.Errorf("it differs by %s", off)
	}
}

func TestANodeStandsByWhileOthersWorkWithAnOlderSchemaAndThenBringsItUpToDate(t *testing.T) {
	url := server.Database(t)
	older := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: url, Node: "older", Lease: short}))
	defer func() { _ = older.Close() }()
	take(t, older)
	stop := keeping(t, older)
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	const newest = "SELECT max(version_id) FROM goose_db_version"
	var known int64
	if err := db.QueryRow(newest).Scan(&known); err != nil {
		t.Fatal(err)
	}
	files := must[[]string](t)(filepath.Glob("migrations/*.sql"))
	migration := string(must[[]byte](t)(os.ReadFile(files[len(files)-1])))
	_, undo, _ := strings.Cut(migration, "-- +goose Down")
	if _, err := db.Exec(undo + "; DELETE FROM goose_db_version WHERE version_id = (" + newest + ")"); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 10)
	newer := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: url, Node: "newer", Lease: short, Waits: func(active string, _ error) { told <- active }}))
	defer func() { _ = newer.Close() }()
	taken := make(chan error, 1)
	go func() { taken <- newer.Take(t.Context()) }()
	if active := within(t, told); active != "older" {
		t.Errorf("it stands by for %q", active)
	}
	if err := writes(t, older); err != nil {
		t.Errorf("what the older one writes: %v", err)
	}
	stop()
	if err := within(t, taken); err != nil {
		t.Fatal(err)
	}
	if err := newer.Upgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	var now int64
	if err := db.QueryRow(newest).Scan(&now); err != nil || now != known {
		t.Errorf("the schema is %d, want %d: %v", now, known, err)
	}
	if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), postgres.Options{URL: url, Node: "older"}); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("one that is too old: %v", err)
	}
}

func TestRecordsOfNodesThatTakeTurnsAreOneChain(t *testing.T) {
	all, url := nodes(t, "one", "two")
	one, two := all[0], all[1]
	records := func(n node) {
		t.Helper()
		if err := n.store.Record(t.Context(), audit.GatewayStarted, "ada", "system", struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	records(one)
	records(two)
	if err := one.store.Ping(t.Context()); err != nil { // a commit without a record
		t.Fatal(err)
	}
	records(one)
	records(one)
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	var chained, written int
	err := db.QueryRow("SELECT count(*), (SELECT count(*) FROM audit) FROM audit a JOIN audit b ON b.seq = a.seq + 1 AND b.prev = a.hash").Scan(&chained, &written)
	if err != nil || chained != written-1 {
		t.Errorf("%d records of %d follow another: %v", chained, written, err)
	}
}
