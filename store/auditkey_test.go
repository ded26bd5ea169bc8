package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/store"
)

// A configuration may say that the key stays where an earlier version had it.
func TestAKeyThatIsSaidToBeInTheDataFolderStaysThere(t *testing.T) {
	for name, said := range map[string]func(t *testing.T, inside string) string{
		"by its path": func(_ *testing.T, inside string) string { return inside },
		"by a link to it": func(t *testing.T, inside string) string {
			file := filepath.Join(t.TempDir(), "key.pem")
			if err := os.Symlink(inside, file); err != nil {
				t.Fatal(err)
			}
			return file
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ended(t)
			inside := filepath.Join(dir, "audit.key")
			if err := os.Rename(keyOf(dir), inside); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(inside)
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir, said(t, inside), bus.New(nil))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if after, err := os.ReadFile(inside); err != nil || string(after) != string(before) || s.KeyMoved {
				t.Errorf("it is %q, moved %t, %v", after, s.KeyMoved, err)
			}
		})
	}
}

// Homes are often reached by a link, and the data folder is made after the first look.
func TestTheKeyHasOneFileBeforeItsFolderIsMadeAndAfter(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(t.TempDir(), home); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "state", "data")
	before, err := store.KeyFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if after, err := store.KeyFile(dir); err != nil || after != before {
		t.Errorf("before %s, after %s, %v", before, after, err)
	}
}
