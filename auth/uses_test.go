package auth_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// counting counts the uses that are saved.
type counting struct {
	auth.Memory
	written int
	broken  error
}

func (c *counting) SaveUses(ctx context.Context, used ...auth.Credential) error {
	if c.broken != nil {
		return c.broken
	}
	c.written += len(used)
	return c.Memory.SaveUses(ctx, used...)
}

// the returns the only token of a keyring.
func the(t *testing.T, k *auth.Keyring) auth.Credential {
	t.Helper()
	list, err := k.List(root, auth.KindToken)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0]
}

func TestWhenAndFromWhereItWasUsedIsWrittenOnceAMinuteAndOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counting{}
		k := newKeyring(t, store)
		c, _ := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Agent}})
		upkeep := func() {
			t.Helper()
			if err := k.Upkeep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		upkeep()
		if got := the(t, k); !got.UsedAt.IsZero() || store.written != 0 {
			t.Errorf("before it was used: %+v, %d written", got, store.written)
		}
		for range 600 { // ten times a second
			k.Used(c.ID, "10.0.0.7")
			time.Sleep(100 * time.Millisecond)
		}
		if store.written != 0 {
			t.Errorf("%d written by requests", store.written)
		}
		for range 2 {
			upkeep()
		}
		if store.written != 1 {
			t.Errorf("%d written after a minute", store.written)
		}
		k.Used(c.ID, "10.0.0.7")
		used := time.Now()
		for range 59 { // however often it is called
			upkeep()
			time.Sleep(time.Second)
			k.Used(c.ID, "10.0.0.7")
		}
		if store.written != 2 {
			t.Errorf("%d written in the second minute", store.written-1)
		}
		k = newKeyring(t, store)
		if got := the(t, k); got.Address != "10.0.0.7" || used.Sub(got.UsedAt) > time.Minute+time.Second {
			t.Errorf("after a restart: %+v, used at %s", got, used)
		}
		time.Sleep(time.Hour)
		upkeep()
		if store.written != 2 {
			t.Errorf("%d written where nobody came", store.written)
		}
		store.broken = errors.New("no space left")
		k.Used(c.ID, "10.0.0.8") // a new address is shown at once
		if err := k.Upkeep(t.Context()); err == nil || the(t, k).Address != "10.0.0.8" {
			t.Error("it did not fail, or is not told of")
		}
		store.broken = nil
		upkeep()
		if got := the(t, newKeyring(t, store)); got.Address != "10.0.0.8" {
			t.Errorf("what could not be written was forgotten: %+v", got)
		}
	})
}

func TestWhoIsConnectedIsHereNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counting{}
		k := newKeyring(t, store)
		c, _ := token(t, k, auth.Access{Name: "ada", Roles: []auth.Role{auth.Viewer}})
		k.Used(c.ID, "10.0.0.7")
		_, _, leave, err := k.Resume(t.Context(), c.ID) // as a tab does
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Hour)
		if got := the(t, k); time.Since(got.UsedAt) > time.Second {
			t.Errorf("while its tab is open it was used at %s", got.UsedAt)
		}
		if err := k.Upkeep(t.Context()); err != nil || store.written != 1 {
			t.Errorf("%d written, %v", store.written, err)
		}
		time.Sleep(time.Hour)
		leave()
		left := time.Now()
		time.Sleep(time.Hour)
		if got := the(t, k); left.Sub(got.UsedAt).Abs() > time.Second || got.Address != "10.0.0.7" {
			t.Errorf("its tab was closed at %s; used at %s from %s", left, got.UsedAt, got.Address)
		}
	})
}

// What is sent to a browser that is closed does not make its person present.
func TestWhatIsDoneForSomebodyWhoIsNotThereIsNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeyring(t, &auth.Memory{})
		c, _ := token(t, k, auth.Access{Name: "ci", Roles: []auth.Role{auth.Agent}})
		time.Sleep(time.Hour)
		who, access, done, err := k.Follow(t.Context(), c.ID)
		if err != nil || who.Subject != "ci" {
			t.Fatal(who, err)
		}
		if got := the(t, k); !got.UsedAt.IsZero() {
			t.Errorf("meanwhile it was used: %+v", got)
		}
		done()
		if err := k.Upkeep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := the(t, k); !got.UsedAt.IsZero() || access.Err() == nil {
			t.Errorf("afterwards it was used: %+v, %v", got, access.Err())
		}
		_, access, done, err = k.Follow(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if _, err := k.Revoke(t.Context(), root, c.ID); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(context.Cause(access), auth.ErrOver) {
			t.Errorf("it was revoked, and goes on: %v", context.Cause(access))
		}
		if _, _, _, err := k.Follow(t.Context(), c.ID); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("of one that was revoked: %v", err)
		}
	})
}
