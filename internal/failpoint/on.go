//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// counts is how often each edge has been passed. It is a guard of the tests'
// build only.
var counts struct {
	sync.Mutex
	by map[string]int
}

// next counts how often a name was passed.
func next(name string) int {
	counts.Lock()
	defer counts.Unlock()
	if counts.by == nil {
		counts.by = map[string]int{}
	}
	counts.by[name]++
	return counts.by[name]
}

// Fault is what a full disk says, while the file exists that the environment
// variable LINECLEAR_FAULT names; with "#commit3" behind the name, for the third time that
// it is asked then, and for no other.
func Fault() error {
	if due("commit") {
		return syscall.ENOSPC
	}
	return nil
}

// due reports whether the operation about to be done has to fail. It keeps the count for
// each kind in a file beside the named one, for tests that fail each operation in turn.
func due(kind string) bool {
	path, which, one := strings.Cut(os.Getenv("LINECLEAR_FAULT"), "#")
	if path == "" {
		return false
	}
	if _, err := os.Stat(path); err != nil {
		return false
	}
	if !one {
		return kind == "commit"
	}
	nth, ok := strings.CutPrefix(which, kind)
	if !ok {
		return false
	}
	n := strconv.Itoa(next(kind))
	_ = os.WriteFile(path+".count", []byte(n), 0o600)
	return n == nth
}

// Here marks an edge; see the package's doc.
func Here(when, edge string) {
	edge = when + " " + edge
	n := next(edge)
	want := os.Getenv("LINECLEAR_FAILPOINT")
	if want == edge && n == 1 || want == fmt.Sprintf("%s#%d", edge, n) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing may happen any more
	}
}
