package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/go-json-experiment/json"
)

// verb is a run of the program beside the gateway.
type verb struct {
	out, err string
	code     int
}

// command makes a verb that talks to the gateway.
func (p *process) command(args ...string) *exec.Cmd {
	c := exec.Command("gateway", append(args, "--data", filepath.Join(p.dir, "data"))...)
	c.Env = append(p.environment(), "EDITOR=")
	return c
}

// verb runs one to its end.
func (p *process) verb(args ...string) verb {
	p.t.Helper()
	var out, failure bytes.Buffer
	c := p.command(args...)
	c.Stdout, c.Stderr = &out, &failure
	return verb{code: p.code(c.Run()), out: out.String(), err: failure.String()}
}

// code is what a program ended with.
func (p *process) code(err error) int {
	p.t.Helper()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.ExitCode()
	default:
		p.t.Fatal(err)
		return -1
	}
}

// want compares how a verb ended, and looks for texts in what it said.
func (v verb) want(t *testing.T, code int, texts ...string) verb {
	t.Helper()
	if v.code != code {
		t.Errorf("it ended with %d, want %d:\n%s%s", v.code, code, v.out, v.err)
	}
	for _, text := range texts {
		if !strings.Contains(v.out+v.err, text) {
			t.Errorf("it did not say %q:\n%s%s", text, v.out, v.err)
		}
	}
	return v
}

// json reads what a verb printed.
func (v verb) json(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(v.out), into); err != nil {
		t.Errorf("%v in:\n%s", err, v.out)
	}
}

// tty is a verb with a person at its terminal.
type tty struct {
	t    *testing.T
	p    *process
	cmd  *exec.Cmd
	file *os.File
	text *logBuffer
	seen int
	done chan struct{} // all is read
}

// person starts a verb in a terminal without colours.
func (p *process) person(args ...string) *tty { return p.at(100, []string{"NO_COLOR=1"}, args...) }

// at starts a verb in a terminal with so many columns.
func (p *process) at(columns uint16, env []string, args ...string) *tty {
	p.t.Helper()
	c := p.command(args...)
	c.Env = append(c.Env, env...)
	return p.atTTY(c, columns)
}

// atTTY starts a command in a terminal.
func (p *process) atTTY(c *exec.Cmd, columns uint16) *tty {
	p.t.Helper()
	v := &tty{t: p.t, p: p, cmd: c, text: newLogBuffer(), done: make(chan struct{})}
	var err error
	if v.file, err = pty.StartWithSize(v.cmd, &pty.Winsize{Rows: 40, Cols: columns}); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(v.done)
		defer v.text.end()
		piece := make([]byte, 4096)
		for {
			n, err := v.file.Read(piece)
			_, _ = v.text.Write(piece[:n])
			if err != nil {
				return
			}
		}
	}()
	p.t.Cleanup(func() {
		_ = v.cmd.Process.Kill()
		_ = v.file.Close()
		<-v.done
	})
	return v
}

// sees waits for a text after the one before.
func (v *tty) sees(text string) {
	v.t.Helper()
	end, ok := v.text.awaitAfter(v.seen, text)
	if !ok {
		v.t.Fatalf("%q did not come:\n%s", text, v.text)
	}
	v.seen = end
}

func (v *tty) types(keys string) {
	v.t.Helper()
	if _, err := v.file.WriteString(keys); err != nil {
		v.t.Fatal(err)
	}
}

// ends waits for the end and returns all that was on the terminal.
func (v *tty) ends(code int) string {
	v.t.Helper()
	<-v.done // at its end nobody holds the terminal any more
	if got := v.p.code(v.cmd.Wait()); got != code {
		v.t.Errorf("it ended with %d, want %d:\n%s", got, code, v.text)
	}
	return strings.ReplaceAll(v.text.String(), "\r\n", "\n")
}

// end says that nothing more comes.
func (b *logBuffer) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.grown.Broadcast()
}

// awaitAfter waits for a text beyond a place, and returns where it ends.
func (b *logBuffer) awaitAfter(from int, text string) (end int, ok bool) {
	over := false
	timer := time.AfterFunc(patience, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		over = true
		b.grown.Broadcast()
	})
	defer timer.Stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if i := strings.Index(b.text.String()[from:], text); i >= 0 {
			return from + i + len(text), true
		}
		if over || b.ended {
			return 0, false
		}
		b.grown.Wait()
	}
}

// background starts a verb that goes on until it is interrupted.
func (p *process) background(args ...string) (out, failure *logBuffer, interrupt func() int) {
	p.t.Helper()
	c := p.command(args...)
	out, failure = newLogBuffer(), newLogBuffer()
	c.Stdout, c.Stderr = out, failure
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Process.Kill() })
	return out, failure, func() int {
		if err := c.Process.Signal(syscall.SIGINT); err != nil {
			p.t.Error(err)
		}
		return p.code(c.Wait())
	}
}

// The exit codes that docs/cli.md lists.
const (
	exitError       = 1
	exitDecided     = 5
	exitInterrupted = 130
)

// shortest is how much of an id tells it apart; its beginning is its time.
const shortest = 8

func short(id string) string { return id[len(id)-shortest:] }
