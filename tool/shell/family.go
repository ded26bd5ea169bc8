package shell

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EndLeftovers ends the processes that the call with this id left running, as
// after a crash of the process that ran it. It reports whether there were any;
// an error names those that could not be ended. It finds them by their
// environment, which only Linux shows.
func EndLeftovers(callID string, grace time.Duration) (bool, error) {
	if callID == "" {
		return false, nil
	}
	return family{callID: callID}.end(grace)
}

// family is all that one call started: the processes of its group, and those
// that carry its id.
type family struct {
	group  int // 0: not known
	callID string
}

// pause is how long end waits before it looks again.
const pause = 5 * time.Millisecond

// end ends all that is still there: SIGTERM, the grace, SIGKILL. It reports
// whether there was anything.
func (f family) end(grace time.Duration) (bool, error) {
	if len(f.members()) == 0 {
		return false, nil
	}
	if f.signalUntilGone(syscall.SIGTERM, grace) || f.signalUntilGone(syscall.SIGKILL, grace) {
		return true, nil
	}
	return true, fmt.Errorf("shell: processes %v of call %s are still there after SIGKILL", f.members(), f.callID)
}

// signalUntilGone signals every member once (also those that appear while it
// waits) and reports whether all were gone in time.
func (f family) signalUntilGone(sig syscall.Signal, within time.Duration) bool {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	told := map[int]bool{}
	for {
		members := f.members()
		if len(members) == 0 {
			return true
		}
		for _, pid := range members {
			if !told[pid] {
				told[pid] = true
				f.signal(pid, sig)
			}
		}
		select {
		case <-deadline.C:
			return len(f.members()) == 0
		case <-tick.C:
		}
	}
}

// signal holds on to the process before it looks whether it is still a member,
// so that a process that got the same number meanwhile is not hit.
func (f family) signal(pid int, sig syscall.Signal) {
	if pid < 0 {
		_ = syscall.Kill(pid, sig) // it may be gone by now, which is what we want
		return
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if f.has(pid) {
		_ = p.Signal(sig)
	}
}

// members lists the living processes. Where /proc does not exist it is the
// group as a whole, as its negative number.
func (f family) members() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil || len(entries) == 0 {
		if f.group > 0 && syscall.Kill(-f.group, 0) == nil {
			return []int{-f.group}
		}
		return nil
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() && f.has(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (f family) has(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// "12 (name) S 1 12 …"; the name may hold anything, also ") ".
	_, rest, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 3 || fields[0] == "Z" || fields[0] == "X" {
		return false
	}
	if f.group > 0 && fields[2] == strconv.Itoa(f.group) {
		return true
	}
	return f.callID != "" && carries(pid, callIDVariable+"="+f.callID)
}

// carries reports whether a process was started with a variable.
func carries(pid int, variable string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false // another user's process, or gone
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == variable {
			return true
		}
	}
	return false
}

// EndLeftovers ends what a process that is gone has left running of a call.
func (t *Tool) EndLeftovers(ctx context.Context, callID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := EndLeftovers(callID, t.options.Grace)
	return err
}
