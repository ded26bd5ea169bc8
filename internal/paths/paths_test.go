package paths_test

import (
	"os"
	"path/filepath"
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
