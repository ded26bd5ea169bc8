// Package paths compares places in the file system, whatever links lead to them.
package paths

import (
	"path/filepath"
	"strings"
)

// Real is an absolute path without symbolic links, as far as it is there.
func Real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(Real(parent), filepath.Base(path))
	}
	return path
}

// Within reports whether a path is a folder or lies below it, by their names.
func Within(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, "../")
}
