package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/notify"
	"github.com/lineclear/lineclear/store"
)

// subscribed logs somebody in and keeps how their browser is called.
func subscribed(t *testing.T, s *store.Store, keys *auth.Keyring, subject string) notify.Subscription {
	t.Helper()
	c, _, _, err := keys.NewLogin(t.Context(), auth.Identity{Subject: subject, Roles: []auth.Role{auth.Admin}}, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	made := notify.Subscription{
		LoginID: c.ID, Endpoint: "https://push.example.com/of-" + subject, PublicKey: []byte("key of " + subject), Secret: []byte("secret"),
		CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	if err := s.Subscriptions().SaveSubscription(t.Context(), subject, made); err != nil {
		t.Fatal(err)
	}
	return made
}

func wantSubscriptions(t *testing.T, what string, s *store.Store, want ...notify.Subscription) {
	t.Helper()
	got, err := s.Subscriptions().ListSubscriptions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byLogin := cmpopts.SortSlices(func(a, b notify.Subscription) bool { return a.LoginID < b.LoginID })
	if diff := cmp.Diff(want, got, byLogin, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestASubscriptionIsKeptUntilItsLoginEnds(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	keys, err := auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ada, ben, carol := subscribed(t, s, keys, "ada"), subscribed(t, s, keys, "ben"), subscribed(t, s, keys, "carol")
	wantSubscriptions(t, "all", s, ada, ben, carol)

	ada.LastSuccess, ada.Refused = time.Now().UTC().Truncate(time.Microsecond), 3
	if err := s.Subscriptions().NoteSubscription(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	other := ben
	other.Endpoint = "https://push.example.com/other"
	if err := errors.Join(s.Subscriptions().NoteSubscription(t.Context(), other), s.Subscriptions().DropSubscription(t.Context(), "ben", other)); err != nil {
		t.Fatal(err)
	}
	stop()
	_, s, stop = running(t, dir)
	defer stop()
	wantSubscriptions(t, "after a restart, and what is about another of ben's", s, ada, ben, carol)

	if keys, err = auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour); err != nil {
		t.Fatal(err)
	}
	root := auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
	if _, err := keys.Update(t.Context(), root, ben.LoginID, auth.Change{Agents: auth.Scope{"demo"}}); err != nil {
		t.Fatal(err)
	}
	wantSubscriptions(t, "ben's login was changed", s, ada, ben, carol)
	if _, err := keys.Revoke(t.Context(), root, ben.LoginID); err != nil {
		t.Fatal(err)
	}
	wantSubscriptions(t, "ben's login was revoked", s, ada, carol)
	if err := s.Subscriptions().SaveSubscription(t.Context(), "ben", ben); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("one of a login that is over: %v", err)
	}
	if err := s.Subscriptions().DropSubscription(t.Context(), "system", carol); err != nil {
		t.Fatal(err)
	}
	wantSubscriptions(t, "carol's was dropped", s, ada)
}

func TestALoginAndAnEndpointHaveOneSubscription(t *testing.T) {
	_, s, stop := running(t, t.TempDir())
	defer stop()
	keys, err := auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ada, ben := subscribed(t, s, keys, "ada"), subscribed(t, s, keys, "ben")
	moved := ada
	moved.Endpoint = "https://push.example.com/new"
	taken := ben
	taken.Endpoint = moved.Endpoint
	for _, next := range []notify.Subscription{moved, taken} {
		if err := s.Subscriptions().SaveSubscription(t.Context(), "x", next); err != nil {
			t.Fatal(err)
		}
	}
	wantSubscriptions(t, "the last one", s, taken)
}

func TestTheAuditLogHasWhoIsCalledAndNotWhere(t *testing.T) {
	_, s, stop := running(t, t.TempDir())
	defer stop()
	keys, err := auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ada := subscribed(t, s, keys, "ada")
	for range 2 { // the second one finds nothing
		if err := s.Subscriptions().DropSubscription(t.Context(), "system", ada); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range collect(t, s.Audit(t.Context())) {
		if r.Kind == audit.PushOn || r.Kind == audit.PushOff {
			got = append(got, string(r.Kind)+" by "+r.Subject+": "+string(r.Data))
		}
	}
	data := `{"accessId":"` + ada.LoginID + `","service":"push.example.com"}`
	if diff := cmp.Diff([]string{"push.on by ada: " + data, "push.off by system: " + data}, got); diff != "" {
		t.Errorf("the records (-want +got):\n%s", diff)
	}
}

func TestThePushKeyIsMadeOnceAndItsOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	defer stop()
	first, err := s.PushKey()
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.PushKey()
	if err != nil || !first.Equal(again) {
		t.Errorf("the second time it is another one: %v", err)
	}
	file := filepath.Join(dir, store.PushKeyName)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its file is %v, %v", info, err)
	}
	if err := os.WriteFile(file, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PushKey(); err == nil || !strings.Contains(err.Error(), "restore it from a backup, or remove it") {
		t.Errorf("a damaged one: %v", err)
	}
}
