package auth_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// deaf is a store in which a node does not see at first what another one has changed.
type deaf struct {
	*auth.Memory
	until int // so many more looks see nothing
}

func (d *deaf) Behind(ctx context.Context, seen auth.Version) (bool, error) {
	if d.until > 0 {
		d.until--
		return false, nil
	}
	return d.Memory.Behind(ctx, seen)
}

// hears has a keyring take in what others have changed after the version that it had.
func hears(t *testing.T, k *auth.Keyring, store auth.CredentialStore, changes int64, ids ...string) {
	t.Helper()
	if err := k.Refresh(t.Context(), changes, ids...); err != nil {
		t.Fatal(err)
	}
	if behind, err := store.Behind(t.Context(), auth.Version{Changes: changes}); err != nil || behind {
		t.Fatalf("the store is not at %d: %v", changes, err)
	}
}

var viewers = []auth.Role{auth.Viewer}

func TestWhoLosesTheirAccessOnOneNodeIsOutOnTheOther(t *testing.T) {
	store := &auth.Memory{}
	one, two := newKeyring(t, store), newKeyring(t, store)
	gone, goneSecret := token(t, one, auth.Access{Name: "gone", Roles: viewers})
	changed, changedSecret := token(t, one, auth.Access{Name: "changed", Roles: []auth.Role{auth.Approver}})
	_, otherSecret := token(t, one, auth.Access{Name: "other", Roles: viewers})
	_, out := enter(t, two, goneSecret) // which it has not heard of, and looks for
	_, over := enter(t, two, changedSecret)
	_, other := enter(t, two, otherSecret)
	if _, err := one.Revoke(t.Context(), root, gone.ID); err != nil {
		t.Fatal(err)
	}
	hears(t, two, store, 4, gone.ID)
	mustBeOver(t, "revoked on the other node", out)
	if _, err := one.Update(t.Context(), root, changed.ID, auth.Change{Roles: &viewers}); err != nil {
		t.Fatal(err)
	}
	hears(t, two, store, 5, changed.ID)
	mustBeOver(t, "changed on the other node", over)
	if who, _ := enter(t, two, changedSecret); who.May(auth.Answer) {
		t.Errorf("it is %+v", who)
	}
	if _, _, _, err := two.Authenticate(t.Context(), goneSecret, anyKind()...); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("the secret still opens: %v", err)
	}
	hears(t, two, store, 5, changed.ID) // again, as after its own commits
	if other.Err() != nil {
		t.Error("somebody else is out as well")
	}
}

func TestWhatIsHeardTooLateOrTwiceChangesNothing(t *testing.T) {
	store := &auth.Memory{}
	one, two := newKeyring(t, store), newKeyring(t, store)
	c, secret := token(t, one, auth.Access{Name: "a", Roles: viewers})
	_, access := enter(t, two, secret)
	if _, err := two.Update(t.Context(), root, c.ID, auth.Change{Agents: auth.Scope{"demo"}}); err != nil {
		t.Fatal(err)
	}
	mustBeOver(t, "changed", access)
	who, access := enter(t, two, secret)
	for _, changes := range []int64{1, 2} {
		if err := two.Refresh(t.Context(), changes, c.ID); err != nil {
			t.Fatal(err)
		}
	}
	if access.Err() != nil || who.Covers("other") {
		t.Errorf("%+v, %v", who, access.Err())
	}
	if err := one.Refresh(t.Context(), 2, c.ID); err != nil {
		t.Fatal(err)
	}
	if who, _ := enter(t, one, secret); who.Covers("other") {
		t.Errorf("on the first: %+v", who)
	}
}

func TestAChangeRestsOnWhatAllNodesHaveChanged(t *testing.T) {
	newToken := func(k *auth.Keyring, by auth.Identity) error {
		_, _, err := k.NewToken(t.Context(), by, auth.Access{Name: "ci", Subject: "paul", Roles: viewers})
		return err
	}
	for name, c := range map[string]struct {
		first func(one *auth.Keyring, admin auth.Credential, link string) error
		then  func(two *auth.Keyring, admin auth.Credential, link string) error
		want  error
	}{
		"a token of one name": {
			func(k *auth.Keyring, _ auth.Credential, _ string) error { return newToken(k, root) },
			func(k *auth.Keyring, _ auth.Credential, _ string) error { return newToken(k, root) }, auth.ErrInvalid,
		},
		"a name that can be taken for another": {
			func(k *auth.Keyring, _ auth.Credential, _ string) error { return newToken(k, root) },
			func(k *auth.Keyring, _ auth.Credential, _ string) error {
				_, _, err := k.Invite(t.Context(), root, auth.Access{Name: "pau1", Roles: viewers}, time.Hour)
				return err
			}, auth.ErrInvalid,
		},
		"an admin whose login was revoked": {
			func(k *auth.Keyring, admin auth.Credential, _ string) error {
				_, err := k.Revoke(t.Context(), root, admin.ID)
				return err
			},
			func(k *auth.Keyring, admin auth.Credential, _ string) error { return newToken(k, admin.Identity()) }, auth.ErrOver,
		},
		"a credential that was revoked": {
			func(k *auth.Keyring, admin auth.Credential, _ string) error {
				_, err := k.Revoke(t.Context(), root, admin.ID)
				return err
			},
			func(k *auth.Keyring, admin auth.Credential, _ string) error {
				_, err := k.Update(t.Context(), root, admin.ID, auth.Change{Roles: &viewers})
				return err
			}, auth.ErrNoCredential,
		},
		"a link": {
			func(k *auth.Keyring, _ auth.Credential, link string) error {
				_, err := k.Redeem(t.Context(), link)
				return err
			},
			func(k *auth.Keyring, _ auth.Credential, link string) error {
				_, err := k.Redeem(t.Context(), link)
				return err
			}, auth.ErrLinkUsed,
		},
	} {
		for _, missed := range []int{0, 1} { // looks that come too early
			t.Run(fmt.Sprint(name, " ", missed), func(t *testing.T) {
				store := &auth.Memory{}
				late := &deaf{Memory: store}
				one, two := newKeyring(t, store), newKeyring(t, late)
				admin, _ := token(t, one, auth.Access{Name: "admin", Roles: []auth.Role{auth.Admin}})
				_, link, err := one.Invite(t.Context(), root, auth.Access{Name: "ben", Roles: viewers}, time.Hour)
				if err := errors.Join(err, two.CatchUp(t.Context()), c.first(one, admin, link)); err != nil {
					t.Fatal(err)
				}
				late.until = missed
				if err := c.then(two, admin, link); !errors.Is(err, c.want) {
					t.Errorf("it says %v", err)
				}
			})
		}
	}
}

func TestOfTwoFirstLinksOnTwoNodesOneLogsIn(t *testing.T) {
	store := &auth.Memory{}
	links := auth.NewOneTime(auth.LinkSecret, time.Hour)
	var nodes []*auth.Keyring
	var invited []auth.Identity
	for range 2 {
		k := newKeyring(t, &deaf{Memory: store, until: 3})
		local, _ := enter(t, k, k.Local(root))
		link, err := k.InviteFirst(t.Context(), local, "owner", links)
		if err != nil {
			t.Fatal(err)
		}
		who, err := links.Redeem(t.Context(), link)
		if err != nil {
			t.Fatal(err)
		}
		nodes, invited = append(nodes, k), append(invited, who)
	}
	var all sync.WaitGroup
	results := make([]error, len(nodes))
	for i, k := range nodes {
		all.Go(func() { _, _, _, results[i] = k.NewLogin(t.Context(), invited[i], auth.Page{}) })
	}
	all.Wait()
	if (results[0] == nil) == (results[1] == nil) || !errors.Is(errors.Join(results...), auth.ErrUnknown) {
		t.Errorf("%v", results)
	}
	again := newKeyring(t, store)
	if _, _, _, err := again.NewLogin(t.Context(), invited[0], auth.Page{}); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("by the same on a third node: %v", err)
	}
}

func TestAChangeThatFailsWhileAnotherNodesIsHeardLocksNobodyOut(t *testing.T) {
	store := &fallible{}
	one, two := newKeyring(t, &store.Memory), newKeyring(t, store)
	kept, secret := token(t, two, auth.Access{Name: "kept", Roles: viewers})
	store.broken = errors.New("no space left")
	store.saving = func() {
		other, _ := token(t, one, auth.Access{Name: "other", Roles: viewers})
		if err := two.Refresh(t.Context(), 2, other.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := two.Update(t.Context(), root, kept.ID, auth.Change{Agents: auth.Scope{"demo"}}); !errors.Is(err, store.broken) {
		t.Fatal(err)
	}
	if who, _ := enter(t, two, secret); len(who.Agents) > 0 {
		t.Errorf("they are %+v", who)
	}
}

func TestWhoeverIsNotKnownYetIsLookedForOnceForManyAtATime(t *testing.T) {
	store := &auth.Memory{}
	one, two := newKeyring(t, store), newKeyring(t, store)
	_, secret := token(t, one, auth.Access{Name: "new", Roles: viewers})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, _, leave, err := two.Authenticate(t.Context(), secret, auth.KindToken)
			if err != nil {
				t.Error(err)
				return
			}
			leave()
			if _, _, _, err := two.Authenticate(t.Context(), "lct_guessed", auth.KindToken); !errors.Is(err, auth.ErrUnknown) {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
