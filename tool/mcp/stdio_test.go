package mcp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

func TestAProgramInheritsOnlyWhatIsListed(t *testing.T) {
	t.Setenv("TEST_SECRET_KEY", "hunter2")
	t.Setenv("LC_TIME", "C")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := program(t, "new")
	c.WorkingDirectory = dir
	c.Env["OWN_KEY"] = "its own"
	c.Env["LANG"] = "xx"
	lines := strings.Split(run(t, newServer(t, c, mcp.Options{}), "surroundings", "{}").Text, "\n")
	if lines[0] != dir {
		t.Errorf("it runs in %s, not in %s", lines[0], dir)
	}
	for _, line := range lines[1:] {
		name, _, _ := strings.Cut(line, "=")
		if !mcp.Inherited(name) && name != "OWN_KEY" && name != kindVariable && name != "LINECLEAR_CONNECTION_ID" {
			t.Errorf("it has %s", line)
		}
	}
	for _, want := range []string{"OWN_KEY=its own", "LANG=xx", "LC_TIME=C", "PATH=" + os.Getenv("PATH")} {
		if !slices.Contains(lines, want) {
			t.Errorf("it does not have %s", want)
		}
	}
}

func TestSessionsHaveProcessesOfTheirOwnAndConcurrentFirstUsesShareOne(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "new"), mcp.Options{})
	pids := make(chan string)
	for i := range 8 {
		session := []string{"one", "two"}[i%2]
		go func() {
			tools, err := s.Tools(t.Context(), session)
			if err != nil {
				pids <- err.Error()
				return
			}
			at := slices.IndexFunc(tools, func(tl tool.Tool) bool { return tl.Spec().Name == "files__pid" })
			r, err := tools[at].Run(t.Context(), call(session, "c", "{}"))
			if err != nil {
				r.Text = err.Error()
			}
			pids <- session + " " + r.Text
		}()
	}
	seen := map[string]bool{}
	for range 8 {
		seen[<-pids] = true
	}
	if len(seen) != 2 {
		t.Errorf("two sessions have the processes %v", seen)
	}
	count := find(t, s, "one", "count")
	for i, c := range []struct{ session, want string }{{"one", "1"}, {"one", "2"}, {"two", "1"}} {
		if got := runAs(t, t.Context(), count, call(c.session, strconv.Itoa(i), "{}")).Text; got != c.want {
			t.Errorf("call %d of session %s counts %s, want %s", i, c.session, got, c.want)
		}
	}
}

// hangIn begins a call that hangs, and returns when the server is in it.
func hangIn(t *testing.T, ctx context.Context, s *mcp.Server, said *journal) <-chan tool.Result {
	t.Helper()
	hang := find(t, s, "one", "hang")
	result := make(chan tool.Result, 1)
	go func() {
		r, err := hang.Run(ctx, call("one", "call-hang", "{}"))
		if err != nil {
			r = tool.Failed(err.Error())
		}
		result <- r
	}()
	said.await(t, "progress of call-hang: 1 of 3, hanging⟨U+202E⟩")
	return result
}

func TestAServerThatIsKilledInACallFailsThatCallOnly(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		said := newJournal()
		s := newServer(t, program(t, kind), said.options())
		pid := atoi(t, run(t, s, "pid", "{}").Text)
		run(t, s, "flood", "{}")
		hanging := hangIn(t, t.Context(), s, said)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		wantText(t, <-hanging, true, "The server files ended while the call ran; what the call did is not known.", "noise noise")
		if again := atoi(t, run(t, s, "pid", "{}").Text); again == pid {
			t.Error("the dead answers")
		}
	}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestACancelledCallReturnsAndTheServerIsTold(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		said := newJournal()
		s := newServer(t, program(t, kind), said.options())
		ctx, cancel := context.WithCancel(t.Context())
		hanging := hangIn(t, ctx, s, said)
		cancel()
		wantText(t, <-hanging, true, "Cancelled: the server files was told to stop; what the call did is not known.")
		said.await(t, "one stderr: hang was told to stop")
		wantText(t, run(t, s, "echo", `{"a":1}`), false, `{"a":1}`)
	}
}

func TestCloseFailsTheCallsThatRunAndAllLaterOnes(t *testing.T) {
	t.Parallel()
	said := newJournal()
	s := newServer(t, program(t, "new"), said.options())
	hang := find(t, s, "one", "hang")
	pid := atoi(t, run(t, s, "pid", "{}").Text)
	hanging := hangIn(t, t.Context(), s, said)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantText(t, <-hanging, true, "was closed while the call ran; what the call did is not known")
	if alive(pid) {
		t.Error("its process is still there")
	}
	if _, err := hang.Run(t.Context(), call("one", "c", "{}")); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("a later call: %v", err)
	}
	if _, err := s.Check(t.Context()); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("a later check: %v", err)
	}
}

func TestGrandchildrenAreEndedWithTheirServer(t *testing.T) {
	t.Parallel()
	ends := map[string]func(t *testing.T, s *mcp.Server, pid int){
		"closed": func(t *testing.T, s *mcp.Server, _ int) { _ = s.Close() },
		"killed": func(t *testing.T, s *mcp.Server, pid int) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = s.Close() // waits for what the death has begun
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, program(t, "new"), mcp.Options{})
			pid := atoi(t, run(t, s, "pid", "{}").Text)
			family := strings.Fields(run(t, s, "family", "{}").Text)
			if len(family) != 2 {
				t.Fatalf("the family is %v", family)
			}
			end(t, s, pid)
			for _, member := range family {
				if alive(atoi(t, member)) {
					t.Errorf("process %s is still there", member)
				}
			}
		})
	}
}

// alive does not count the dead that nobody has looked after.
func alive(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
	}
	return syscall.Kill(pid, 0) == nil
}

func TestAServerThatFloodsStderrIsReadAndItsLinesAreCut(t *testing.T) {
	t.Parallel()
	said := newJournal()
	s := newServer(t, program(t, "new"), said.options())
	wantText(t, run(t, s, "flood", "{}"), false, "quiet now")
	said.await(t, "one stderr: noise")
	said.mu.Lock()
	defer said.mu.Unlock()
	for _, e := range said.entries {
		if len(e) > 3000 {
			t.Fatalf("a line of %d bytes came through", len(e))
		}
	}
}

func TestAServerThatCanNotBeStartedSaysWhyAndWhatHelps(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	tests := []struct {
		name   string
		change func(c *mcp.Config)
		want   string
	}{
		{"no such program", func(c *mcp.Config) { c.Command = []string{"no-such-program"} },
			"mcp: server files: could not start no-such-program: executable file not found: install it or give its path"},
		{"no such path", func(c *mcp.Config) { c.Command = []string{missing} },
			"mcp: server files: could not start missing: executable file not found: install it or give its path"},
		{"no such directory", func(c *mcp.Config) { c.WorkingDirectory = missing }, "there is no directory " + missing + ": make it"},
		{"it ends at once", func(c *mcp.Config) { c.Env[kindVariable] = "broken" },
			"ended before it had answered; its last words: no such database: ⟨U+001B⟩[31mmain⟨U+001B⟩[0m: run its command by hand"},
		{"it says more than is kept", func(c *mcp.Config) { c.Env[kindVariable] = "talkative" },
			"its last words: word 2 | word 3 | word 4 | word 5 | word 6 | word 7 | word 8 | word 9 | word 10 | word 11: run its"},
		{"it floods", func(c *mcp.Config) { c.Env[kindVariable] = "flooding" },
			" made more than 64 requests at once, or too long ones, and was cut off: see what it is, before it is used"},
		{"it never answers", func(c *mcp.Config) { c.Env[kindVariable], c.StartTimeout = "mute", 300*time.Millisecond },
			"did not answer within 300ms; its last words: waiting for a key to be turned: see whether it speaks MCP"},
		{"it never reads", func(c *mcp.Config) { c.Env[kindVariable], c.StartTimeout = "deaf", 300*time.Millisecond },
			"did not answer within 300ms"},
		{"it prints garbage", func(c *mcp.Config) { c.Env[kindVariable], c.StartTimeout = "garbage", 300*time.Millisecond },
			"did not answer within 300ms; its last words: Welcome to the wrong program!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := program(t, "new")
			tt.change(&c)
			s := newServer(t, c, mcp.Options{})
			_, err := s.Check(t.Context())
			var e *mcp.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it says\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

func TestAGreetingOnStdoutIsToldToTheLogAndDoesNoHarm(t *testing.T) {
	t.Parallel()
	said := newJournal()
	s := newServer(t, program(t, "greeting"), said.options())
	wantText(t, run(t, s, "echo", `{}`), false, "{}")
	said.await(t, "one stdout: Hello, I am a server")
}

func TestAServerThatEndsWhenItIsAskedInTheNewestWayIsAskedInAnOlderOne(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "strict"), mcp.Options{})
	r, err := s.Check(t.Context())
	if err != nil || r.Protocol != "2025-11-25" {
		t.Fatalf("it speaks %q: %v", r.Protocol, err)
	}
	wantText(t, run(t, s, "echo", `{}`), false, "{}")
}
