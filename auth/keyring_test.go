package auth_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/auth"
)

var root = auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}

func newKeyring(t *testing.T, store auth.CredentialStore) *auth.Keyring {
	t.Helper()
	k, err := auth.OpenKeyring(t.Context(), store, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func token(t *testing.T, k *auth.Keyring, a auth.Access) (auth.Credential, string) {
	t.Helper()
	c, secret, err := k.NewToken(t.Context(), root, a)
	if err != nil {
		t.Fatal(err)
	}
	return c, secret
}

func anyKind() []auth.Kind {
	return []auth.Kind{auth.KindLogin, auth.KindTerminal, auth.KindToken, auth.KindLocal}
}

// enter comes in, and fails the test if it can't.
func enter(t *testing.T, k *auth.Keyring, secret string) (auth.Identity, context.Context) {
	t.Helper()
	who, access, leave, err := k.Authenticate(t.Context(), secret, anyKind()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	return who, access
}

func mustBeOver(t *testing.T, what string, access context.Context) {
	t.Helper()
	if err := context.Cause(access); !errors.Is(err, auth.ErrOver) {
		t.Errorf("%s: the access's end is %v", what, err)
	}
}

func TestWhoIsInIsPutOutWhenItIsRevokedChangedOrOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeyring(t, &auth.Memory{})
		a, secretA := token(t, k, auth.Access{Name: "a", Roles: []auth.Role{auth.Approver}})
		b, secretB := token(t, k, auth.Access{Name: "b", Roles: []auth.Role{auth.Admin}})
		_, secretC := token(t, k, auth.Access{Name: "c", Roles: []auth.Role{auth.Viewer}, ExpiresAt: time.Now().Add(time.Minute)})
		whoA, visitA := enter(t, k, secretA)
		_, visitB := enter(t, k, secretB)
		_, visitC := enter(t, k, secretC)

		if _, err := k.Revoke(t.Context(), root, a.ID); err != nil {
			t.Fatal(err)
		}
		mustBeOver(t, "revoked", visitA)
		if visitB.Err() != nil || visitC.Err() != nil {
			t.Error("others were put out as well")
		}
		if _, _, _, err := k.Authenticate(t.Context(), secretA, anyKind()...); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("the secret still opens: %v", err)
		}
		if _, _, _, err := k.Resume(t.Context(), whoA.Credential); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("an earlier ticket still opens: %v", err)
		}

		viewer := []auth.Role{auth.Viewer}
		if _, err := k.Update(t.Context(), root, b.ID, auth.Change{Roles: &viewer}); err != nil {
			t.Fatal(err)
		}
		mustBeOver(t, "changed", visitB)
		whoB, _, leave, err := k.Resume(t.Context(), b.ID)
		if err != nil || whoB.May(auth.Manage) || !whoB.May(auth.See) {
			t.Errorf("an earlier ticket gives %+v, %v", whoB, err)
		}
		leave()

		time.Sleep(time.Minute) // the bubble's clock
		synctest.Wait()
		mustBeOver(t, "expired", visitC)
		if _, _, _, err := k.Authenticate(t.Context(), secretC, anyKind()...); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("an expired secret opens: %v", err)
		}
	})
}

func TestALoginThatATokenBeganEndsWithIt(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	until := time.Now().Add(10 * time.Minute)
	c, secret := token(t, k, auth.Access{Name: "ada", Roles: []auth.Role{auth.Admin}, ExpiresAt: until})
	who, _ := enter(t, k, secret)
	login, cookie, _, err := k.NewLogin(t.Context(), who, auth.Page{})
	if err != nil || login.ExpiresAt.After(until) {
		t.Fatalf("the login lasts until %s, the token until %s: %v", login.ExpiresAt, until, err)
	}
	approver := []auth.Role{auth.Approver}
	if _, err := k.Update(t.Context(), root, c.ID, auth.Change{Roles: &approver}); err != nil {
		t.Fatal(err)
	}
	in, access := enter(t, k, cookie)
	if in.May(auth.Manage) {
		t.Error("the login is more than its token")
	}
	if _, err := k.Revoke(t.Context(), root, c.ID); err != nil {
		t.Fatal(err)
	}
	mustBeOver(t, "the token's end", access)
	if _, _, _, err := k.NewLogin(t.Context(), who, auth.Page{}); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("a login by a token that was revoked meanwhile: %v", err)
	}
}

func TestASecretOpensWhatItBelongsToAndNothingElseDoes(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	_, secret := token(t, k, auth.Access{Name: "a", Roles: []auth.Role{auth.Viewer}})
	local := k.Local(root)
	if who, _ := enter(t, k, local); who.Subject != "root" || !who.May(auth.Manage) {
		t.Errorf("the local one: %+v", who)
	}
	for _, own := range []string{secret, local} {
		for _, wrong := range []string{"", own + " ", own[1:], own[:len(own)-1], strings.ToUpper(own), auth.Fingerprint(own)} {
			if _, _, _, err := k.Authenticate(t.Context(), wrong, anyKind()...); !errors.Is(err, auth.ErrUnknown) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
	}
	if _, _, _, err := k.Resume(t.Context(), ""); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("by no credential: %v", err)
	}
}

func TestWhoMaySayWhoComesIn(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	mine, secret := token(t, k, auth.Access{Name: "mine", Roles: []auth.Role{auth.Viewer}})
	other, _ := token(t, k, auth.Access{Name: "other", Roles: []auth.Role{auth.Viewer}})
	me, _ := enter(t, k, secret)
	scoped := auth.Identity{Subject: "x", Roles: []auth.Role{auth.Admin}, Agents: []string{"demo"}}
	for _, who := range []auth.Identity{me, scoped, {}, {Subject: "r", Roles: []auth.Role{auth.Admin, auth.Agent}}} {
		_, _, made := k.NewToken(t.Context(), who, auth.Access{Name: "n", Roles: []auth.Role{auth.Admin}})
		_, changed := k.Update(t.Context(), who, other.ID, auth.Change{})
		_, revoked := k.Revoke(t.Context(), who, other.ID)
		_, listed := k.List(who, auth.KindToken)
		_, _, invited := k.Invite(t.Context(), who, auth.Access{Name: "n", Roles: []auth.Role{auth.Admin}}, time.Minute)
		for what, err := range map[string]error{"made": made, "changed": changed, "revoked": revoked, "listed": listed, "invited": invited} {
			if !errors.Is(err, auth.ErrForbidden) {
				t.Errorf("%+v %s: %v", who, what, err)
			}
		}
	}
	if _, err := k.Revoke(t.Context(), me, mine.ID); err != nil {
		t.Errorf("its own: %v", err)
	}
}

func TestAccessThatCanNotBeIsRefusedByField(t *testing.T) {
	k := newKeyring(t, &auth.Memory{})
	token(t, k, auth.Access{Name: "taken", Roles: []auth.Role{auth.Viewer}})
	viewer := []auth.Role{auth.Viewer}
	for field, a := range map[string]auth.Access{
		"name: missing":        {Roles: viewer},
		"name: there is":       {Name: "taken", Roles: viewer},
		"name: at most":        {Name: strings.Repeat("x", 65), Roles: viewer},
		`name: "system"`:       {Name: "system", Roles: viewer},
		`name: "a\nb"`:         {Name: "a\nb", Roles: viewer},
		`name: "ada "`:         {Name: "ada ", Roles: viewer},
		`name: "a\u202eb"`:     {Name: "a\u202eb", Roles: viewer},
		`subject: "policy"`:    {Name: "n", Subject: "policy", Roles: viewer},
		"roles: missing":       {Name: "n"},
		"roles: unknown":       {Name: "n", Roles: []auth.Role{"root"}},
		"roles: agent stands":  {Name: "n", Roles: []auth.Role{auth.Agent, auth.Admin}},
		"agents: ":             {Name: "n", Roles: viewer, Agents: []string{""}},
		"expiresAt: 2020-01-0": {Name: "n", Roles: viewer, ExpiresAt: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if _, _, err := k.NewToken(t.Context(), root, a); !errors.Is(err, auth.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if list, err := k.List(root, auth.KindToken); err != nil || len(list) != 1 {
		t.Errorf("there are %+v, %v", list, err)
	}
}

// fallible is a store that fails when it is told to.
type fallible struct {
	auth.Memory
	broken error
	saving func()
}

func (f *fallible) SaveCredentials(ctx context.Context, seen auth.Version, by string, saved ...auth.Credential) (auth.Version, error) {
	if f.saving != nil {
		f.saving()
	}
	if f.broken != nil {
		return seen, f.broken
	}
	return f.Memory.SaveCredentials(ctx, seen, by, saved...)
}

func (f *fallible) DropCredentials(ctx context.Context, seen auth.Version, by string, why auth.LoginEnd, dropped ...auth.Credential) (auth.Version, error) {
	if f.broken != nil {
		return seen, f.broken
	}
	return f.Memory.DropCredentials(ctx, seen, by, why, dropped...)
}

// model is what the keyring should know: who may come in by which secret, and
// which accesses go on.
type model struct {
	store   fallible
	keyring *auth.Keyring
	secrets []*known
}

type known struct {
	id, secret string
	role       auth.Role
	good       bool
	accesses   []context.Context
}

func (m *model) some(t *rapid.T) *known {
	if len(m.secrets) == 0 {
		t.Skip("nobody is there")
	}
	return m.secrets[rapid.IntRange(0, len(m.secrets)-1).Draw(t, "whose")]
}

// breaks has the disk fail now and then.
func (m *model) breaks(t *rapid.T) bool {
	m.store.broken = nil
	if rapid.IntRange(0, 4).Draw(t, "breaks") == 0 {
		m.store.broken = errors.New("no space left")
	}
	return m.store.broken != nil
}

func drawRole(t *rapid.T) auth.Role {
	return rapid.SampledFrom([]auth.Role{auth.Viewer, auth.Approver, auth.Operator, auth.Admin, auth.Agent}).Draw(t, "role")
}

func (m *model) create(t *rapid.T) {
	role, failed := drawRole(t), m.breaks(t)
	c, secret, err := m.keyring.NewToken(t.Context(), root, auth.Access{Name: "n" + strconv.Itoa(len(m.secrets)), Roles: []auth.Role{role}})
	if (err != nil) != failed {
		t.Fatalf("made: %v", err)
	}
	if err == nil {
		m.secrets = append(m.secrets, &known{id: c.ID, secret: secret, role: role, good: true})
	}
}

func (m *model) revoke(t *rapid.T) {
	it, failed := m.some(t), m.breaks(t)
	_, err := m.keyring.Revoke(t.Context(), root, it.id)
	if (err == nil) != (it.good && !failed) {
		t.Fatalf("revoked (%+v): %v", it, err)
	}
	if it.good {
		it.putOut(t)
	}
	it.good = it.good && failed
}

func (m *model) change(t *rapid.T) {
	it, roles, failed := m.some(t), []auth.Role{drawRole(t)}, m.breaks(t)
	_, err := m.keyring.Update(t.Context(), root, it.id, auth.Change{Roles: &roles})
	if (err == nil) != (it.good && !failed) {
		t.Fatalf("changed (%+v): %v", it, err)
	}
	if it.good { // also where it failed: then they come in again as what they were
		it.putOut(t)
	}
	if err == nil {
		it.role = roles[0]
	}
}

func (m *model) enter(t *rapid.T) {
	it := m.some(t)
	who, access, _, err := m.keyring.Authenticate(context.Background(), it.secret, anyKind()...)
	if (err == nil) != it.good {
		t.Fatalf("entered (%+v): %v", it, err)
	}
	if err != nil {
		return
	}
	if who.Roles[0] != it.role {
		t.Fatalf("in as %+v, want %s", who, it.role)
	}
	it.accesses = append(it.accesses, access)
}

func (m *model) restart(t *rapid.T) {
	m.store.broken = nil
	var err error
	if m.keyring, err = auth.OpenKeyring(t.Context(), &m.store, time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, it := range m.secrets {
		it.accesses = nil
	}
}

// putOut checks that all access has ended.
func (it *known) putOut(t *rapid.T) {
	for _, access := range it.accesses {
		if access.Err() == nil {
			t.Fatal("an access goes on")
		}
	}
	it.accesses = nil
}

// check is that whoever is in by what is good has not been put out.
func (m *model) check(t *rapid.T) {
	for _, it := range m.secrets {
		for _, access := range it.accesses {
			if access.Err() != nil {
				t.Fatalf("an access by what is good is over: %v", context.Cause(access))
			}
		}
	}
}

func TestTheKeyringKnowsExactlyWhoMayComeInOverRestartsAndFailingDisks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{}
		m.restart(t)
		t.Repeat(map[string]func(*rapid.T){
			"make": m.create, "revoke": m.revoke, "change": m.change, "enter": m.enter, "restart": m.restart, "": m.check,
		})
	})
}
