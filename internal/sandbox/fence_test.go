package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/sandbox"
)

func needFence(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("bubblewrap exists for Linux only")
	}
	if err := (sandbox.Fence{}).Try(t.Context()); errors.Is(err, sandbox.ErrRefused) && os.Getenv("CI") == "" {
		t.Skipf("NOT TESTED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// planted are secrets in a home folder and in a workspace.
var planted = []string{
	".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".bash_history", "notes.txt", ".docker/config.json", "other/app/.env",
	"work/.env", "work/.env.local", "work/sub/.env.production", "work/server.key", "work/sub/deep/cert.pem", "work/id_rsa", "work/.npmrc", "work/.git-credentials",
	"work/credentials.json", "work/secrets.yaml", "work/terraform.tfstate", "work/.aws/credentials", "work/secrets/db", "work/data/key",
}

func TestAFenceShowsNothingButWhatIsNamed(t *testing.T) {
	needFence(t)
	home := visible(t)
	t.Setenv("HOME", home)
	work := filepath.Join(home, "work")
	for _, name := range append(planted, "work/a.txt", "work/.git/config", "work/secrets.go", "lib/x") {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("PLANTED"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	f := sandbox.Fence{Hide: []string{filepath.Join(work, "data")}}
	if got := say(t, f, work, `cat a.txt .git/config secrets.go`); got != "PLANTEDPLANTEDPLANTED" {
		t.Errorf("it reads %q", got)
	}
	for _, name := range planted {
		if got := say(t, f, work, `cat "`+filepath.Join(home, name)+`"`); strings.Contains(got, "PLANTED") {
			t.Errorf("it reads %s", name)
		}
	}
	if got := say(t, f, work, `for d in /*; do case $d in /proc|/usr|/bin|/sbin|/lib*|/dev) ;; *) grep -rl PLANTED $d 2>/dev/null; esac; done | sort`); got != filepath.Join(work, ".git/config")+"\n"+filepath.Join(work, "a.txt")+"\n"+filepath.Join(work, "secrets.go") {
		t.Errorf("it finds %s", got)
	}
	named := sandbox.Fence{Read: []string{filepath.Join(home, "lib"), filepath.Join(work, ".env"), filepath.Join(home, "nothing")}}
	if got := say(t, named, work, `cat .env `+home+`/lib/x; cat server.key 2>/dev/null`); got != "PLANTEDPLANTED" {
		t.Errorf("what is named: %q", got)
	}
}

func TestAFenceWritesNothingButWhatIsNamedAndReachesNoNetwork(t *testing.T) {
	needFence(t)
	home := visible(t)
	t.Setenv("HOME", home)
	work := filepath.Join(home, "work")
	if err := errors.Join(os.MkdirAll(filepath.Join(work, ".git/hooks"), 0o700), os.MkdirAll(filepath.Join(work, "src/sub/.git"), 0o700)); err != nil {
		t.Fatal(err)
	}
	closed := sandbox.Fence{}
	writing := sandbox.Fence{Write: []string{work}}
	some := sandbox.Fence{Write: []string{filepath.Join(work, "out")}}
	for _, c := range []struct {
		f          sandbox.Fence
		line, says string
	}{
		{closed, `echo x > new || echo no`, "no"},
		{closed, `rm -rf src || echo no`, "no"},
		{closed, `echo x > $HOME/y && cat $HOME/y`, "x"}, // its own
		{closed, `echo x > /tmp/y && cat /tmp/y`, "x"},
		{closed, `echo x > /etc/passwd || echo no`, "no"},
		{closed, `grep -c : /proc/net/dev`, "1"},
		{closed, `ls -d /proc/[0-9]* | wc -l | tr -d ' '; mount -o remount,rw,bind ` + work + ` || echo no`, "no"},
		{closed, `find / -type s 2>/dev/null | head -1`, ""},
		{closed, `ulimit -d`, "4194304"},
		{writing, `echo x > new && cat new`, "x"},
		{writing, `echo x > .git/hooks/pre-commit || echo no`, "no"},
		{writing, `mv .git other || echo no`, "no"},
		{writing, `echo x > src/sub/.git/config || echo no`, "no"},
		{writing, `echo x > src/sub/new && cat src/sub/new`, "x"},
		{closed, `df -B1 --output=size /tmp | tail -1 | tr -d ' '`, "1073741824"},
		{some, `echo x > out/new && cat out/new`, "x"},
		{some, `echo x > new2 || echo no`, "no"},
	} {
		lines := strings.Split(say(t, c.f, work, c.line), "\n")
		if got := lines[len(lines)-1]; got != c.says {
			t.Errorf("%s\nsays %q, want %q", c.line, strings.Join(lines, "\n"), c.says)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "y")); err == nil {
		t.Error("it wrote into the home folder")
	}
}

func TestALinkInTheFolderLeadsAFenceNowhere(t *testing.T) {
	needFence(t)
	home := visible(t)
	t.Setenv("HOME", home)
	work := filepath.Join(home, "work")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(filepath.Join(home, "else"), 0o700), os.Symlink(filepath.Join(home, "else"), filepath.Join(work, "out"))); err != nil {
		t.Fatal(err)
	}
	for _, f := range []sandbox.Fence{{Write: []string{filepath.Join(work, "out")}}, {Read: []string{filepath.Join(work, "out")}}, {Write: []string{filepath.Join(work, "out/deep")}}} {
		if argv, err := f.Command(work, "true"); err == nil {
			t.Errorf("%v is followed: %q", f, argv)
		}
	}
	if _, err := (sandbox.Fence{Write: []string{"/"}}).Command(work, "true"); err == nil {
		t.Error("everything can be written")
	}
	if entries, err := os.ReadDir(filepath.Join(home, "else")); err != nil || len(entries) > 0 {
		t.Errorf("something was made there: %v, %v", entries, err)
	}
}
