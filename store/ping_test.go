package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

func TestAPingIsACommitOfItsOwnAndFailsWhereNothingCanBeKept(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "key"), bus.New([]bus.Named{session.Events}))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	commits, changes := 0, 0
	s.Watch(store.Hooks{Committed: func(n int, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		commits, changes = commits+1, changes+n
		if took <= 0 {
			t.Errorf("a commit took %s", took)
		}
	}})
	waiting, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := s.Ping(waiting); !errors.Is(err, context.Canceled) {
		t.Errorf("before it runs: %v", err)
	}
	running, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(running) }()
	for range 3 {
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	}
	stop()
	<-ended
	mu.Lock()
	if commits != 3 || changes != 3 {
		t.Errorf("%d commits of %d changes were told of", commits, changes)
	}
	mu.Unlock()
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrStopped) {
		t.Errorf("after it has ended: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
