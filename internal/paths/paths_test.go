package paths_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/paths"
)

func TestARealPathHasNoLinksAsFarAsItIsThere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                                  dir,
		filepath.Join(dir, "link"):           dir,
		filepath.Join(dir, "link/none/such"): filepath.Join(dir, "none/such"),
		"/none/such":                         "/none/such",
	} {
		if got := paths.Real(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestWhatLiesInAFolder(t *testing.T) {
	for path, want := range map[string]bool{"/a": true, "/a/b": true, "/a/..b": true, "/ab": false, "/": false, "/b/a": false, "b": false} {
		if got := paths.Within("/a", path); got != want {
			t.Errorf("%s in /a: %t", path, got)
		}
	}
}

func TestSecretsAreFoundUnderEveryName(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, folder := range []string{"src", "node_modules/x", ".ssh"} {
		if err := os.MkdirAll(at(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".env", "src/server.pem", "src/main.go", "src/other.go", "node_modules/x/.env", ".ssh/id_rsa"} {
		if err := os.WriteFile(at(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{".env": "src/notes.txt", "src/main.go": "src/copy.go"} {
		if err := os.Link(at(from), at(to)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	if err := paths.Secrets(dir, 100, true, func(path string, _ bool) bool {
		got = append(got, strings.TrimPrefix(path, dir+"/"))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := []string{".env", ".ssh", "src/notes.txt", "src/server.pem"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := paths.Secrets(dir, 3, true, func(string, bool) bool { return true }); !errors.Is(err, paths.ErrTooMany) {
		t.Errorf("of too many: %v", err)
	}
}
