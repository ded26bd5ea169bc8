//go:build postgres

package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

func TestPostgresIsGivenTheLoginsOfAFolderAndGivesThemBack(t *testing.T) {
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key.pem")
	s, err := store.Open(dir, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, store.LoginsName), 0o700); err != nil {
		t.Fatal(err)
	}
	const login = `{"token":{"access_token":"T"}}`
	if err := os.WriteFile(filepath.Join(dir, store.LoginsName, "bank.json"), []byte(login), 0o600); err != nil {
		t.Fatal(err)
	}
	shared := postgres.Options{URL: postgrestest.Start(t).Database(t), Node: "one"}
	if _, err := store.MoveToShared(t.Context(), dir, key, shared); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), shared)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if got, err := db.Logins().Read(t.Context(), "bank"); err != nil || string(got) != login {
		t.Errorf("the database has %s (%v)", got, err)
	}
	back := t.TempDir()
	if err := store.CopyOfShared(t.Context(), shared, back); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(back, store.LoginsName, "bank.json")
	if got, err := os.ReadFile(file); err != nil || string(got) != login {
		t.Errorf("the copy has %s (%v)", got, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
}
