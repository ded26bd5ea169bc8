package auth_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/auth"
)

// states returns the states of each person's invitations, joined, newest first.
func states(t *testing.T, k *auth.Keyring) map[string]auth.InvitationState {
	t.Helper()
	list, err := k.Invitations(root)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]auth.InvitationState{}
	for _, i := range list {
		got[i.Subject] += i.State
	}
	return got
}

func TestInvitationsAreListedWithWhatBecameOfThemAlsoAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &auth.Memory{}
		k := newKeyring(t, store)
		_, secret := token(t, k, auth.Access{Name: "maker", Roles: []auth.Role{auth.Admin}, ExpiresAt: time.Now().Add(time.Hour)})
		maker, _ := enter(t, k, secret)
		links := map[string]string{}
		invite := func(by auth.Identity, name string, life time.Duration) auth.Invitation {
			t.Helper()
			made, link, err := k.Invite(t.Context(), by, auth.Access{Name: name, Roles: []auth.Role{auth.Approver}, Agents: auth.Scope{"demo"}}, life)
			if err != nil {
				t.Fatal(err)
			}
			links[name] = link
			return made
		}
		made := invite(root, "open", 24*time.Hour)
		want := auth.Invitation{
			ID: made.ID, Subject: "open", Roles: []auth.Role{auth.Approver}, Agents: []string{"demo"}, By: "root", State: auth.InvitationOpen,
			CreatedAt: time.Now().UTC().Truncate(time.Microsecond), ExpiresAt: time.Now().UTC().Truncate(time.Microsecond).Add(24 * time.Hour), Fingerprint: auth.Fingerprint(links["open"]),
		}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		withdrawn, replaced := invite(root, "withdrawn", 24*time.Hour), invite(root, "replaced", 24*time.Hour)
		invite(root, "used", 24*time.Hour)
		invite(root, "expired", time.Hour)
		invite(maker, "void", 24*time.Hour)
		if _, err := k.Withdraw(t.Context(), root, withdrawn.ID); err != nil {
			t.Fatal(err)
		}
		_, again, err := k.InviteAgain(t.Context(), root, replaced.ID, 24*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if who, err := k.LookAt(t.Context(), links["used"]); err != nil || who.Subject != "used" || !who.May(auth.Answer) || who.Covers("other") {
			t.Errorf("it logs in as %+v, %v", who, err)
		}
		if _, err := k.Redeem(t.Context(), links["used"]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		for process, k := range map[string]*auth.Keyring{"at once": k, "after a restart": newKeyring(t, store)} {
			got := states(t, k)
			want := map[string]auth.InvitationState{
				"open": auth.InvitationOpen, "withdrawn": auth.InvitationWithdrawn, "replaced": auth.InvitationOpen, "used": auth.InvitationUsed,
				"expired": auth.InvitationExpired, "void": auth.InvitationVoid,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", process, diff)
			}
			for name, want := range map[string]error{
				"withdrawn": auth.ErrLinkWithdrawn, "replaced": auth.ErrLinkWithdrawn, "used": auth.ErrLinkUsed, "expired": auth.ErrLinkExpired, "void": auth.ErrLinkWithdrawn,
			} {
				_, looked := k.LookAt(t.Context(), links[name])
				_, err := k.Redeem(t.Context(), links[name])
				if !errors.Is(looked, want) || !errors.Is(err, want) {
					t.Errorf("%s, who opens the link that is %s: %v, %v", process, name, looked, err)
				}
			}
			if _, err := k.LookAt(t.Context(), "lci_guessed"); !errors.Is(err, auth.ErrUnknown) {
				t.Errorf("%s, who guesses: %v", process, err)
			}
		}
		k = newKeyring(t, store)
		for _, link := range []string{links["open"], again} {
			if _, err := k.Redeem(t.Context(), link); err != nil {
				t.Errorf("a link outlives a restart: %v", err)
			}
			if _, err := k.Redeem(t.Context(), link); !errors.Is(err, auth.ErrLinkUsed) {
				t.Errorf("twice: %v", err)
			}
		}
	})
}

func TestAnInvitationThatHasEndedIsMadeAgainAndNotWithdrawn(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	made, link, err := k.Invite(t.Context(), root, auth.Access{Name: "ben", Roles: []auth.Role{auth.Viewer}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Redeem(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Withdraw(t.Context(), root, made.ID); !errors.Is(err, auth.ErrLinkUsed) {
		t.Errorf("withdrawn after its use: %v", err)
	}
	next, _, err := k.InviteAgain(t.Context(), root, made.ID, time.Hour)
	if err != nil || next.Subject != "ben" || next.ID == made.ID {
		t.Errorf("%+v, %v", next, err)
	}
	if got := states(t, k); got["ben"] != auth.InvitationOpen+auth.InvitationUsed {
		t.Errorf("they are %v", got)
	}
	viewer, _, err := k.NewToken(t.Context(), root, auth.Access{Name: "v", Roles: []auth.Role{auth.Viewer}})
	if err != nil {
		t.Fatal(err)
	}
	who := viewer.Identity()
	_, listed := k.Invitations(who)
	_, withdrawn := k.Withdraw(t.Context(), who, next.ID)
	_, _, again := k.InviteAgain(t.Context(), who, next.ID, time.Hour)
	for what, err := range map[string]error{"lists": listed, "withdraws": withdrawn, "makes another": again} {
		if !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("who may not manage access %s: %v", what, err)
		}
	}
	if _, err := k.Withdraw(t.Context(), root, "none"); !errors.Is(err, auth.ErrNoInvitation) {
		t.Errorf("one that does not exist: %v", err)
	}
}

func TestOldInvitationsAreForgottenAndOpenOnesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &auth.Memory{}
		k := newKeyring(t, store)
		invite := func() error {
			_, _, err := k.Invite(t.Context(), root, auth.Access{Name: "ben", Roles: []auth.Role{auth.Viewer}}, 24*time.Hour)
			return err
		}
		for range 1000 {
			if err := invite(); err != nil {
				t.Fatal(err)
			}
		}
		if err := invite(); !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("one more: %v", err)
		}
		time.Sleep(24 * time.Hour)
		if err := invite(); err != nil {
			t.Errorf("after their end: %v", err)
		}
		kept := func() int {
			if err := k.Upkeep(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, err := store.ReadAccess(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(all.Invitations)
		}
		if n := kept(); n != 1001 {
			t.Errorf("for some days %d are kept", n)
		}
		time.Sleep(7*24*time.Hour + time.Minute)
		if n := kept(); n != 1 {
			t.Errorf("then %d are kept", n)
		}
	})
}
