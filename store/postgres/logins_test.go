//go:build postgres

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

var _ transport.Logins = (*postgres.Logins)(nil)

// loginsOf opens people's logins as two programs have them.
func loginsOf(t *testing.T) (one, two *postgres.Logins) {
	t.Helper()
	url := server.Database(t)
	for _, l := range []**postgres.Logins{&one, &two} {
		db := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: url}))
		t.Cleanup(func() { _ = db.Close() })
		*l = db.Logins()
	}
	return one, two
}

func TestALoginIsReplacedOnlyAsItWasRead(t *testing.T) {
	one, two := loginsOf(t)
	if _, err := one.Read(t.Context(), "bank"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before any login: %v", err)
	}
	unlock := must[func()](t)(one.Lock(t.Context(), "bank"))
	defer unlock()
	if _, err := one.Read(t.Context(), "bank"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before any login, locked: %v", err)
	}
	for _, c := range []struct {
		l       *postgres.Logins
		was, is string
		written bool
	}{
		{one, "", "1", true},
		{one, "1", "2", true},
		{two, "1", "3", false}, // it has been read too early
		{one, "1", "2", true},  // once more, where the answer was lost
		{two, "2", "3", true},
		{one, "", "4", true}, // a new login
	} {
		var was []byte
		if c.was != "" {
			was = []byte(c.was)
		}
		if written, err := c.l.Write(t.Context(), "bank", was, []byte(c.is)); err != nil || written != c.written {
			t.Errorf("%q for %q: %v, %v", c.is, c.was, written, err)
		}
	}
	if got := string(must[[]byte](t)(two.Read(t.Context(), "bank"))); got != "4" {
		t.Errorf("it is %q", got)
	}
	if err := two.Remove(t.Context(), "bank"); err != nil {
		t.Error(err)
	}
	if err := one.Remove(t.Context(), "bank"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed again: %v", err)
	}
	if written, err := one.Write(t.Context(), "bank", []byte("4"), []byte("5")); err != nil || written {
		t.Errorf("after it was removed: %v, %v", written, err)
	}
}

func TestALoginIsLockedForOneAtATimeWhicheverNodeItIsOn(t *testing.T) {
	one, two := loginsOf(t)
	unlock := must[func()](t)(one.Lock(t.Context(), "bank"))
	if written, err := one.Write(t.Context(), "bank", nil, []byte("0")); err != nil || !written {
		t.Fatal(written, err)
	}
	unlock()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			l := []*postgres.Logins{one, two}[i%2]
			unlock, err := l.Lock(t.Context(), "bank")
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			var n int
			raw, err := l.Read(t.Context(), "bank")
			if _, scan := fmt.Sscan(string(raw), &n); err != nil || scan != nil {
				t.Error(err, scan)
			}
			if written, err := l.Write(t.Context(), "bank", raw, fmt.Append(nil, n+1)); err != nil || !written {
				t.Error(written, err)
			}
		})
	}
	all.Wait()
	if got := string(must[[]byte](t)(one.Read(t.Context(), "bank"))); got != "8" {
		t.Errorf("8 changes one after the other made it %s", got)
	}
}

func TestALockWhoseHolderIsGoneEnds(t *testing.T) {
	one, two := loginsOf(t)
	left := must[func()](t)(one.Lock(t.Context(), "bank"))
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("no longer"))
	if _, err := two.Lock(ctx, "bank"); err == nil || err.Error() != "no longer" && !errors.Is(err, context.Canceled) {
		t.Errorf("while it is held: %v", err)
	}
	left()
	one.LockFor = time.Microsecond
	late := must[func()](t)(one.Lock(t.Context(), "bank"))
	unlock := must[func()](t)(two.Lock(t.Context(), "bank"))
	late() // which is not its own any more
	waiting, stopWaiting := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stopWaiting()
	if _, err := one.Lock(waiting, "bank"); err == nil {
		t.Error("who was late has given away the lock of another one")
	}
	unlock()
}

func TestATokenThatWasRenewedIsKeptOverARestartOfTheServer(t *testing.T) {
	alone := postgresAlone(t)
	url := alone.Database(t)
	db := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: url}))
	t.Cleanup(func() { _ = db.Close() })
	l := db.Logins()
	defer must[func()](t)(l.Lock(t.Context(), "bank"))()
	alone.Restart(t)
	if written, err := l.Write(t.Context(), "bank", nil, []byte("1")); err != nil || !written {
		t.Errorf("%v, %v", written, err)
	}
}
