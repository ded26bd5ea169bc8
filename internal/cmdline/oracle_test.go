package cmdline_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// oracle runs command lines in real shells, in a directory of its own where
// every program is a shim that only notes how it was called.
type oracle struct {
	programs, work, log string
}

// real are the programs that run others; they are what they always are.
func realPrograms() []string {
	return []string{"env", "nice", "nohup", "timeout", "xargs", "find", "bash", "sh"}
}

func newOracle(t *testing.T, names map[string]bool) oracle {
	t.Helper()
	dir := t.TempDir()
	o := oracle{programs: filepath.Join(dir, "programs"), work: filepath.Join(dir, "work"), log: filepath.Join(dir, "log")}
	for _, d := range []string{o.programs, o.log} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// What a shim prints is as bad as it can be, for the lines that use it.
	shim := "#!" + lookPath(t, "sh") + "\nprintf '%s\\0' \"$#\" \"${0##*/}\" \"$@\" >>'" + o.log + "'/$$\n" +
		"echo '-exec evil {} ; a[$(evil)] $(evil) `evil` ; evil -rf / --output=/etc/x'\n"
	for name := range names {
		if err := os.WriteFile(filepath.Join(o.programs, name), []byte(shim), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range realPrograms() {
		path := filepath.Join(o.programs, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.Symlink(lookPath(t, name), path); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// fresh makes a working directory with a few files.
func (o oracle) fresh(t *testing.T) {
	t.Helper()
	for _, d := range []string{o.work, o.log} {
		if err := os.RemoveAll(d); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"sub", "a/b", "my dir", "notes", "cmd", "bin"} {
		if err := os.MkdirAll(filepath.Join(o.work, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(o.log, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"go.mod", "x", "x.txt", "a.go", "b.go", "README.md", "sub/c.go", "cmd/-exec.go", "-rf"} {
		if err := os.WriteFile(filepath.Join(o.work, f), []byte("one\ntwo three\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a line and returns the argument lists of all programs that it ran.
func (o oracle) run(t *testing.T, shell, line string) [][]string {
	t.Helper()
	o.fresh(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	// The limit keeps small what a line could spoil if a judgement were wrong.
	cmd := exec.CommandContext(ctx, lookPath(t, "sh"), "-c", `ulimit -f 64 && exec "$@"`, "sh", shell, "-c", line)
	cmd.Dir = o.work
	cmd.Env = []string{"PATH=" + o.programs, "HOME=" + o.work, "x=-exec", "f=$(evil)"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// Whatever runs in the background holds the pipe until it ends.
	ended, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ended.Close()
	cmd.ExtraFiles = []*os.File{held}
	err = cmd.Start()
	held.Close()
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // a line may fail: what counts is what it ran
	if ctx.Err() != nil {
		t.Fatalf("%s did not end: %q", shell, line)
	}
	if err := ended.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, ended); err != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		t.Fatalf("%s left something running: %q: %v", shell, line, err)
	}
	return o.executed(t)
}

func (o oracle) executed(t *testing.T) [][]string {
	t.Helper()
	entries, err := os.ReadDir(o.log)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(o.log, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Split(string(bytes.TrimSuffix(raw, []byte{0})), "\x00")
		for len(fields) > 0 {
			n, err := strconv.Atoi(fields[0])
			if err != nil || len(fields) < n+2 {
				t.Fatalf("the log of a shim is broken: %q", fields)
			}
			all = append(all, fields[1:n+2])
			fields = fields[n+2:]
		}
	}
	return all
}

func TestWhatRealShellsRunForAnAllowedLineIsAllowedItself(t *testing.T) {
	r := readRules(t)
	entries := append(readEntries(t, "bypass.txt"), readEntries(t, "ordinary.txt")...)
	names := map[string]bool{"evil": true}
	for _, e := range entries {
		for _, p := range cmdline.Parse(e.line).Parts {
			if len(p.Words) > 0 && plainName(p.Words[0].Text) {
				names[p.Words[0].Text] = true
			}
		}
	}
	o := newOracle(t, names)
	lines, runs := 0, 0
	for _, e := range entries {
		// A line that is expected to be stopped is never run, even where it is not.
		if got, _ := r.verdict(cmdline.Parse(e.line)); got != "allow" || e.verdict != "allow" {
			continue
		}
		lines++
		for _, shell := range []string{lookPath(t, "bash"), lookPath(t, "sh")} {
			for _, argv := range o.run(t, shell, e.line) {
				runs++
				if got, why := r.verdict(cmdline.Argv(argv)); got != "allow" {
					t.Errorf("%q was allowed, and %s ran %q: %s (%s)", e.line, filepath.Base(shell), argv, got, why)
				}
			}
		}
	}
	if lines < 100 || runs < 200 {
		t.Errorf("only %d lines ran %d programs", lines, runs)
	}
	fmt.Fprintf(t.Output(), "%d lines ran %d programs in two shells\n", lines, runs)
}

func plainName(name string) bool {
	if name == "" || name == "." || name == ".." {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.[") == ""
}
