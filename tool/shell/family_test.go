package shell_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/shell"
)

// The grandchildren write their numbers into a named pipe, whose reader so
// waits for them without looking at a clock.
const (
	holdsThePipes = `sleep 300 & echo $! > numbers; wait`
	ignoresTerm   = `sh -c 'trap "" TERM; echo $$ > numbers; while :; do sleep 300; done' & wait`
	hidesItsID    = `env -i sleep 300 >/dev/null 2>&1 & echo $! > numbers; wait`
	leftItsGroup  = `setsid sh -c 'echo $$ > numbers; exec sleep 300 >/dev/null 2>&1' & wait`
)

func TestACancelledCommandLeavesNothingBehind(t *testing.T) {
	for name, command := range grandchildren(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := withPipe(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := start(ctx, t.Name(), shell.Options{Grace: 50 * time.Millisecond}, dir, command)
			pid := readPipe(t, dir)
			cancel()
			result := <-done
			if !result.IsError || !strings.Contains(result.Text, "cancelled") {
				t.Errorf("got %q, want it to say cancelled", result.Text)
			}
			if got := outcome(t, result).End; got != shell.Cancelled {
				t.Errorf("end = %s, want cancelled", got)
			}
			mustBeGone(t, pid)
		})
	}
}

func TestACommandThatTakesTooLongLeavesNothingBehind(t *testing.T) {
	for name, command := range grandchildren(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := withPipe(t)
			done := start(t.Context(), t.Name(), shell.Options{Timeout: 3 * time.Second, Grace: 50 * time.Millisecond}, dir, command)
			pid := readPipe(t, dir)
			result := <-done
			if !result.IsError || !strings.Contains(result.Text, "killed after 3s") {
				t.Errorf("got %q, want it to say killed after 3s", result.Text)
			}
			if got := outcome(t, result).End; got != shell.TimedOut {
				t.Errorf("end = %s, want timedOut", got)
			}
			mustBeGone(t, pid)
		})
	}
}

func TestBackgroundProcessesEndWithTheirCommand(t *testing.T) {
	dir := withPipe(t)
	done := start(t.Context(), t.Name(), shell.Options{Grace: 50 * time.Millisecond}, dir, `sleep 300 & echo $! > numbers; echo started`)
	pid := readPipe(t, dir)
	result := <-done
	if got := outcome(t, result); got.End != shell.Exited || got.ExitCode != 0 || got.Stdout != "started\n" || !got.LeftBehind {
		t.Errorf("got %+v, want a command that ended well and left something behind", got)
	}
	if !strings.Contains(result.Text, "in the background were ended") {
		t.Errorf("got %q, want it to say that something was ended", result.Text)
	}
	mustBeGone(t, pid)
}

func TestAnEndedContextStartsNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result := <-start(ctx, t.Name(), shell.Options{}, dir, `touch ran`)
	if !result.IsError || !strings.Contains(result.Text, "cancelled") {
		t.Errorf("got %+v, want a cancelled call", result)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}

func TestLeftoversOfADeadGatewayAreFoundByTheCallsID(t *testing.T) {
	needsProc(t)
	dir := withPipe(t)
	orphan := exec.Command("/bin/sh", "-c", holdsThePipes)
	orphan.Dir, orphan.Env = dir, append(os.Environ(), "LINECLEAR_CALL_ID=call-of-the-dead")
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	pid := readPipe(t, dir)
	if had, err := shell.EndLeftovers("call-of-another", time.Second); had || err != nil {
		t.Errorf("another call: %t, %v; want nothing found", had, err)
	}
	reaped := make(chan error, 1)
	go func() { reaped <- orphan.Wait() }()
	if had, err := shell.EndLeftovers("call-of-the-dead", time.Second); !had || err != nil {
		t.Errorf("got %t, %v; want leftovers found and ended", had, err)
	}
	<-reaped
	mustBeGone(t, pid)
	if had, err := shell.EndLeftovers("", time.Second); had || err != nil {
		t.Errorf("no id: %t, %v; want nothing touched", had, err)
	}
}

func grandchildren(t *testing.T) map[string]string {
	t.Helper()
	commands := map[string]string{
		"a grandchild that holds the pipes open": holdsThePipes,
		"a grandchild that ignores SIGTERM":      ignoresTerm,
		"a grandchild without the call's id":     hidesItsID,
	}
	_, noProc := os.Stat("/proc/self/environ")
	if _, err := exec.LookPath("setsid"); err == nil && noProc == nil {
		commands["a grandchild that left its group"] = leftItsGroup
	}
	return commands
}

func needsProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this system does not show processes' environments")
	}
}

func start(ctx context.Context, id string, o shell.Options, dir, command string) <-chan tool.Result {
	done := make(chan tool.Result, 1)
	c := call(dir, fmt.Sprintf(`{"command": %q}`, command))
	c.ID = id // calls that run at the same time must not be taken for one another
	go func() {
		result, err := shell.New(o).Run(ctx, c)
		if err != nil {
			result = tool.Failed("Run returned an error: " + err.Error())
		}
		done <- result
	}()
	return done
}

func withPipe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "numbers"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readPipe(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "numbers"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatalf("the pipe held %q: %v", text, err)
	}
	return pid
}

// mustBeGone takes a zombie as gone: it waits for init alone.
func mustBeGone(t *testing.T, pid int) {
	t.Helper()
	if syscall.Kill(pid, 0) != nil {
		return
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %d is still there: %s", pid, stat)
	}
}
