package sandbox_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/internal/sandbox/sandboxtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheArgumentsOfAViewAreTheGoldenOnes(t *testing.T) {
	for name, v := range map[string]sandbox.View{
		"all": {
			Dir: "/srv/work/sub", Private: []string{"/tmp", "/run"}, Write: []string{"/srv/work", "/srv/out"},
			Held: []string{"/srv/work/a"}, Folders: []string{"/home/ann/.ssh", "/srv/work/a/data"}, Files: []string{"/home/ann/.netrc"},
		},
		"network": {Dir: "/srv/work", Network: true, Private: []string{"/run"}, Write: []string{"/srv/work"}, Showing: []string{"/run/resolv.conf"}},
	} {
		golden := filepath.Join("testdata", name+".txt")
		got := strings.Join(v.Arguments(), "\n") + "\n"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// home is a home folder with a key, and the folders of a gateway.
type home struct{ dir, work, data string }

func newHome(t *testing.T) home {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := home{dir: root, work: filepath.Join(root, "work"), data: filepath.Join(root, "work/state/data")}
	for _, dir := range []string{h.data, filepath.Join(root, ".ssh"), filepath.Join(root, "out")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"work/state/data/journal", ".ssh/id", ".netrc", "notes"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h home) options() sandbox.Options {
	return sandbox.Options{Home: h.dir, Write: []string{h.work}, Hide: []string{h.data}}
}

// say runs a line in a sandbox, or a fence, and returns its output.
func say(t *testing.T, s interface {
	Command(dir string, argv ...string) ([]string, error)
}, dir, line string) string {
	t.Helper()
	argv, err := s.Command(dir, "/bin/sh", "-c", line)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestACommandSeesAndWritesWhatItMayAndNothingElse(t *testing.T) {
	// Not below /tmp, of which a command sees nothing at all.
	t.Setenv("TMPDIR", visible(t))
	h := newHome(t)
	s := sandboxtest.New(t, h.options())
	t.Setenv("H", h.dir)
	for _, c := range []struct{ name, line, says string }{
		{"it writes in its folder", `echo x > new && cat new`, "x"},
		{"it reads what is no secret", `cat $H/notes`, "of notes"},
		{"it does not write beside its folder", `echo x > $H/notes || echo no`, "no"},
		{"it does not write to the system", `echo x > /etc/lineclear-was-here || echo no`, "no"},
		{"it has a /tmp of its own", `ls -A /tmp; echo x > /tmp/y && cat /tmp/y`, "x"},
		{"it reads no key", `ls -A $H/.ssh; cat $H/.ssh/id || echo no`, "no"},
		{"it reads no key in a file", `cat $H/.netrc || echo no`, "no"},
		{"it reads nothing of the gateway's", `ls -A state/data; cat state/data/journal || echo no`, "no"},
		{"it can't put keys where they are hidden", `echo x > $H/.ssh/authorized_keys || echo no`, "no"},
		{"it can't move what is hidden", `mv state/data elsewhere || echo no`, "no"},
		{"it can't move what leads to it", `mv state elsewhere || echo no`, "no"},
		{"it can't take a mount off", `umount state/data || echo no`, "no"},
		{"it can't make a mount writable", `mount -o remount,rw,bind / || echo no`, "no"},
		{"it sees no other process", `ls -d /proc/[0-9]* | wc -l | tr -d ' '; kill -0 ` + strconv.Itoa(os.Getpid()) + ` || echo no`, "no"},
		{"it has no network but its own", `cat /proc/net/dev | grep -c : `, "1"},
		{"it has no daemon's socket", `find /run /var/run/ -type s | head -1`, ""},
		{"it has no terminal", `(: < /dev/tty) || echo no`, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.Split(say(t, s, h.work, c.line), "\n")
			if got := lines[len(lines)-1]; got != c.says {
				t.Errorf("%s\nsays %q, want %q", c.line, strings.Join(lines, "\n"), c.says)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(h.work, "new")); err != nil {
		t.Error(err)
	}
}

// visible is a folder that is not one of those of which a command has its own.
func visible(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{".", home, "/var/lib", "/opt"} {
		base, err := filepath.Abs(base)
		if err != nil || strings.HasPrefix(base, "/tmp/") || strings.HasPrefix(base, "/var/tmp/") || strings.HasPrefix(base, "/run/") {
			continue
		}
		if dir, err := os.MkdirTemp(base, ".lineclear-test-"); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	t.Fatal("there is no folder to test in beside /tmp")
	return ""
}

func TestTheNetworkIsThatOfTheMachineWhereItIsAllowed(t *testing.T) {
	h := newHome(t)
	o := h.options()
	o.Network = true
	outside, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Skip(err)
	}
	if got := say(t, sandboxtest.New(t, o), h.work, `readlink /proc/self/ns/net`); got != outside {
		t.Errorf("the network is %s, want %s", got, outside)
	}
	if got := say(t, sandboxtest.New(t, h.options()), h.work, `readlink /proc/self/ns/net`); got == outside {
		t.Errorf("without it, the network is %s all the same", got)
	}
}

func TestLinksAreFollowedWhenTheSandboxIsMade(t *testing.T) {
	h := newHome(t)
	link := filepath.Join(h.dir, "link")
	if err := os.Symlink(h.work, link); err != nil {
		t.Fatal(err)
	}
	o := h.options()
	o.Write = []string{link, h.work, filepath.Join(h.work, "state"), filepath.Join(h.dir, "out")}
	s := sandboxtest.New(t, o)
	if diff := cmp.Diff([]string{h.work, filepath.Join(h.dir, "out")}, s.Write()); diff != "" {
		t.Errorf("it writes to (-want +got):\n%s", diff)
	}
	if got := say(t, s, link, `pwd; echo x > new && cat new; echo y > `+h.dir+`/out/y && cat `+h.dir+`/out/y`); got != h.work+"\nx\ny" {
		t.Errorf("it said %q", got)
	}
}

func TestAFolderThatIsNotWhatItWasRunsNothing(t *testing.T) {
	for name, change := range map[string]func(h home) error{
		"what is hidden was moved": func(h home) error { return os.Rename(h.data, h.data+"2") },
		"another one took its place": func(h home) error {
			return errors.Join(os.Rename(h.data, h.data+"2"), os.Mkdir(h.data, 0o700))
		},
		"a link took the place of what is written to": func(h home) error {
			return errors.Join(os.Rename(h.work, h.work+"2"), os.Symlink(h.dir, h.work))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			s := sandboxtest.New(t, h.options())
			dir := h.work
			if err := change(h); err != nil {
				t.Fatal(err)
			}
			if argv, err := s.Command(dir, "/bin/true"); err == nil {
				t.Errorf("it would run %q", argv)
			} else if !errors.Is(err, sandbox.ErrMoved) && !strings.Contains(err.Error(), "may write to") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhatCanNotBeShutInIsRefused(t *testing.T) {
	h := newHome(t)
	sandboxtest.New(t, h.options())
	for name, c := range map[string]struct {
		write string
		says  string
	}{
		"everything":            {"/", "name one below it"},
		"the kernel's files":    {"/proc", "name one below it"},
		"where keys are":        {filepath.Join(h.dir, ".ssh"), "is hidden from them"},
		"what is the gateway's": {h.data, "is hidden from them"},
		"what is not there":     {filepath.Join(h.dir, "nothing"), "no such file"},
		"what is no folder":     {filepath.Join(h.dir, "notes"), "is no folder"},
	} {
		o := h.options()
		o.Write = []string{c.write}
		if _, err := sandbox.New(o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sandboxtest.New(t, h.options()).Command(h.dir, "/bin/true"); err == nil || !strings.Contains(err.Error(), "may write to") {
		t.Errorf("a folder above the one that is written to: %v", err)
	}
}

func TestWithoutBubblewrapThereIsNoneAndTheRemedyIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := sandbox.New(sandbox.Options{}); !errors.Is(err, sandbox.ErrMissing) || !strings.Contains(err.Error(), "apt install bubblewrap") {
		t.Errorf("got %v", err)
	}
}

func TestAMachineThatForbidsItIsToldApartFromOneWithoutIt(t *testing.T) {
	dir := t.TempDir()
	forbidding := "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte(forbidding), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Try(context.Background()); !errors.Is(err, sandbox.ErrRefused) ||
		!strings.Contains(err.Error(), "No permissions") || !strings.Contains(err.Error(), "user namespaces") {
		t.Errorf("got %v", err)
	}
}
