package auth_test

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// loggedIn begins a login by a token.
func loggedIn(t *testing.T, k *auth.Keyring, secret string) (auth.Credential, string) {
	t.Helper()
	who, _ := enter(t, k, secret)
	c, cookie, _, err := k.NewLogin(t.Context(), who, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return c, cookie
}

func TestNobodysTokenPutsOthersOut(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	_, first, _, err := k.NewLogin(t.Context(), auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Admin}}, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	_, secret := token(t, k, auth.Access{Name: "least", Roles: []auth.Role{auth.Viewer}})
	_, own := loggedIn(t, k, secret)
	for range 1100 {
		loggedIn(t, k, secret)
	}
	enter(t, k, first)
	if _, _, _, err := k.Authenticate(t.Context(), own, anyKind()...); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("the first of 1,101 by one token: %v", err)
	}
}

func TestTheOldestLoginGivesWayWhereThereAreTooMany(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	var secrets []string
	for i := range 1001 {
		_, secret, _, err := k.NewLogin(t.Context(), auth.Identity{Subject: "p" + strconv.Itoa(i), Roles: []auth.Role{auth.Viewer}}, auth.Page{})
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, secret)
	}
	if _, _, _, err := k.Authenticate(t.Context(), secrets[0], anyKind()...); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("the first of 1,001 people: %v", err)
	}
	enter(t, k, secrets[1])
}

// Nobody acts by rights that were taken and written down as taken.
func TestAChangeHoldsFromBeforeItIsWrittenDown(t *testing.T) {
	store := &fallible{}
	k := newKeyring(t, store)
	c, secret := token(t, k, auth.Access{Name: "a", Roles: []auth.Role{auth.Admin}})
	_, access := enter(t, k, secret)
	store.saving = func() {
		if _, _, _, err := k.Authenticate(t.Context(), secret, anyKind()...); access.Err() == nil || !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("while it is written down: the access is %v, a new one %v", access.Err(), err)
		}
	}
	if _, err := k.Update(t.Context(), root, c.ID, auth.Change{Roles: &[]auth.Role{auth.Viewer}}); err != nil {
		t.Fatal(err)
	}
}

func TestATokenAndItsLoginsAreChangedTogetherOrNotAtAll(t *testing.T) {
	store := &fallible{}
	k := newKeyring(t, store)
	c, secret := token(t, k, auth.Access{Name: "a", Roles: []auth.Role{auth.Admin}})
	_, cookie := loggedIn(t, k, secret)
	store.broken = errors.New("no space left")
	if _, err := k.Update(t.Context(), root, c.ID, auth.Change{Roles: &[]auth.Role{auth.Viewer}}); err == nil {
		t.Fatal("it did not fail")
	}
	for _, s := range []string{secret, cookie} {
		if who, _ := enter(t, k, s); !who.May(auth.Manage) {
			t.Errorf("after a change that failed it is %+v", who)
		}
	}
}

func TestALoginIsWhatItsTokenIsNowAndNeverMore(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	until := time.Now().Add(time.Minute)
	c, secret := token(t, k, auth.Access{Name: "a", Roles: []auth.Role{auth.Admin}, ExpiresAt: until})
	shown, _ := enter(t, k, secret)
	if _, err := k.Update(t.Context(), root, c.ID, auth.Change{Roles: &[]auth.Role{auth.Approver}, Agents: auth.Scope{"x"}}); err != nil {
		t.Fatal(err)
	}
	login, cookie, _, err := k.NewLogin(t.Context(), shown, auth.Page{})
	if err != nil || login.Identity().May(auth.Manage) || login.Identity().Covers("y") {
		t.Errorf("created by what the token was: %+v, %v", login, err)
	}
	if _, err := k.Update(t.Context(), root, login.ID, auth.Change{Roles: &[]auth.Role{auth.Viewer}}); err != nil {
		t.Fatal(err)
	}
	name := "b"
	if _, err := k.Update(t.Context(), root, c.ID, auth.Change{Name: &name}); err != nil {
		t.Fatal(err)
	}
	if who, _ := enter(t, k, cookie); who.May(auth.Answer) {
		t.Errorf("renaming its token made it %+v", who)
	}
	later := until.Add(time.Hour)
	if got, err := k.Update(t.Context(), root, login.ID, auth.Change{ExpiresAt: &later}); err != nil || got.ExpiresAt.After(until) {
		t.Errorf("it outlives its token: %+v, %v", got, err)
	}
	if _, err := k.Update(t.Context(), root, login.ID, auth.Change{ExpiresAt: &time.Time{}}); !errors.Is(err, auth.ErrInvalid) {
		t.Errorf("without an end: %v", err)
	}
}

func TestALinkIsGoodAsLongAsWhoMadeItMaySayWhoComesIn(t *testing.T) {
	update := func(change auth.Change) func(*testing.T, *auth.Keyring, string) {
		return func(t *testing.T, k *auth.Keyring, id string) {
			if _, err := k.Update(t.Context(), root, id, change); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, after := range map[string]func(*testing.T, *auth.Keyring, string){
		"revoked": func(t *testing.T, k *auth.Keyring, id string) {
			if _, err := k.Revoke(t.Context(), root, id); err != nil {
				t.Fatal(err)
			}
		},
		"made a viewer":         update(auth.Change{Roles: &[]auth.Role{auth.Viewer}}),
		"bound to some agents":  update(auth.Change{Agents: auth.Scope{"demo"}}),
		"whose time is over":    func(*testing.T, *auth.Keyring, string) { time.Sleep(2 * time.Hour) },
		"renamed, nothing more": update(auth.Change{Name: new("other")}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKeyring(t, &auth.Memory{})
				c, secret := token(t, k, auth.Access{Name: "leaked", Roles: []auth.Role{auth.Admin}, ExpiresAt: time.Now().Add(time.Hour)})
				maker, _ := enter(t, k, secret)
				invite := func() string {
					_, link, err := k.Invite(t.Context(), maker, auth.Access{Name: "backdoor", Roles: []auth.Role{auth.Admin}}, 24*time.Hour)
					if err != nil {
						t.Fatal(err)
					}
					return link
				}
				link, followed := invite(), invite()
				who, err := k.Redeem(t.Context(), followed) // just before the change
				if err != nil {
					t.Fatal(err)
				}
				after(t, k, c.ID)
				good := name == "renamed, nothing more"
				if _, err := k.Redeem(t.Context(), link); good && err != nil || !good && !errors.Is(err, auth.ErrLinkWithdrawn) {
					t.Errorf("it is good: %v", err)
				}
				if _, _, _, err = k.NewLogin(t.Context(), who, auth.Page{}); good && err != nil || !good && !errors.Is(err, auth.ErrUnknown) {
					t.Errorf("it logs in: %v", err)
				}
			})
		})
	}
}

func TestWhoWasPutOutSaysNoMoreWhoComesIn(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	mine, secret := token(t, k, auth.Access{Name: "mine", Roles: []auth.Role{auth.Admin}})
	other, _ := token(t, k, auth.Access{Name: "other", Roles: []auth.Role{auth.Viewer}})
	me, _ := enter(t, k, secret)
	admin := auth.Change{Roles: &[]auth.Role{auth.Admin}}
	viewer := auth.Change{Roles: &[]auth.Role{auth.Viewer}}
	if _, err := k.Update(t.Context(), root, mine.ID, viewer); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Update(t.Context(), me, other.ID, admin); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("as what I was: %v", err)
	}
	if _, err := k.Revoke(t.Context(), root, mine.ID); err != nil {
		t.Fatal(err)
	}
	_, changed := k.Update(t.Context(), me, other.ID, admin)
	_, ended := k.Revoke(t.Context(), me, other.ID)
	_, _, made := k.NewToken(t.Context(), me, auth.Access{Name: "n", Roles: []auth.Role{auth.Admin}})
	_, _, invited := k.Invite(t.Context(), me, auth.Access{Name: "n", Roles: []auth.Role{auth.Admin}}, time.Minute)
	for what, err := range map[string]error{"changed": changed, "ended": ended, "made": made, "invited": invited} {
		if !errors.Is(err, auth.ErrOver) {
			t.Errorf("%s by who was put out: %v", what, err)
		}
	}
}
