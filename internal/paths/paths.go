// Package paths compares and names paths, resolving symbolic links.
package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// Real resolves the symbolic links in an absolute path, as far as it exists.
func Real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(Real(parent), filepath.Base(path))
	}
	return path
}

// Within reports whether a path is the folder or below it. It looks at names only.
func Within(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// Tag returns a short hash of a path or URL, to name files after it.
func Tag(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
