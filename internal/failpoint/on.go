//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// counts is how often each edge has been passed. It is a guard of the tests'
// build only.
var counts struct {
	sync.Mutex
	by map[string]int
}

// Fault is what a full disk says, while the file exists that the environment
// variable LINECLEAR_FAULT names; with "#3" behind the name, for the third time that it
// is asked then, and for no other.
func Fault() error {
	path, nth, one := strings.Cut(os.Getenv("LINECLEAR_FAULT"), "#")
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	if one && nth != strconv.Itoa(int(faults.Add(1))) {
		return nil
	}
	return syscall.ENOSPC
}

// faults counts how often Fault was asked while the file was there.
var faults atomic.Int64

// Here marks an edge; see the package's doc.
func Here(when, edge string) {
	edge = when + " " + edge
	counts.Lock()
	defer counts.Unlock()
	if counts.by == nil {
		counts.by = map[string]int{}
	}
	counts.by[edge]++
	want := os.Getenv("LINECLEAR_FAILPOINT")
	if want == edge && counts.by[edge] == 1 || want == fmt.Sprintf("%s#%d", edge, counts.by[edge]) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing may happen any more
	}
}
