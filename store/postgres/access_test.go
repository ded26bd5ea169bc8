//go:build postgres

package postgres_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
)

var (
	root    = auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
	viewers = []auth.Role{auth.Viewer}
)

// keyring opens a node's, which does not hear of other nodes' changes unless told is true.
func keyring(t *testing.T, n node, told bool) *auth.Keyring {
	t.Helper()
	k := must[*auth.Keyring](t)(auth.OpenKeyring(t.Context(), n.store.Credentials(), time.Hour))
	if told {
		n.hears.Store(k)
	}
	return k
}

func newToken(t *testing.T, k *auth.Keyring, name string, roles ...auth.Role) (auth.Credential, string) {
	t.Helper()
	c, secret, err := k.NewToken(t.Context(), root, auth.Access{Name: name, Roles: roles})
	if err != nil {
		t.Fatal(err)
	}
	return c, secret
}

// enter comes in by a token.
func enter(t *testing.T, k *auth.Keyring, secret string) (auth.Identity, context.Context) {
	t.Helper()
	who, access, leave, err := k.Authenticate(t.Context(), secret, auth.KindToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	return who, access
}

// over waits until an access is over.
func over(t *testing.T, access context.Context) {
	t.Helper()
	select {
	case <-access.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the access goes on")
	}
	if err := context.Cause(access); !errors.Is(err, auth.ErrOver) {
		t.Errorf("its end is %v", err)
	}
}

func TestAccessThatEndsOnOneNodeEndsOnTheOthers(t *testing.T) {
	all, _ := nodes(t, "one", "two", "three")
	var keys []*auth.Keyring
	for _, n := range all {
		keys = append(keys, keyring(t, n, true))
	}
	revoked, revokedSecret := newToken(t, keys[0], "revoked", auth.Approver)
	changed, changedSecret := newToken(t, keys[1], "changed", auth.Approver)
	_, otherSecret := newToken(t, keys[2], "other", auth.Viewer)
	var gone, others []context.Context
	for _, k := range keys { // at once, whether or not they have heard of them
		for _, secret := range []string{revokedSecret, changedSecret} {
			_, access := enter(t, k, secret)
			gone = append(gone, access)
		}
		_, access := enter(t, k, otherSecret)
		others = append(others, access)
	}
	if _, err := keys[1].Revoke(t.Context(), root, revoked.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := keys[2].Update(t.Context(), root, changed.ID, auth.Change{Roles: &viewers}); err != nil {
		t.Fatal(err)
	}
	for _, access := range gone {
		over(t, access)
	}
	for i, k := range keys {
		if who, _ := enter(t, k, changedSecret); who.May(auth.Answer) {
			t.Errorf("on node %d: %+v", i, who)
		}
		if others[i].Err() != nil {
			t.Errorf("on node %d another one is out as well", i)
		}
	}
}

func TestWhoHasAccessIsTheSameOnEveryNodeWhoeverChangesIt(t *testing.T) {
	all, _ := nodes(t, "one", "two", "three")
	var keys []*auth.Keyring
	for _, n := range all {
		keys = append(keys, keyring(t, n, true))
	}
	var writers sync.WaitGroup
	const each = 6
	names := []string{"a", "b", "c", "d", "e", "f"}
	made := make([]int, len(keys))
	for i, k := range keys {
		writers.Go(func() {
			for at := range each { // all want the same names
				c, _, err := k.NewToken(t.Context(), root, auth.Access{Name: names[at], Subject: "ada", Roles: viewers})
				if err == nil {
					made[i]++
					_, err = k.Update(t.Context(), root, c.ID, auth.Change{Roles: &[]auth.Role{auth.Approver}})
				}
				if err != nil && !errors.Is(err, auth.ErrInvalid) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	total := 0
	for _, n := range made {
		total += n
	}
	if total != each {
		t.Errorf("%d tokens of %d names were made", total, each)
	}
	want := must[[]auth.Credential](t)(keyring(t, all[0], false).List(root, auth.KindToken))
	if len(want) != each || want[0].Roles[0] != auth.Approver {
		t.Errorf("there are %+v", want)
	}
	for i, k := range keys {
		if err := k.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, must[[]auth.Credential](t)(k.List(root, auth.KindToken))); diff != "" {
			t.Errorf("node %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestALinkIsUsedOnceAlsoOnTwoNodes(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := keyring(t, all[0], false), keyring(t, all[1], false)
	_, link, err := one.Invite(t.Context(), root, auth.Access{Name: "ben", Roles: viewers}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	var errs [2]error
	for i, k := range []*auth.Keyring{one, two} {
		both.Go(func() { _, errs[i] = k.Redeem(t.Context(), link) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[:]...), auth.ErrLinkUsed) {
		t.Errorf("%v", errs)
	}
}

func TestAProofIsGoodOnEveryNode(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := keyring(t, all[0], true), keyring(t, all[1], true)
	if a, b := must[string](t)(all[0].store.Credentials().ProofKey(t.Context(), func() string { return "x" })),
		must[string](t)(all[1].store.Credentials().ProofKey(t.Context(), func() string { return "y" })); a != b || a == "x" {
		t.Fatalf("the keys are %q and %q", a, b)
	}
	page := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := must[[]byte](t)(x509.MarshalPKIXPublicKey(&page.PublicKey))
	login, cookie, proof, err := one.NewLogin(t.Context(), root, auth.Page{Key: base64.RawURLEncoding.EncodeToString(der)})
	if err != nil {
		t.Fatal(err)
	}
	_, _, leave, err := two.Authenticate(t.Context(), cookie, auth.KindLogin)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if !two.Proven(login.ID, proof.Text) {
		t.Error("it is not taken on the other node")
	}
}

func TestWhoIsRevokedOnOneNodeAnswersOnNoneAlsoBeforeItHasHeard(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := keyring(t, all[0], false), keyring(t, all[1], false)
	c, secret := newToken(t, one, "ci", auth.Approver)
	a := all[0].ask(t, all[0].session(t), "call")
	who, access := enter(t, two, secret)
	if _, err := one.Revoke(t.Context(), root, c.ID); err != nil {
		t.Fatal(err)
	}
	desk := gate.NewManager(all[1].Store, all[1].Promises, nil, gate.Options{})
	_, err := desk.Decide(access, who, approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved, By: approval.By{Via: approval.ViaREST}})
	if !errors.Is(err, auth.ErrOver) || access.Err() != nil {
		t.Errorf("it says %v; the access: %v", err, context.Cause(access))
	}
	if stands := must[approval.Approval](t)(all[0].Store.Get(t.Context(), a.ApprovalID)); stands.Status != approval.Pending {
		t.Errorf("it is %s", stands.Status)
	}
}

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
