package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/lineclear/lineclear/internal/paths"
)

// Keys lists where people keep what lets them in elsewhere, below a home folder;
// what there is of it is hidden.
func Keys(home string) []string {
	if home == "" {
		return nil
	}
	var all []string
	for _, name := range []string{
		".ssh", ".gnupg", ".password-store", ".netrc", ".git-credentials", ".pgpass", ".vault-token",
		".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/op", ".config/rclone", ".config/containers",
		".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
		".mozilla", ".config/google-chrome", ".config/chromium", ".local/share/keyrings",
		".claude", ".claude.json", ".codex", ".config/lineclear", ".cache/lineclear",
	} {
		all = append(all, filepath.Join(home, name))
	}
	return all
}

// view is what a command sees of the machine; all its paths are absolute and
// without links.
type view struct {
	dir     string
	network bool
	private []string // folders of the command's own, empty
	write   []string
	held    []string // folders below write that can't be renamed, as they lead to what is hidden
	folders []string // hidden
	files   []string // hidden
	shown   []string // files of the private folders that are there all the same
}

// arguments are those of bwrap, up to the command. Their order is that in which
// it mounts: what comes later covers what came before.
func (v view) arguments() []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
	}
	if !v.network {
		args = append(args, "--unshare-net")
	}
	// Root keeps its rights inside, and could take the mounts off again, unless
	// they are dropped.
	args = append(args, "--die-with-parent", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	for _, path := range v.private {
		args = append(args, "--tmpfs", path)
	}
	for _, path := range v.shown {
		args = append(args, "--ro-bind", path, path)
	}
	for _, path := range slices.Concat(v.write, v.held) {
		args = append(args, "--bind", path, path)
	}
	for _, path := range v.folders {
		args = append(args, "--tmpfs", path, "--remount-ro", path)
	}
	for _, path := range v.files {
		args = append(args, "--ro-bind", "/dev/null", path)
	}
	return append(args, "--chdir", v.dir, "--")
}

// view looks at what there is on this machine to be hidden.
func (s *Sandbox) view(dir string) view {
	v := view{dir: dir, network: s.network, write: s.Write(), private: privateFolders()}
	var hidden []string
	for _, p := range s.hide {
		hidden = append(hidden, p.path)
	}
	for _, path := range Keys(s.home) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			hidden = append(hidden, real)
		}
	}
	slices.Sort(hidden)
	for i, path := range hidden {
		if covered := hidden[:i]; slices.ContainsFunc(covered, func(h string) bool { return paths.Within(h, path) }) || !v.sees(path) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			v.folders = append(v.folders, path)
		} else if err == nil {
			v.files = append(v.files, path)
		}
		v.hold(filepath.Dir(path))
	}
	if s.network {
		// Often a link into /run, which is hidden for the daemons' sockets there.
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && !v.sees(real) {
			v.shown = append(v.shown, real)
		}
	}
	return v
}

// sees reports whether a path of the machine is to be seen at all: one in a
// private folder is not, unless it is written to.
func (v view) sees(path string) bool {
	in := func(folder string) bool { return paths.Within(folder, path) }
	return slices.ContainsFunc(v.write, in) || !slices.ContainsFunc(v.private, in)
}

// hold keeps the folders above something hidden where they are, as far as they
// could be renamed: the command after this one would find it elsewhere.
func (v *view) hold(dir string) {
	var above []string
	for ; slices.ContainsFunc(v.write, func(w string) bool { return dir != w && paths.Within(w, dir) }); dir = filepath.Dir(dir) {
		above = append(above, dir)
	}
	for _, path := range slices.Backward(above) {
		if !slices.Contains(v.held, path) {
			v.held = append(v.held, path)
		}
	}
}

// privateFolders are those for what is of the moment, as far as this machine has
// them. In /run are the sockets of daemons, which a read-only mount would not
// keep anyone from.
func privateFolders() []string {
	var all []string
	for _, path := range []string{"/tmp", "/var/tmp", "/run", "/var/run"} {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			all = append(all, path)
		}
	}
	return all
}
