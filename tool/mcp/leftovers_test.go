package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/tool/mcp"
)

// withRunaway is a server with a child that has left its group. The child writes
// its number into a named pipe.
func withRunaway(t *testing.T) (c mcp.Config, pid func() int) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this system does not show processes' environments")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	c = program(t, "evil")
	c.WorkingDirectory = t.TempDir()
	numbers := filepath.Join(c.WorkingDirectory, "numbers")
	if err := syscall.Mkfifo(numbers, 0o600); err != nil {
		t.Fatal(err)
	}
	runaway := `setsid sh -c 'trap "" TERM; echo $$ > numbers; while :; do sleep 300; done' </dev/null >/dev/null 2>&1 & `
	c.Command = []string{"/bin/sh", "-c", runaway + "exec " + c.Command[0]}
	return c, func() int {
		text, err := os.ReadFile(numbers)
		if err != nil {
			t.Fatal(err)
		}
		return atoi(t, string(text))
	}
}

func TestAChildThatHasLeftItsGroupIsEndedWithItsServer(t *testing.T) {
	t.Parallel()
	c, pid := withRunaway(t)
	s := newServer(t, c, mcp.Options{})
	find(t, s, "one", "say")
	child := pid()
	_ = s.Close()
	if alive(child) {
		t.Errorf("process %d is still there", child)
	}
}

func TestWhatAProcessThatIsGoneHasLeftRunningIsFoundByItsOwner(t *testing.T) {
	t.Parallel()
	owner, err := mcp.OwnerOf(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, pid := withRunaway(t)
	s := newServer(t, c, mcp.Options{Owner: owner})
	find(t, s, "one", "say")
	child := pid()
	for _, other := range []string{"", owner + "x", "x"} {
		if had, err := mcp.EndLeftovers(other); had || err != nil || !alive(child) {
			t.Fatalf("another owner's: %v, %v", had, err)
		}
	}
	if had, err := mcp.EndLeftovers(owner); !had || err != nil || alive(child) {
		t.Errorf("it has ended %v, %v; the child lives: %v", had, err, alive(child))
	}
	if had, err := mcp.EndLeftovers(owner); had || err != nil {
		t.Errorf("then there is still something: %v, %v", had, err)
	}
}

func TestAFolderHasOneOwnerHoweverItIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	first, err := mcp.OwnerOf(dir)
	if err != nil || first == "" {
		t.Fatal(first, err)
	}
	for _, name := range []string{dir + "/", dir + "/x/..", link} {
		if owner, err := mcp.OwnerOf(name); owner != first || err != nil {
			t.Errorf("%s has the owner %s: %v", name, owner, err)
		}
	}
	if other, _ := mcp.OwnerOf(filepath.Dir(dir)); other == first {
		t.Error("another folder has the same owner")
	}
	if _, err := mcp.OwnerOf(filepath.Join(dir, "missing")); err == nil {
		t.Error("a folder that is not there has an owner")
	}
}

func TestTheMarksOfAProgramCanNotBeSet(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"LINECLEAR_OWNER", "LINECLEAR_CONNECTION_ID"} {
		_, err := mcp.New(mcp.Config{Name: "a", Command: []string{"x"}, Env: map[string]string{name: "y"}}, mcp.Options{})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
