package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
)

// Fence is a view in which nothing is there but what is named: the folder in which a command
// runs, to read; the system's programs and what they need; an empty home folder and an empty
// /tmp. Files with secrets are not there unless they are named themselves. It is looked up
// for each command, and keeps nothing.
type Fence struct {
	Read    []string // folders and files, absolute
	Write   []string // folders and files, absolute; a folder below the command's own is made
	Network bool
	Hide    []string // folders that are not there, whatever lies around them
}

// maxSecrets bounds how many files are looked at for secrets.
const maxSecrets = 200_000

// ownBytes is the size of a folder of a command's own, such as /tmp.
const ownBytes = "1073741824"

// limits bound each process of a command: kilobytes of data, and processes of the account.
const limits = "ulimit -d 4194304; ulimit -u 4096 2>/dev/null || ulimit -p 4096 2>/dev/null; exec \"$@\""

// system is what programs need, beside /proc and /dev.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs",
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/timezone", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/protocols",
	"/etc/services", "/etc/mime.types", "/etc/terminfo", "/etc/gitconfig", "/etc/python3", "/etc/java", "/etc/fonts", "/etc/npmrc", "/etc/magic",
}

// System lists what is there of the machine in every Fence.
func System() []string { return slices.Clone(system) }

// Command is the program and the arguments with which a command is run in a folder.
func (f Fence) Command(dir string, argv ...string) ([]string, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, ErrMissing
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	args := []string{program, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"}
	if !f.Network {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc")
	mounts, err := f.mounts(dir)
	if err != nil {
		return nil, err
	}
	for _, m := range mounts {
		args = append(args, m.arguments()...)
	}
	args = append(args, "--chdir", dir, "--", "/bin/sh", "-c", limits, "sh")
	return append(args, argv...), nil
}

// Try runs a command that does nothing. An error says what is in the way, and what to do.
func (f Fence) Try(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "lineclear-")
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	defer func() { _ = os.Remove(dir) }()
	argv, err := f.Command(dir, "/bin/sh", "-c", ":")
	if err != nil {
		return err
	}
	return try(ctx, argv)
}

// mount is a place in the view.
type mount struct {
	path string
	kind mountKind
}

type mountKind int

const (
	readable mountKind = iota
	writable
	link
	empty // a folder of its own
	gone  // something that is hidden
)

func (m mount) arguments() []string {
	switch m.kind {
	case writable:
		return []string{"--bind", m.path, m.path}
	case link:
		if to, err := os.Readlink(m.path); err == nil {
			return []string{"--symlink", to, m.path}
		}
	case empty:
		return []string{"--size", ownBytes, "--tmpfs", m.path}
	case gone:
		if info, err := os.Stat(m.path); err == nil && info.IsDir() {
			return []string{"--tmpfs", m.path, "--remount-ro", m.path}
		}
		return []string{"--ro-bind", "/dev/null", m.path}
	case readable:
		return []string{"--ro-bind", m.path, m.path}
	}
	return nil
}

// mounts are those of a command in a folder, in the order of their paths: what is deeper comes
// later, and covers what lies around it.
func (f Fence) mounts(dir string) ([]mount, error) {
	home, _ := os.UserHomeDir()
	read, err := visible(dir, append(slices.Clip(f.Read), dir), false)
	if err != nil {
		return nil, err
	}
	write, err := visible(dir, f.Write, true)
	if err != nil {
		return nil, err
	}
	var all []mount
	for _, path := range []string{"/tmp", "/var/tmp", "/run", home} {
		if path != "" && !paths.Within(dir, path) {
			all = append(all, mount{path, empty})
		}
	}
	for _, path := range append(slices.Clip(system), filepath.SplitList(os.Getenv("PATH"))...) {
		info, err := os.Lstat(path)
		switch {
		case err != nil || !filepath.IsAbs(path) || slices.ContainsFunc(all, func(m mount) bool { return m.kind != empty && paths.Within(m.path, path) }):
		case info.Mode()&os.ModeSymlink != 0 && !strings.HasPrefix(path, "/etc/"):
			all = append(all, mount{path, link})
		default:
			all = append(all, mount{path, readable})
		}
	}
	for _, path := range read {
		all = append(all, mount{path, readable})
	}
	for _, path := range write {
		all = append(all, mount{path, writable})
	}
	for _, path := range write {
		all = append(all, keptIn(path, write)...)
	}
	hidden, err := f.hidden(home, slices.Concat(read, write))
	if err != nil {
		return nil, err
	}
	all = append(all, hidden...)
	slices.SortStableFunc(all, func(a, b mount) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// visible finds what of a list is there. Who works in a folder could put a link there that leads
// elsewhere: what is named below it has to be below it.
func visible(dir string, list []string, needed bool) ([]string, error) {
	var all []string
	for _, path := range list {
		inside := paths.Within(dir, path)
		there := path // or what of it is there
		real, err := filepath.EvalSymlinks(there)
		for os.IsNotExist(err) && inside && needed && there != dir {
			there = filepath.Dir(there)
			real, err = filepath.EvalSymlinks(there)
		}
		switch {
		case os.IsNotExist(err) && !needed:
			continue
		case err != nil:
			return nil, fmt.Errorf("sandbox: %w", err)
		case inside && !paths.Within(dir, real):
			return nil, fmt.Errorf("sandbox: %s is a link that leads out of the folder: name the place itself", path)
		case there != path:
			real = filepath.Join(real, strings.TrimPrefix(path, there))
			if err := os.MkdirAll(real, 0o755); err != nil {
				return nil, fmt.Errorf("sandbox: %w", err)
			}
		}
		if real == "/" {
			return nil, fmt.Errorf("sandbox: / can't be shown as a whole: name folders")
		}
		all = append(all, real)
	}
	return all, nil
}

// keptIn are the names with a dot in a folder that is written to: what programs run code from,
// such as .git and .envrc, stays as it is unless it is named.
func keptIn(folder string, named []string) []mount {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var all []mount
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if strings.HasPrefix(e.Name(), ".") && e.Type()&os.ModeSymlink == 0 && !slices.Contains(named, path) {
			all = append(all, mount{path, readable})
		}
	}
	return all
}

// hidden are the files and folders below some that hold secrets, but for those that are named.
func (f Fence) hidden(home string, shown []string) ([]mount, error) {
	var all []mount
	add := func(path string) {
		if !slices.Contains(shown, path) {
			all = append(all, mount{path, gone})
		}
	}
	for _, path := range append(Keys(home), f.Hide...) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && slices.ContainsFunc(shown, func(s string) bool { return paths.Within(s, real) }) {
			add(real)
		}
	}
	for _, root := range shown {
		err := paths.Secrets(root, maxSecrets, true, func(path string, _ bool) bool {
			add(path)
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("sandbox: %s: %w: name a smaller folder", root, err)
		}
	}
	return all, nil
}
