//go:build postgres

package postgres_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
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

func TestWhenAndFromWhereAccessWasUsedIsKnownOnEveryNode(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := keyring(t, all[0], true), keyring(t, all[1], true)
	c, _ := newToken(t, one, "ci", auth.Viewer)
	if err := two.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	one.Used(c.ID, "10.0.4.21")
	if err := one.Upkeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait := hear(t, all[1]) // what is asked after it is heard after it
	a := all[0].ask(t, all[0].session(t), "call")
	wait.until(t, has("request "+a.ApprovalID))
	if got := must[[]auth.Credential](t)(two.List(root, auth.KindToken)); got[0].Address != "10.0.4.21" || got[0].UsedAt.IsZero() {
		t.Errorf("the other node knows %+v", got[0])
	}
}
