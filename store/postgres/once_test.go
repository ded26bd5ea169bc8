//go:build postgres

package postgres_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
)

func TestASecretThatWorksOnceDoesSoOnEveryNodeInAll(t *testing.T) {
	all, url := nodes(t, "one", "two")
	ticketsOf := func(n node, life time.Duration) *auth.OneTime {
		return auth.NewOneTimeIn(auth.TicketSecret, life, n.store.OneTime())
	}
	one, two := ticketsOf(all[0], time.Minute), ticketsOf(all[1], time.Minute)
	who := auth.Identity{Subject: "ada", Roles: viewers, Agents: []string{"demo"}, Credential: "c", Root: "r", Invited: "first 0"}
	for range 5 {
		ticket := must[string](t)(one.Issue(t.Context(), who))
		if diff := cmp.Diff(who, must[auth.Identity](t)(two.Look(t.Context(), ticket))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		var taken atomic.Int64
		var both sync.WaitGroup
		for i := range 10 {
			both.Go(func() {
				got, err := []*auth.OneTime{one, two}[i%2].Redeem(t.Context(), ticket)
				if err == nil && got.Credential == "c" {
					taken.Add(1)
				} else if !errors.Is(err, auth.ErrUnknown) {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if n := taken.Load(); n != 1 {
			t.Errorf("it was taken %d times", n)
		}
	}
	late := must[string](t)(ticketsOf(all[0], 0).Issue(t.Context(), who))
	if _, err := two.Redeem(t.Context(), late); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("one whose time is over: %v", err)
	}
	other := auth.NewOneTimeIn(auth.LinkSecret, time.Minute, all[1].store.OneTime())
	link := must[string](t)(other.Issue(t.Context(), who))
	if _, err := two.Redeem(t.Context(), string(auth.TicketSecret)+link[len(auth.LinkSecret):]); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("a link as a ticket: %v", err)
	}
	if n := rowsIn(t, url, "one_time"); n != 1 {
		t.Errorf("%d are kept, and one is good", n)
	}
}

// rowsIn counts the rows of a table.
func rowsIn(t *testing.T, url, table string) (n int) {
	t.Helper()
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestANodeThatMayNotWorkOrReachesNoDatabaseTakesNoTicket(t *testing.T) {
	url := server.Database(t)
	proxy, through := server.Between(t, url)
	one := open(t, postgres.Options{URL: through, Direct: url, Node: "one"}, filepath.Join(t.TempDir(), "one"))
	two := open(t, postgres.Options{URL: url, Node: "two", Lease: short}, filepath.Join(t.TempDir(), "two"))
	tickets := func(n node) *auth.OneTime {
		return auth.NewOneTimeIn(auth.TicketSecret, time.Minute, n.store.OneTime())
	}
	ticket := must[string](t)(tickets(one).Issue(t.Context(), root))
	raw := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = raw.Close() }()
	if _, err := raw.Exec("DELETE FROM nodes WHERE name = 'two'"); err != nil {
		t.Fatal(err)
	}
	for two.store.Held() == nil { // until it looks
		runtime.Gosched()
	}
	_, redeemed := tickets(two).Redeem(t.Context(), ticket)
	_, issued := tickets(two).Issue(t.Context(), root)
	_, _, asked := two.store.Terminals().Ask(t.Context(), "laptop", "127.0.0.1", time.Minute)
	for what, err := range map[string]error{"redeem": redeemed, "issue": issued, "ask": asked} {
		if !errors.Is(err, postgres.ErrLost) {
			t.Errorf("%s: %v", what, err)
		}
	}
	proxy.Lose("DELETE FROM one_time", false)
	if _, err := tickets(one).Redeem(t.Context(), ticket); !errors.Is(err, session.ErrUnwritten) {
		t.Errorf("without a database: %v", err)
	}
	if got, err := tickets(one).Redeem(t.Context(), ticket); err != nil || got.Subject != "root" {
		t.Errorf("on the other one: %+v, %v", got, err)
	}
}

func TestALinkThatANodePrintedEndsWhenTheNodeStartsAgain(t *testing.T) {
	all, url := nodes(t, "one", "two")
	link := must[string](t)(auth.NewOneTimeIn(auth.LinkSecret, time.Hour, all[1].store.OneTime()).Issue(t.Context(), root))
	all[1].stop()
	links := auth.NewOneTimeIn(auth.LinkSecret, time.Hour, all[0].store.OneTime())
	if _, err := links.Look(t.Context(), link); err != nil {
		t.Errorf("while it is gone: %v", err)
	}
	open(t, postgres.Options{URL: url, Node: "two"}, filepath.Join(t.TempDir(), "two"))
	if _, err := links.Look(t.Context(), link); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("then: %v", err)
	}
}

func TestATerminalAsksOnOneNodeIsAllowedOnAnotherAndCollectsOnAThird(t *testing.T) {
	all, url := nodes(t, "one", "two", "three")
	one, two, three := all[0].store.Terminals(), all[1].store.Terminals(), all[2].store.Terminals()
	ask := func(name, address string, life time.Duration) (auth.Device, string) {
		t.Helper()
		asked, code, err := one.Ask(t.Context(), name, address, life)
		if err != nil {
			t.Fatal(err)
		}
		return asked, code
	}
	collects := func(when, code string, want error) {
		t.Helper()
		if _, err := three.Collect(t.Context(), code); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	keys := []*auth.Keyring{keyring(t, all[0], false), keyring(t, all[1], false), keyring(t, all[2], false)}
	login, _, _, err := keys[1].NewLogin(t.Context(), root, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	who := login.Identity()
	asked, code := ask("laptop", "127.0.0.1", time.Minute)
	collects("before the press", code, auth.ErrWaiting)
	collects("by the user code", asked.UserCode, auth.ErrUnknown)
	if diff := cmp.Diff(asked, must[auth.Device](t)(two.Get(t.Context(), asked.UserCode))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := two.Answer(t.Context(), asked.UserCode, &who, time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := one.Answer(t.Context(), asked.UserCode, nil, 0); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("a second answer: %v", err)
	}
	allowed, err := three.Collect(t.Context(), code)
	if err != nil || allowed.Name != "laptop" || allowed.Life != time.Hour {
		t.Errorf("collected: %+v, %v", allowed, err)
	}
	if _, _, err := keys[2].NewTerminal(t.Context(), allowed.Who, allowed.Name, allowed.Life); err != nil {
		t.Errorf("the login: %v", err)
	}
	collects("a second time", code, auth.ErrUnknown)

	refused, code := ask("other", "127.0.0.1", time.Minute)
	if err := two.Answer(t.Context(), refused.UserCode, nil, time.Hour); err != nil {
		t.Fatal(err)
	}
	collects("refused", code, auth.ErrRefused)
	_, code = ask("late", "127.0.0.1", 0)
	collects("too late", code, auth.ErrUnknown)

	mine, code := ask("mine", "127.0.0.1", time.Minute)
	raw := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = raw.Close() }()
	_, err = raw.Exec(`INSERT INTO device_logins (code, user_code, name, address, asked, until)
		SELECT 'code ' || i, 'user ' || i, 'flood', '192.0.2.' || i % 100, clock_timestamp(), clock_timestamp() + interval '1 hour' FROM generate_series(1, 999) AS i`)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		ask("flood", "192.0.2.1", time.Minute)
	}
	if n := rowsIn(t, url, "device_logins"); n != auth.MaxDevices {
		t.Errorf("%d wait", n)
	}
	collects("among the crowds of others", code, auth.ErrWaiting)
	if _, err := two.Get(t.Context(), mine.UserCode); err != nil {
		t.Errorf("among the crowds of others: %v", err)
	}
}
