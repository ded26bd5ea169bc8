package shell_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/internal/sandbox/sandboxtest"
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
	eachWay(t, func(t *testing.T, o shell.Options, dir, command string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := start(ctx, t.Name(), o, dir, command)
		readPipe(t, dir)
		cancel()
		result := <-done
		if !result.IsError || !strings.Contains(result.Text, "cancelled") {
			t.Errorf("got %q, want it to say cancelled", result.Text)
		}
		if got := outcome(t, result).End; got != shell.Cancelled {
			t.Errorf("end = %s, want cancelled", got)
		}
	})
}

func TestACommandThatTakesTooLongLeavesNothingBehind(t *testing.T) {
	eachWay(t, func(t *testing.T, o shell.Options, dir, command string) {
		o.Timeout = 3 * time.Second
		done := start(t.Context(), t.Name(), o, dir, command)
		readPipe(t, dir)
		result := <-done
		if !result.IsError || !strings.Contains(result.Text, "killed after 3s") {
			t.Errorf("got %q, want it to say killed after 3s", result.Text)
		}
		if got := outcome(t, result).End; got != shell.TimedOut {
			t.Errorf("end = %s, want timedOut", got)
		}
	})
}

func TestBackgroundProcessesEndWithTheirCommand(t *testing.T) {
	for name, sandboxed := range ways() {
		t.Run(name, func(t *testing.T) {
			dir := withPipe(t)
			command := marked(t, `sleep 300 & echo $! > numbers; echo started`)
			done := start(t.Context(), t.Name(), shell.Options{Grace: 50 * time.Millisecond, Sandbox: sandboxed(t, dir)}, dir, command)
			readPipe(t, dir)
			result := <-done
			// In a sandbox they end with their command, and there is nothing left to be told.
			told := name != inSandbox
			if got := outcome(t, result); got.End != shell.Exited || got.ExitCode != 0 || got.Stdout != "started\n" || got.LeftBehind != told {
				t.Errorf("got %+v, want a command that ended well and left something behind", got)
			}
			if strings.Contains(result.Text, "in the background were ended") != told {
				t.Errorf("got %q: it says that something was ended: want %t", result.Text, told)
			}
			mustBeGone(t)
		})
	}
}

func TestACommandInASandboxIsAskedBeforeItIsKilled(t *testing.T) {
	dir := withPipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := shell.Options{Grace: time.Minute, Sandbox: sandboxtest.New(t, sandbox.Options{Write: []string{dir}})}
	done := start(ctx, t.Name(), o, dir, marked(t, `trap "echo tidied up; exit 0" TERM; echo 1 > numbers; sleep 300 & wait`))
	readPipe(t, dir)
	cancel()
	if got := outcome(t, <-done); got.Stdout != "tidied up\n" || got.End != shell.Cancelled {
		t.Errorf("got %+v, want a command that tidied up", got)
	}
	mustBeGone(t)
}

func TestACommandInASandboxDiesWithBubblewrap(t *testing.T) {
	dir := withPipe(t)
	o := shell.Options{Grace: time.Minute, Sandbox: sandboxtest.New(t, sandbox.Options{Write: []string{dir}})}
	done := start(t.Context(), "call-of-the-dead", o, dir, marked(t, hidesItsID))
	readPipe(t, dir)
	// As after a crash: found by its id, and ended with all that has hidden it.
	if had, err := shell.EndLeftovers("call-of-the-dead", time.Second); !had || err != nil {
		t.Errorf("got %t, %v; want leftovers found and ended", had, err)
	}
	<-done
	mustBeGone(t)
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
	orphan := exec.Command("/bin/sh", "-c", marked(t, holdsThePipes))
	orphan.Dir, orphan.Env = dir, append(os.Environ(), "LINECLEAR_CALL_ID=call-of-the-dead")
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	readPipe(t, dir)
	if had, err := shell.EndLeftovers("call-of-another", time.Second); had || err != nil {
		t.Errorf("another call: %t, %v; want nothing found", had, err)
	}
	reaped := make(chan error, 1)
	go func() { reaped <- orphan.Wait() }()
	if had, err := shell.EndLeftovers("call-of-the-dead", time.Second); !had || err != nil {
		t.Errorf("got %t, %v; want leftovers found and ended", had, err)
	}
	<-reaped
	mustBeGone(t)
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

// readPipe waits until the command has come as far as to write to its pipe.
func readPipe(t *testing.T, dir string) {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(dir, "numbers")); err != nil || len(text) == 0 {
		t.Fatalf("the pipe held %q: %v", text, err)
	}
}

// marked has a command sleep for a time by which its processes are found, as the
// numbers that they have in a sandbox are not those that they have here.
func marked(t *testing.T, command string) string {
	return strings.ReplaceAll(command, "sleep 300", "sleep "+mark(t))
}

func mark(t *testing.T) string { return fmt.Sprintf("300.%d", crc32.ChecksumIEEE([]byte(t.Name()))) }

// mustBeGone takes a zombie as gone: it waits for init alone, and has no command
// line any more.
func mustBeGone(t *testing.T) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lines {
		if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), mark(t)) {
			t.Errorf("%s is still there: %s", name, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
}

const inSandbox = "in a sandbox"

// ways are how a command can run.
func ways() map[string]func(t *testing.T, dir string) *sandbox.Sandbox {
	return map[string]func(*testing.T, string) *sandbox.Sandbox{
		"without a sandbox": func(*testing.T, string) *sandbox.Sandbox { return nil },
		inSandbox: func(t *testing.T, dir string) *sandbox.Sandbox {
			return sandboxtest.New(t, sandbox.Options{Write: []string{dir}})
		},
	}
}

// eachWay runs a test for each kind of grandchild and each way to run it, and
// sees that nothing is left.
func eachWay(t *testing.T, test func(t *testing.T, o shell.Options, dir, command string)) {
	t.Helper()
	for way, sandboxed := range ways() {
		for name, command := range grandchildren(t) {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				dir := withPipe(t)
				test(t, shell.Options{Grace: 50 * time.Millisecond, Sandbox: sandboxed(t, dir)}, dir, marked(t, command))
				mustBeGone(t)
			})
		}
	}
}
