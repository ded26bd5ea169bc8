//go:build postgres

package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/store/postgres"
)

// short is a lease for tests.
const short = 2 * time.Second

// engine opens a database for a node, without a store.
func engine(t *testing.T, o postgres.Options) *postgres.DB {
	t.Helper()
	o.Lease, o.Alone = short, true
	db := must[*postgres.DB](t)(postgres.Open(t.Context(), o))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func take(t *testing.T, db *postgres.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := db.Take(ctx); err != nil {
		t.Fatal(err)
	}
}

// keeping renews a lease until the test ends or stop is called.
func keeping(t *testing.T, db *postgres.DB) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- db.Keep(ctx) }()
	running := true
	stop = func() {
		cancel()
		if running {
			running = false
			if err := <-ended; err != nil && !errors.Is(err, postgres.ErrLost) {
				t.Error(err)
			}
		}
	}
	t.Cleanup(stop)
	return stop
}

// writes makes an empty transaction.
func writes(t *testing.T, db *postgres.DB) error {
	t.Helper()
	if _, err := db.Begin(); err != nil {
		return err
	}
	_, err := db.Commit(t.Context(), "[]", false)
	return err
}

func TestANodeStandsByUntilTheOneThatWorksLeaves(t *testing.T) {
	url := server.Database(t)
	one := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, one)
	stop := keeping(t, one)
	told := make(chan string, 10)
	two := engine(t, postgres.Options{URL: url, Node: "two", Waits: func(active string, err error) {
		if err != nil {
			t.Error(err)
		}
		told <- active
	}})
	taken := make(chan error, 1)
	go func() { taken <- two.Take(t.Context()) }()
	if active := <-told; active != "one" {
		t.Errorf("it stands by for %q", active)
	}
	for range 3 { // leases long
		select {
		case <-taken:
			t.Fatal("it works beside the other one")
		case <-time.After(short):
		}
		if err := errors.Join(writes(t, one), one.Held()); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writes(t, two), two.Held()); err != nil {
		t.Error(err)
	}
	if err := writes(t, one); !errors.Is(err, postgres.ErrLost) {
		t.Errorf("the one that has left is told %v", err)
	}
}

func TestWhatANodeWritesThatWasTakenOverIsRefused(t *testing.T) {
	url := server.Database(t)
	lost := make(chan error, 1)
	one := engine(t, postgres.Options{URL: url, Node: "one", Lost: func(err error) { lost <- err }})
	take(t, one) // and is as if it were stopped: nothing renews the lease
	if err := writes(t, one); err != nil {
		t.Fatal(err)
	}
	two := engine(t, postgres.Options{URL: url, Node: "two"})
	take(t, two)
	if err := one.Held(); !errors.Is(err, postgres.ErrLost) {
		t.Errorf("it may still begin things: %v", err)
	}
	if err := writes(t, one); !errors.Is(err, postgres.ErrLost) {
		t.Errorf("what it writes: %v", err)
	}
	select {
	case err := <-lost:
		if !errors.Is(err, postgres.ErrLost) {
			t.Errorf("it is told %v", err)
		}
	case <-time.After(10 * short):
		t.Error("it is not told")
	}
	if err := writes(t, two); err != nil {
		t.Error(err)
	}
}

func TestATransactionThatIsOpenWhenTheNodeIsTakenOverComesFirstOrNotAtAll(t *testing.T) {
	url := server.Database(t)
	one := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, one)
	if _, err := one.Begin(); err != nil {
		t.Fatal(err)
	}
	two := engine(t, postgres.Options{URL: url, Node: "two"})
	take(t, two) // which waits until the server has cut the transaction off
	if _, err := one.Commit(t.Context(), "[]", false); err == nil {
		t.Error("it commits after the other one has taken over")
	}
	if err := writes(t, two); err != nil {
		t.Error(err)
	}
}

func TestANodeThatIsCutOffLosesItsLeaseBeforeAnotherTakesOver(t *testing.T) {
	url := server.Database(t)
	proxy, through := server.Between(t, url)
	lost := make(chan error, 1)
	one := engine(t, postgres.Options{URL: through, Node: "one", Lost: func(err error) { lost <- err }})
	take(t, one)
	keeping(t, one)
	proxy.Cut()
	two := engine(t, postgres.Options{URL: url, Node: "two"})
	take(t, two)
	select {
	case <-lost:
	default:
		t.Error("the other one works already, and this one was not told")
	}
	proxy.Heal()
	if err := writes(t, one); !errors.Is(err, postgres.ErrLost) {
		t.Errorf("once it is back: %v", err)
	}
}

func TestTwoNodesOfOneNameAreRefusedAndOneThatStartsAgainIsNot(t *testing.T) {
	url := server.Database(t)
	one := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, one)
	stop := keeping(t, one)
	if err := engine(t, postgres.Options{URL: url, Node: "one"}).Take(t.Context()); !errors.Is(err, postgres.ErrNodeName) {
		t.Errorf("a second one: %v", err)
	}
	if err := errors.Join(writes(t, one), one.Held()); err != nil {
		t.Errorf("the first one afterwards: %v", err)
	}
	stop()
	killed := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, killed) // it never leaves
	again := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, again)
	if err := writes(t, again); err != nil {
		t.Error(err)
	}
	if err := writes(t, killed); !errors.Is(err, postgres.ErrLost) {
		t.Errorf("the one from before: %v", err)
	}
}

func TestWhoStandsByGoesOnWhenTheServerWasAway(t *testing.T) {
	server := postgresAlone(t)
	url := server.Database(t)
	one := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, one)
	told := make(chan error, 10)
	two := engine(t, postgres.Options{URL: url, Node: "two", Waits: func(_ string, err error) { told <- err }})
	taken := make(chan error, 1)
	go func() { taken <- two.Take(t.Context()) }()
	if err := <-told; err != nil {
		t.Fatal(err)
	}
	server.Restart(t)
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if err := writes(t, two); err != nil {
		t.Error(err)
	}
}

func TestReadersTakeNeitherTheWritersConnectionNorTheLeases(t *testing.T) {
	one := engine(t, postgres.Options{URL: server.Database(t), Node: "one"})
	take(t, one)
	keeping(t, one)
	var readers sync.WaitGroup
	for range 20 { // more than there are connections, and longer than a lease
		readers.Go(func() {
			var slept string
			if err := one.ReadRow(t.Context(), "SELECT CAST(pg_sleep(1.5) AS text)").Scan(&slept); err != nil {
				t.Error(err)
			}
		})
	}
	if err := writes(t, one); err != nil {
		t.Error(err)
	}
	readers.Wait()
	if err := errors.Join(one.Held(), writes(t, one)); err != nil {
		t.Error(err)
	}
}

func TestNodesThatAreGoneForADayAreForgotten(t *testing.T) {
	url := server.Database(t)
	one := engine(t, postgres.Options{URL: url, Node: "one"})
	take(t, one)
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	_, err := db.Exec(`INSERT INTO nodes (name, process, until, turn) VALUES
		('old', gen_random_uuid(), clock_timestamp() - interval '25 hours', 77), ('late', gen_random_uuid(), clock_timestamp() - interval '23 hours', 78)`)
	if err != nil {
		t.Fatal(err)
	}
	take(t, engine(t, postgres.Options{URL: url, Node: "two"}))
	var names string
	if err := db.QueryRow("SELECT string_agg(name, ' ' ORDER BY name) FROM nodes").Scan(&names); err != nil || names != "late one two" {
		t.Errorf("there are %q: %v", names, err)
	}
}
