package auth_test

import (
	"crypto/ecdsa"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/auth"
)

// tells fails the test unless the page with the key, and no other, is told why its login ended. With nil, nobody may be told.
func tells(t *testing.T, k *auth.Keyring, login string, key *ecdsa.PrivateKey, want *auth.LoginEnd) {
	t.Helper()
	challenge := k.Challenge()
	got, told := k.SignedEnd(login, challenge, signed(t, key, login, challenge))
	if diff := cmp.Diff(want, &got); told != (want != nil) || told && diff != "" {
		t.Errorf("told %v (-want +got):\n%s", told, diff)
	}
	other, _ := pageKey(t)
	if got, told := k.SignedEnd(login, challenge, signed(t, other, login, challenge)); told {
		t.Errorf("who has another key is told %+v", got)
	}
	if _, err := k.Prove(login, challenge, signed(t, key, login, challenge)); want != nil && want.Reason != auth.EndExpired && !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("what has ended is proven: %v", err)
	}
}

func TestAPageIsToldWhyItsLoginEnded(t *testing.T) {
	admin := auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Admin}}
	ben := auth.Identity{Subject: "ben", Roles: []auth.Role{auth.Approver}}
	for name, c := range map[string]struct {
		end  func(t *testing.T, k *auth.Keyring, login auth.Credential)
		want *auth.LoginEnd
	}{
		"it has not ended": {func(*testing.T, *auth.Keyring, auth.Credential) {}, nil},
		"an admin signed it out": {func(t *testing.T, k *auth.Keyring, login auth.Credential) {
			if _, err := k.Revoke(t.Context(), admin, login.ID); err != nil {
				t.Fatal(err)
			}
		}, &auth.LoginEnd{Reason: auth.EndSignedOut, By: "ada"}},
		"its person was removed": {func(t *testing.T, k *auth.Keyring, login auth.Credential) {
			if _, err := k.RemovePerson(t.Context(), admin, "ben"); err != nil {
				t.Fatal(err)
			}
		}, &auth.LoginEnd{Reason: auth.EndRemoved, By: "ada"}},
		"it expired": {func(t *testing.T, _ *auth.Keyring, login auth.Credential) {
			time.Sleep(time.Until(login.ExpiresAt))
		}, &auth.LoginEnd{Reason: auth.EndExpired}},
		"it expired and was dropped": {func(t *testing.T, k *auth.Keyring, login auth.Credential) {
			time.Sleep(time.Until(login.ExpiresAt))
			if _, _, _, err := k.NewLogin(t.Context(), ben, auth.Page{}); err != nil {
				t.Fatal(err)
			}
		}, &auth.LoginEnd{Reason: auth.EndExpired}},
		"too many newer logins": {func(t *testing.T, k *auth.Keyring, _ auth.Credential) {
			for range 20 {
				if _, _, _, err := k.NewLogin(t.Context(), ben, auth.Page{}); err != nil {
					t.Fatal(err)
				}
			}
		}, &auth.LoginEnd{Reason: auth.EndCrowded}},
		"its holder logged out": {func(t *testing.T, k *auth.Keyring, login auth.Credential) {
			if _, err := k.Revoke(t.Context(), login.Identity(), login.ID); err != nil {
				t.Fatal(err)
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &auth.Memory{}
				k := newKeyring(t, store)
				key, public := pageKey(t)
				login, _, proof, err := k.NewLogin(t.Context(), ben, auth.Page{Key: public})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				c.end(t, k, login)
				at := time.Now()
				var want *auth.LoginEnd
				if c.want != nil {
					want = &auth.LoginEnd{Reason: c.want.Reason, By: c.want.By, At: at.UTC(), Since: began.UTC()}
					if want.Reason == auth.EndExpired {
						want.At = login.ExpiresAt
					}
				}
				tells(t, k, login.ID, key, want)
				tells(t, newKeyring(t, store), login.ID, key, want) // after a restart
				if got, told := k.EndOf(login.ID, proof.Text); told && (c.want == nil || got.Reason != c.want.Reason) {
					t.Errorf("by its newest proof it is told %+v", got)
				}
			})
		})
	}
}

func TestALoginWithoutAKeyIsToldByItsProofAlone(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	login, cookie, proof, err := k.NewLogin(t.Context(), auth.Identity{Subject: "ben", Roles: []auth.Role{auth.Viewer}}, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Revoke(t.Context(), root, login.ID); err != nil {
		t.Fatal(err)
	}
	if end, told := k.EndOf(login.ID, proof.Text); !told || end.Reason != auth.EndSignedOut || end.By != "root" {
		t.Errorf("told %v: %+v", told, end)
	}
	for name, text := range map[string]string{
		"the cookie": cookie, "the cookie as a proof": string(auth.ProofSecret) + login.ID + "." + cookie, "its id": string(auth.ProofSecret) + login.ID + ".", "nothing": "",
	} {
		if end, told := k.EndOf(login.ID, text); told {
			t.Errorf("%s tells %+v", name, end)
		}
	}
}

func TestALoginThatATokenBeganIsToldThatTheTokenWasRevoked(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	c, secret := token(t, k, auth.Access{Name: "ben", Roles: []auth.Role{auth.Viewer}})
	who, _ := enter(t, k, secret)
	login, _, proof, err := k.NewLogin(t.Context(), who, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Revoke(t.Context(), root, c.ID); err != nil {
		t.Fatal(err)
	}
	if end, told := k.EndOf(login.ID, proof.Text); !told || end.Reason != auth.EndTokenRevoked || end.By != "root" {
		t.Errorf("told %v: %+v", told, end)
	}
}

func TestEndsOfLoginsAreForgottenAfterAMonthOrIfTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &auth.Memory{}
		k := newKeyring(t, store)
		const many = 1003
		for range many {
			login, _, _, err := k.NewLogin(t.Context(), auth.Identity{Subject: "ben", Roles: []auth.Role{auth.Viewer}}, auth.Page{})
			if err == nil {
				time.Sleep(time.Second)
				_, err = k.Revoke(t.Context(), root, login.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		kept := func() int {
			if err := k.Upkeep(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, err := store.ReadAccess(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(all.Ends)
		}
		if n := kept(); n != 1000 {
			t.Errorf("of %d, %d are kept", many, n)
		}
		time.Sleep(30*24*time.Hour + time.Minute)
		if n := kept(); n != 0 {
			t.Errorf("after a month %d are kept", n)
		}
	})
}

func TestAPersonIsRemovedWithAllThatIsInTheirName(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	var secrets []string
	for range 2 {
		_, cookie, _, err := k.NewLogin(t.Context(), auth.Identity{Subject: "ben", Roles: []auth.Role{auth.Admin}}, auth.Page{})
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, cookie)
	}
	_, secret := token(t, k, auth.Access{Name: "bens", Subject: "ben", Roles: []auth.Role{auth.Viewer}})
	_, link, err := k.Invite(t.Context(), root, auth.Access{Name: "ben", Roles: []auth.Role{auth.Viewer}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, other, _, err := k.NewLogin(t.Context(), auth.Identity{Subject: "cara", Roles: []auth.Role{auth.Viewer}}, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	me, _ := enter(t, k, secrets[0])
	if _, err := k.RemovePerson(t.Context(), me, "ben"); !errors.Is(err, auth.ErrInvalid) {
		t.Errorf("himself: %v", err)
	}
	cara, _ := enter(t, k, other)
	if _, err := k.RemovePerson(t.Context(), cara, "ben"); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("by who may not: %v", err)
	}
	removed, err := k.RemovePerson(t.Context(), root, "ben")
	if err != nil || len(removed) != 3 {
		t.Errorf("%d, %v", len(removed), err)
	}
	for _, secret := range append(secrets, secret) {
		if _, _, _, err := k.Authenticate(t.Context(), secret, anyKind()...); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("he is in: %v", err)
		}
	}
	if _, err := k.Redeem(t.Context(), link); !errors.Is(err, auth.ErrLinkWithdrawn) {
		t.Errorf("his link: %v", err)
	}
	enter(t, k, other)
	if _, err := k.RemovePerson(t.Context(), root, "ben"); !errors.Is(err, auth.ErrNoCredential) {
		t.Errorf("again: %v", err)
	}
}
