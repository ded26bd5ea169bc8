//go:build postgres

package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

func TestOfACommitInPostgresANodeHearsAtOnceFromWhoeverTellsIt(t *testing.T) {
	url := postgrestest.Start(t).Database(t)
	dir := t.TempDir()
	open := func(node string) (*store.Store, *bus.Bus) {
		b := bus.New([]bus.Named{session.Events})
		s, err := store.OpenShared(t.Context(), postgres.Options{URL: url, Direct: "postgres://127.0.0.1:1/nowhere", Node: node}, filepath.Join(dir, node), filepath.Join(dir, "key", "audit.pem"), b)
		if err != nil {
			t.Fatal(err)
		}
		s.LookEvery(time.Hour)
		return s, b
	}
	run := func(s *store.Store) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		t.Cleanup(func() {
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	one, _ := open("one")
	two, heard := open("two")
	one.Watch(store.Hooks{Shared: func(position int64) {
		if position <= 0 {
			t.Errorf("its position is %d", position)
		}
		two.Look()
	}})
	run(one)
	run(two)
	sub := heard.Subscribe(16, session.Events)
	defer sub.Close()
	s, err := one.Sessions().Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	e, err := sub.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := session.Events.From(e); got.SessionID != s.ID {
		t.Errorf("it hears of %+v", got)
	}
}
