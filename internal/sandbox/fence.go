package sandbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
)

// Fence is a sandbox that shows only what is listed: the working directory, read-only; the system's
// programs and libraries; an empty home folder and an empty /tmp. Files with secrets are hidden
// unless they are listed themselves. It has no state; paths are resolved for each command.
type Fence struct {
	Read    []string // folders and files, absolute
	Write   []string // folders and files, absolute; missing folders below the working directory are created
	Network bool
	Hide    []string // folders that are hidden even inside the others
}

// maxSecrets limits the search for files with secrets.
const maxSecrets = 200_000

// ownBytes is the size limit of /tmp and other empty folders, in bytes.
const ownBytes = "1073741824"

// limits sets resource limits: kilobytes of data per process, and processes of the user.
const limits = "ulimit -d 4194304; ulimit -u 4096 2>/dev/null || ulimit -p 4096 2>/dev/null; exec \"$@\""

// system lists the paths that programs need, besides /proc and /dev.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs",
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/timezone", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/protocols",
	"/etc/services", "/etc/mime.types", "/etc/terminfo", "/etc/gitconfig", "/etc/python3", "/etc/java", "/etc/fonts", "/etc/npmrc", "/etc/magic",
}

// System returns the system's paths that every Fence shows.
func System() []string { return slices.Clone(system) }

// Command returns the command line that runs argv inside the sandbox, in dir.
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

// Try runs an empty command. The error says why sandboxes don't work here, and what to do.
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

// mount is one mount of the sandbox.
type mount struct {
	path string
	kind mountKind
}

type mountKind int

const (
	readable mountKind = iota
	writable
	link
	empty // a new tmpfs
	gone  // hidden
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

// mounts returns the mounts sorted by path, so that a deeper one comes later and covers its parent.
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

// visible resolves the paths of a list. A path below dir must not lead out of it through a symbolic
// link: an agent that works there could have created the link.
func visible(dir string, list []string, needed bool) ([]string, error) {
	var all []string
	for _, path := range list {
		inside := paths.Within(dir, path)
		there := path // or its longest part that exists
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

// keptIn returns read-only mounts for names with a dot in a writable folder, such as .git and .envrc,
// from which programs run code, and for repositories at any depth; unless they are listed themselves.
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
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir() || path == folder:
			return nil //nolint:nilerr // what can't be entered can't be written to either
		case e.Name() == "node_modules" || strings.HasPrefix(e.Name(), "."):
			if e.Name() == ".git" && filepath.Dir(path) != folder {
				all = append(all, mount{path, readable})
			}
			return fs.SkipDir
		}
		return nil
	})
	return all
}

// hidden returns mounts that hide files with secrets below the shown paths, except those listed.
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
