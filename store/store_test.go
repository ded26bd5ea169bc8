package store_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the tests run on: SQLite, or, in those of postgres_test.go, Postgres.
var (
	opened   = store.Open
	database = func(_ *testing.T, dir string) (*sql.DB, error) {
		return sql.Open("sqlite", filepath.Join(dir, store.FileName))
	}
)

// running opens a folder, runs its writer, and returns how to end both.
func running(t *testing.T, dir string) (approvaltest.Fixture, *store.Store, func()) {
	t.Helper()
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	s, err := opened(dir, keyOf(dir), b)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop := func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the writer ended with %v", err)
		}
		wantNoScans(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	rows := s.Approvals()
	return approvaltest.Fixture{Store: rows, Grants: rows, Log: s.Sessions(), Bus: b, Promises: promises}, s, stop
}

func fixture(t *testing.T) approvaltest.Fixture {
	dir := t.TempDir()
	f, _, stop := running(t, dir)
	current := stop
	t.Cleanup(func() { current() })
	f.Reopen = func(t *testing.T) approvaltest.Fixture {
		current()
		var again approvaltest.Fixture
		again, _, current = running(t, dir)
		return again
	}
	return f
}

func TestSQLiteKeepsTheContract(t *testing.T) { approvaltest.Run(t, fixture) }
