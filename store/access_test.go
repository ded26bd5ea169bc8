package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/auth"
)

// count returns the number that a query yields.
func count(t *testing.T, dir, query string) (n int) {
	t.Helper()
	db, err := database(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAccessOutlivesTheProcessWithItsLastUseInvitationsAndEnds(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	root := auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
	keys, err := auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	must(err)
	ben := auth.Identity{Subject: "ben", Roles: []auth.Role{auth.Viewer}}
	login, _, _, err := keys.NewLogin(t.Context(), ben, auth.Page{Browser: "Firefox on Linux"})
	must(err)
	gone, _, proof, err := keys.NewLogin(t.Context(), ben, auth.Page{})
	must(err)
	_, err = keys.Revoke(t.Context(), root, gone.ID)
	must(err)
	invited, link, err := keys.Invite(t.Context(), root, auth.Access{Name: "cara", Roles: []auth.Role{auth.Viewer}}, time.Hour)
	must(err)
	before := len(collect(t, s.Audit(t.Context())))
	keys.Used(login.ID, "10.0.4.21")
	must(keys.Upkeep(t.Context()))
	if after := len(collect(t, s.Audit(t.Context()))); after != before {
		t.Errorf("a use leaves %d audit records", after-before)
	}
	_, err = keys.Update(t.Context(), root, login.ID, auth.Change{Roles: &[]auth.Role{auth.Approver}})
	must(err)
	listed := func(keys *auth.Keyring) []auth.Credential {
		list, err := keys.List(root, auth.KindLogin)
		must(err)
		return list
	}
	want := listed(keys)
	stop()
	if n := count(t, dir, "SELECT count(*) FROM credentials WHERE credential LIKE '%10.0.4.21%'"); n != 0 {
		t.Errorf("an address is kept in %d other places", n)
	}
	_, s, stop = running(t, dir)
	defer stop()
	keys, err = auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	must(err)
	if diff := cmp.Diff(want, listed(keys)); diff != "" || want[0].Address != "10.0.4.21" || want[0].UsedAt.IsZero() || want[0].Browser != "Firefox on Linux" {
		t.Errorf("%+v (-want +got):\n%s", want, diff)
	}
	if end, told := keys.EndOf(gone.ID, proof.Text); !told || end.Reason != auth.EndSignedOut || end.By != "root" {
		t.Errorf("why the other ended: %v %+v", told, end)
	}
	list, err := keys.Invitations(root)
	must(err)
	if diff := cmp.Diff([]auth.Invitation{invited}, list); diff != "" {
		t.Errorf("invitations (-want +got):\n%s", diff)
	}
	who, err := keys.Redeem(t.Context(), link)
	if err != nil || who.Subject != "cara" {
		t.Errorf("the link logs in as %+v, %v", who, err)
	}
	kept, err := s.Credentials().ReadAccess(t.Context())
	must(err)
	_, err = s.Credentials().Forget(t.Context(), kept.Version, invited.ID, gone.ID)
	must(err)
	keys, err = auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	must(err)
	if list, err = keys.Invitations(root); err != nil || len(list) != 0 {
		t.Errorf("what was forgotten is listed: %+v, %v", list, err)
	}
}
