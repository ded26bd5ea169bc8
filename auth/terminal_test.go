package auth_test

import (
	"errors"
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/auth"
)

var ada = auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Admin}}

func TestASecretIsTakenInThePlaceOfItsKindAlone(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	login, cookie, _, err := k.NewLogin(t.Context(), ada, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	_, terminal, err := k.NewTerminal(t.Context(), login.Identity(), "laptop", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, lasting := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Viewer}})
	secrets := map[auth.Kind]string{
		auth.KindLogin: cookie, auth.KindTerminal: terminal, auth.KindToken: lasting, auth.KindLocal: k.Local(root),
	}
	for is, secret := range secrets {
		for _, place := range anyKind() {
			if _, _, _, err := k.Authenticate(t.Context(), secret, place); (err == nil) != (is == place) {
				t.Errorf("a %s in the place of a %s: %v", is, place, err)
			}
		}
		if _, _, _, err := k.Authenticate(t.Context(), secret); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("a %s in no place: %v", is, err)
		}
	}
}

func TestWhatATokenBeganCountsForTheToken(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	c, secret := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Viewer}})
	login, cookie := loggedIn(t, k, secret)
	_, terminal, err := k.NewTerminal(t.Context(), login.Identity(), "laptop", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{secret, cookie, terminal} {
		if who, _ := enter(t, k, secret); who.Root != c.ID {
			t.Errorf("%s counts for %s, not for %s", who.Credential, who.Root, c.ID)
		}
	}
}

func TestTheSecondProofOfALoginFollowsFromNothingElse(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	login, cookie, proof, err := k.NewLogin(t.Context(), ada, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, other, err := k.NewLogin(t.Context(), ada, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	if !k.Proven(login.ID, proof.Text) {
		t.Error("its own is not taken")
	}
	made, _ := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Viewer}})
	for name, c := range map[string]struct{ id, proof string }{
		"none": {login.ID, ""}, "the cookie": {login.ID, cookie}, "made from the cookie": {login.ID, auth.Fingerprint("csrf:" + cookie)},
		"another login's": {login.ID, other.Text}, "its fingerprint": {login.ID, auth.Fingerprint(proof.Text)},
		"of a credential that has none": {made.ID, ""}, "of no credential": {"", ""},
	} {
		if k.Proven(c.id, c.proof) {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestATerminalIsWhatItsLoginIsAndEndsWithIt(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	c, secret := token(t, k, auth.Access{Name: "a", Roles: []auth.Role{auth.Admin}})
	login, _ := loggedIn(t, k, secret)
	made, key, err := k.NewTerminal(t.Context(), login.Identity(), "laptop", 48*time.Hour)
	if err != nil || made.ExpiresAt.After(login.ExpiresAt) || made.Subject != "a" || made.Name != "laptop" {
		t.Fatalf("%+v, %v", made, err)
	}
	viewer := []auth.Role{auth.Viewer}
	if _, err := k.Update(t.Context(), root, c.ID, auth.Change{Roles: &viewer}); err != nil {
		t.Fatal(err)
	}
	who, access := enter(t, k, key)
	if who.May(auth.Answer) {
		t.Errorf("after its login's token was changed it is %+v", who)
	}
	if _, err := k.Revoke(t.Context(), root, c.ID); err != nil {
		t.Fatal(err)
	}
	mustBeOver(t, "the end of its login's token", access)
	if _, _, _, err := k.Authenticate(t.Context(), key, auth.KindTerminal); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("afterwards: %v", err)
	}
	if _, _, err := k.NewTerminal(t.Context(), login.Identity(), "laptop", time.Hour); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("for a login that is over: %v", err)
	}
	_, program := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Admin}})
	asked, _ := enter(t, k, program)
	if _, _, err := k.NewTerminal(t.Context(), asked, "laptop", time.Hour); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("for a program: %v", err)
	}
}

func TestADeviceIsAllowedOnceByAPersonAndCollectedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d auth.Devices
		ask := func(name string) (auth.Device, string) {
			asked, code, err := d.Ask(t.Context(), name, "127.0.0.1", time.Minute)
			if err != nil || !regexp.MustCompile(`^[B-Z]{4}-[B-Z]{4}$`).MatchString(asked.UserCode) {
				t.Fatalf("%+v", asked)
			}
			return asked, code
		}
		collects := func(when, code string, want error) {
			t.Helper()
			if _, err := d.Collect(t.Context(), code); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", when, err, want)
			}
		}
		asked, code := ask("laptop")
		collects("before the press", code, auth.ErrWaiting)
		collects("by the user code", asked.UserCode, auth.ErrUnknown)
		if got, err := d.Get(t.Context(), asked.UserCode); err != nil || got != asked {
			t.Errorf("%+v, %v", got, err)
		}
		if err := d.Answer(t.Context(), asked.UserCode, &ada, time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := d.Answer(t.Context(), asked.UserCode, nil, 0); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("a second answer: %v", err)
		}
		if got, err := d.Collect(t.Context(), code); err != nil || got.Who.Subject != "ada" || got.Name != "laptop" || got.Life != time.Hour {
			t.Errorf("collected: %+v, %v", got, err)
		}
		collects("a second time", code, auth.ErrUnknown)

		refused, code := ask("other")
		if err := d.Answer(t.Context(), refused.UserCode, nil, time.Hour); err != nil {
			t.Fatal(err)
		}
		collects("refused", code, auth.ErrRefused)

		late, code := ask("late")
		if err := d.Answer(t.Context(), late.UserCode, &ada, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // the bubble's clock
		collects("too late", code, auth.ErrUnknown)
		mine, code := ask("mine")
		var last auth.Device
		for i := range 3000 {
			last, _, _ = d.Ask(t.Context(), "flood", fmt.Sprint("192.0.2.", i%100), time.Minute)
		}
		for _, waiting := range []auth.Device{mine, last} {
			if _, err := d.Get(t.Context(), waiting.UserCode); err != nil {
				t.Errorf("among the crowds of others, that of %s: %v", waiting.Name, err)
			}
		}
		collects("among the crowds of others", code, auth.ErrWaiting)
	})
}

func TestTheFirstLinkIsForTheLocalKeyAndWorksWhileNoAdminIsLoggedIn(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	links := auth.NewOneTime(auth.LinkSecret, time.Hour)
	local, _ := enter(t, k, k.Local(auth.Identity{Subject: "owner", Roles: []auth.Role{auth.Operator}}))
	first := func() auth.Identity {
		link, err := k.InviteFirst(t.Context(), local, "owner", links)
		if err != nil {
			t.Fatal(err)
		}
		who, err := links.Redeem(t.Context(), link)
		if err != nil {
			t.Fatal(err)
		}
		return who
	}
	program, _ := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Operator}})
	for _, who := range []auth.Identity{{}, program.Identity(), {Subject: "owner", Roles: []auth.Role{auth.Operator}}} {
		if _, err := k.InviteFirst(t.Context(), who, "owner", links); !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("for %+v: %v", who, err)
		}
	}
	one, other := first(), first()
	login, _, _, err := k.NewLogin(t.Context(), one, auth.Page{})
	if err != nil || !login.Identity().May(auth.Manage) {
		t.Fatalf("%+v, %v", login, err)
	}
	if _, _, _, err := k.NewLogin(t.Context(), other, auth.Page{}); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("a second first link: %v", err)
	}
	if _, err := k.InviteFirst(t.Context(), local, "owner", links); !errors.Is(err, auth.ErrNotFirst) {
		t.Errorf("while an admin is in: %v", err)
	}
	if _, err := k.Revoke(t.Context(), login.Identity(), login.ID); err != nil {
		t.Fatal(err)
	}
	first()
}

// Logins without a proof, of earlier versions, can change nothing: they are nobody who
// could make a link, and nobody may be locked out by them.
func TestALoginWithoutAProofIsNoAdminWhoIsIn(t *testing.T) {
	store := &auth.Memory{}
	old := auth.Credential{
		ID: "01930000-0000-7000-8000-000000000000", Kind: auth.KindLogin, Subject: "ada", Roles: []auth.Role{auth.Admin},
		ExpiresAt: time.Now().Add(time.Hour), Fingerprint: auth.Fingerprint("old"),
	}
	if _, err := store.SaveCredentials(t.Context(), auth.Version{}, "ada", old); err != nil {
		t.Fatal(err)
	}
	k := newKeyring(t, store)
	links := auth.NewOneTime(auth.LinkSecret, time.Hour)
	who, _ := enter(t, k, k.Local(root))
	link, err := k.InviteFirst(t.Context(), who, "owner", links)
	if err != nil {
		t.Fatal(err)
	}
	invited, err := links.Redeem(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := k.NewLogin(t.Context(), invited, auth.Page{}); err != nil {
		t.Errorf("by the link: %v", err)
	}
}

func TestAFirstLinkEndsWhenAnAdminComesInAlsoIfTheyLeave(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	links := auth.NewOneTime(auth.LinkSecret, time.Hour)
	who, _ := enter(t, k, k.Local(root))
	link, err := k.InviteFirst(t.Context(), who, "owner", links)
	if err != nil {
		t.Fatal(err)
	}
	in, _, _, err := k.NewLogin(t.Context(), ada, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Revoke(t.Context(), in.Identity(), in.ID); err != nil {
		t.Fatal(err)
	}
	invited, err := links.Redeem(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := k.NewLogin(t.Context(), invited, auth.Page{}); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("by an earlier link: %v", err)
	}
}
