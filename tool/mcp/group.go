package mcp

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pause is how long endGroup waits before it looks again.
const pause = 10 * time.Millisecond

// endGroup ends all processes of a group: SIGTERM, the grace, SIGKILL. It returns
// when they are gone, or when they are not even after SIGKILL.
func endGroup(group int, grace time.Duration) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if !groupLives(group) {
			return
		}
		_ = syscall.Kill(-group, signal) // they may be gone by now, which is what we want
		deadline := time.Now().Add(grace)
		for groupLives(group) && time.Now().Before(deadline) {
			time.Sleep(pause)
		}
	}
}

// groupLives reports whether a group has living processes. The dead whose parent
// has not looked after them don't count, where /proc tells.
func groupLives(group int) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil || len(entries) == 0 {
		return syscall.Kill(-group, 0) == nil
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && livesIn(pid, group) {
			return true
		}
	}
	return false
}

func livesIn(pid, group int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// "12 (name) S 1 12 …"; the name may hold anything, also ") ".
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return len(fields) > 2 && fields[0] != "Z" && fields[0] != "X" && fields[2] == strconv.Itoa(group)
}
