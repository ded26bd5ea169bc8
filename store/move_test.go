package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/store"
)

func TestDataMovesWithItsKeyOrStaysWhereItIs(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "data"), filepath.Join(dir, "state", "demo")
	fromKey, toKey := filepath.Join(dir, "keys", "a.pem"), filepath.Join(dir, "keys", "b.pem")
	s, err := store.Open(from, fromKey, bus.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Move(from, to, fromKey, toKey); !errors.Is(err, store.ErrLocked) {
		t.Errorf("while it runs: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(fromKey), 0o700), os.WriteFile(fromKey, []byte("a key"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := store.Move(filepath.Join(dir, "nothing"), to, fromKey, toKey); err == nil || !strings.Contains(err.Error(), "no gateway's data") {
		t.Errorf("nothing moves: %v", err)
	}
	if err := os.WriteFile(toKey, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.Move(from, to, fromKey, toKey); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("onto another key: %v", err)
	}
	if err := os.Remove(toKey); err != nil {
		t.Fatal(err)
	}
	if err := store.Move(from, to, fromKey, toKey); err != nil {
		t.Fatal(err)
	}
	if key, err := os.ReadFile(toKey); err != nil || string(key) != "a key" {
		t.Errorf("the key is %q, %v", key, err)
	}
	moved, err := store.Open(to, filepath.Join(dir, "keys", "c.pem"), bus.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := moved.Close(); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{from, fromKey} {
		if _, err := os.Stat(left); !os.IsNotExist(err) {
			t.Errorf("%s is still there", left)
		}
	}
}
