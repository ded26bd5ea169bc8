// Package sandboxtest makes sandboxes for tests.
package sandboxtest

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/lineclear/lineclear/internal/sandbox"
)

// New returns a sandbox that works. A test is skipped only where the kernel refuses
// sandboxes, and never in CI; a missing program fails it.
func New(t *testing.T, o sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("bubblewrap exists for Linux only")
	}
	s, err := sandbox.New(o)
	if err == nil {
		err = s.Try(t.Context())
	}
	switch {
	case errors.Is(err, sandbox.ErrMissing):
		t.Fatalf("%v; make sandbox installs it", err)
	case errors.Is(err, sandbox.ErrRefused) && os.Getenv("CI") == "":
		t.Skipf("NOT TESTED: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	return s
}
