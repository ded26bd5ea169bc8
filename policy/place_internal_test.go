package policy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPathLeadsToTheSamePlaceWhenResolvedFromItsFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"link": "a", "a/up": "../..", "loop": "loop", "a/abs": dir + "/a/b", "none": "a/none", "own": "/proc/self", "fd": "/dev/fd", "a/b/l": "../../link/b",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	steps := []string{"a", "b", "link", "up", "loop", "abs", "none", "own", "fd", "file", "l", "cwd", "3", ".", "..", ""}
	known := places{}
	for _, x := range steps {
		for _, y := range steps {
			for _, z := range steps {
				path := dir + "/" + strings.Join([]string{x, y, z}, "/")
				want, err := resolve(path)
				if got := known.at(path); got.sure != (err == nil) || err == nil && got.resolved != want || got.foreign != errors.Is(err, errForeign) {
					t.Errorf("%s: %+v, want %s, %v", path, got, want, err)
				}
			}
		}
	}
}
