// Package process ends families of processes: all that one command has started.
//
// # What it promises
//
//   - A family is what is in a process group, and what carries a mark: a variable
//     that the first of them was given and that all others inherit. So it is
//     found again after its group has been left (setsid), and by another process
//     than the one that started it, as after a crash.
//   - End asks first (SIGTERM), then kills (SIGKILL), and waits until nothing is
//     left. A process that has got the number of one that is gone is not hit.
//
// Only Linux shows the environment of processes; elsewhere a family is its group.
// A process that has left the group and cleared its environment is not found.
//
// # How to use it
//
// Start the command in its own session (Setsid), which makes it a process group without a
// terminal, with the Mark's Entry in its environment, and End its Family when it is over.
package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Mark is a variable by which processes are found again. The zero value marks
// nothing.
type Mark struct {
	Name  string
	Value string
}

// Entry is the mark as an entry of an environment.
func (m Mark) Entry() string { return m.Name + "=" + m.Value }

func (m Mark) empty() bool { return m.Name == "" || m.Value == "" }

// Family is all that one command started: the processes of its group, and those
// that carry its mark.
type Family struct {
	Group int // 0: not known
	Mark  Mark
}

// pause is how long End waits before it looks again.
const pause = 5 * time.Millisecond

// killGrace is how long a killed process may take to disappear on a busy machine.
const killGrace = 5 * time.Second

// End ends all that is still there: SIGTERM, the grace, SIGKILL. It reports
// whether there was anything; an error names those that could not be ended.
func (f Family) End(grace time.Duration) (bool, error) {
	h := hunt{family: f, known: map[int]string{}}
	if len(h.left()) == 0 {
		return false, nil
	}
	if h.signalUntilGone(syscall.SIGTERM, grace) || h.signalUntilGone(syscall.SIGKILL, max(grace, killGrace)) {
		return true, nil
	}
	if left := h.left(); len(left) > 0 {
		return true, fmt.Errorf("process: %v are still there after SIGKILL", left)
	}
	return true, nil
}

// Ask asks all of it but one process to end (SIGTERM), and does not wait. The one
// that is spared is such as takes the others with it at once.
func (f Family) Ask(spared int) {
	h := hunt{family: f, known: map[int]string{}}
	for _, pid := range h.left() {
		if pid != spared {
			h.signal(pid, syscall.SIGTERM)
		}
	}
}

// hunt is the end of a family. It keeps whom it has seen, as a process that dies
// loses its environment before it is gone.
type hunt struct {
	family Family
	known  map[int]string // when each began
}

// signalUntilGone signals every member once (also those that appear while it
// waits) and reports whether all were gone in time.
func (h hunt) signalUntilGone(sig syscall.Signal, within time.Duration) bool {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	told := map[int]bool{}
	for {
		left := h.left()
		if len(left) == 0 {
			return true
		}
		for _, pid := range left {
			if !told[pid] {
				told[pid] = true
				h.signal(pid, sig)
			}
		}
		select {
		case <-deadline.C:
			return len(h.left()) == 0
		case <-tick.C:
		}
	}
}

// signal holds on to the process before it looks whether it is still a member,
// so that a process that got the same number meanwhile is not hit.
func (h hunt) signal(pid int, sig syscall.Signal) {
	if pid < 0 {
		_ = syscall.Kill(pid, sig) // it may be gone already, which is what we want
		return
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if h.has(pid) {
		_ = p.Signal(sig)
	}
}

// left lists the living members. Where /proc does not exist it is the group as a
// whole, as its negative number.
func (h hunt) left() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil || len(entries) == 0 {
		if g := h.family.Group; g > 0 && syscall.Kill(-g, 0) == nil {
			return []int{-g}
		}
		return nil
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() && h.has(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// has reports whether a process is a living member, which it is once and for all.
func (h hunt) has(pid int) bool {
	group, began, ok := living(pid)
	if !ok {
		return false
	}
	if h.known[pid] == began {
		return true
	}
	f := h.family
	if f.Group > 0 && group == strconv.Itoa(f.Group) || !f.Mark.empty() && carries(pid, f.Mark.Entry()) {
		h.known[pid] = began
		return true
	}
	return false
}

// living returns a process's group and when it began; not ok where it is dead.
func living(pid int) (group, began string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", false
	}
	// "12 (name) S 1 12 …"; the name may hold anything, also ") ".
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", "", false
	}
	return fields[2], fields[19], true
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
