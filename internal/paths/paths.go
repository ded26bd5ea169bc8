// Package paths compares places in the file system, whatever links lead to them.
package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
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
	return err == nil && filepath.IsLocal(rest)
}

// Tag is a short name for a path or an address, for the file that is kept about it.
func Tag(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
