//go:build !failpoints

package failpoint

// Here marks an edge; see the package's doc.
func Here(when, edge string) {}

// Fault is nil; see the package's doc.
func Fault() error { return nil }

// Disk does nothing; see the package's doc.
func Disk() {}
