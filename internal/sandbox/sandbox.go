// Package sandbox runs commands in bubblewrap (bwrap), which shows them another
// view of the machine. A Sandbox shows everything that is not hidden, a Fence only what
// is listed.
//
// # What it promises
//
// Of a Sandbox:
//
//   - A command can write below the folders that are listed, and into /tmp,
//     /var/tmp and /run of its own, which are gone when it is over; it can read
//     the rest of the file system, and not what is hidden: the folders that are
//     listed, and where people keep their keys (see Keys).
//   - It has no network unless it is allowed, no process outside that it could
//     see or signal, no rights of root, and no socket of a daemon in /run.
//   - When the process that started it dies, it is killed; when its first process
//     ends, all of it is.
//   - Folders are known by what they are, not only by their names: one that was
//     moved, or replaced by another or by a symbolic link, ends in ErrMoved
//     instead of a command that sees more than it should.
//
// It does not bound what a command uses (time, memory, disk), and it is as good as
// the kernel. Bubblewrap exists for Linux alone.
//
// # How to use it
//
// New says what a view shows, Try whether it works on this machine, Command with
// which program and arguments something is run in it. Start that in a session of
// its own (Setsid), so that it has no terminal.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
)

var (
	// ErrMissing says that there is no bubblewrap.
	ErrMissing = errors.New("bubblewrap (bwrap) is not installed: apt install bubblewrap")
	// ErrRefused says that the machine does not let bubblewrap do its work.
	ErrRefused = errors.New("bubblewrap does not work here")
	// ErrMoved says that a folder is not what it was when the sandbox was made.
	ErrMoved = errors.New("sandbox: a folder is not the one that it was")
)

// remedy is what to do where the kernel refuses.
const remedy = "user namespaces are probably forbidden: allow them (sysctl kernel.unprivileged_userns_clone=1; where AppArmor " +
	"restricts them, a profile for bwrap), or, in a container, start it with the right to make them"

// Options say what a sandbox shows.
type Options struct {
	Write   []string // folders that exist, below which commands may write; links are followed now
	Hide    []string // folders that exist, of which commands see nothing
	Network bool     // that of the machine; otherwise there is none
	Home    string   // below which Keys are hidden; default: the user's
}

// Sandbox is a view of the machine in which commands run; make it with New.
type Sandbox struct {
	program string
	write   []place
	hide    []place
	network bool
	home    string
}

// place is a folder, and which one it is.
type place struct {
	path string // absolute, without links
	info os.FileInfo
}

// New makes a sandbox. It needs bubblewrap to be there, and starts nothing.
func New(o Options) (*Sandbox, error) {
	program, err := exec.LookPath("bwrap")
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, ErrMissing
	}
	s := &Sandbox{program: program, network: o.Network, home: o.Home}
	if s.home == "" {
		s.home, _ = os.UserHomeDir() // who has none keeps no keys there
	}
	if s.write, err = places(o.Write); err != nil {
		return nil, err
	}
	if s.hide, err = places(o.Hide); err != nil {
		return nil, err
	}
	return s, s.sound()
}

// places finds folders; what lies in another one of them is left out.
func places(folders []string) ([]place, error) {
	var all []place
	for _, path := range folders {
		path, err := filepath.Abs(path)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("sandbox: %s is no folder", path)
		}
		all = append(all, place{path, info})
	}
	var outer []place
	for i, p := range all {
		covers := func(other place) bool { return paths.Within(other.path, p.path) }
		if !slices.ContainsFunc(all, func(other place) bool { return other.path != p.path && covers(other) }) && !slices.ContainsFunc(all[:i], covers) {
			outer = append(outer, p)
		}
	}
	return outer, nil
}

// sound refuses folders that can't be written to and shut in at once.
func (s *Sandbox) sound() error {
	hidden := slices.Clone(Keys(s.home))
	for _, p := range s.hide {
		hidden = append(hidden, p.path)
	}
	for _, p := range s.write {
		for _, kernel := range []string{"/dev", "/proc", "/sys"} {
			if p.path == "/" || paths.Within(kernel, p.path) {
				return fmt.Errorf("sandbox: %s can't be a folder that commands write to: name one below it, or use no sandbox", p.path)
			}
		}
		for _, h := range hidden {
			if real, err := filepath.EvalSymlinks(h); err == nil && paths.Within(real, p.path) {
				return fmt.Errorf("sandbox: %s can't be a folder that commands write to, as %s is hidden from them", p.path, real)
			}
		}
	}
	return nil
}

// Network reports whether commands have the machine's network.
func (s *Sandbox) Network() bool { return s.network }

// Write lists the folders below which commands can write, without links.
func (s *Sandbox) Write() []string {
	var all []string
	for _, p := range s.write {
		all = append(all, p.path)
	}
	return all
}

// Try runs a command that does nothing. An error says what is in the way, and
// what to do.
func (s *Sandbox) Try(ctx context.Context) error {
	dir := "/"
	if len(s.write) > 0 {
		dir = s.write[0].path
	}
	argv, err := s.Command(dir, "/bin/sh", "-c", ":")
	if err != nil {
		return err
	}
	return try(ctx, argv)
}

// try runs a command and turns its failure into ErrRefused.
func try(ctx context.Context, argv []string) error {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s (%w); %s", ErrRefused, strings.TrimSpace(said.String()), err, remedy)
	}
	return nil
}

// Command is the program and the arguments with which a command is run in a
// folder, one that it may write to or any below.
func (s *Sandbox) Command(dir string, argv ...string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if len(s.write) > 0 && !slices.ContainsFunc(s.write, func(p place) bool { return paths.Within(p.path, real) }) {
		return nil, fmt.Errorf("sandbox: %s is none of the folders that commands here may write to", real)
	}
	for _, p := range slices.Concat(s.write, s.hide) {
		now, err := filepath.EvalSymlinks(p.path)
		if err != nil || now != p.path {
			return nil, fmt.Errorf("%w: %s", ErrMoved, p.path)
		}
		if info, err := os.Stat(p.path); err != nil || !os.SameFile(info, p.info) {
			return nil, fmt.Errorf("%w: %s", ErrMoved, p.path)
		}
	}
	return append(append([]string{s.program}, s.view(real).arguments()...), argv...), nil
}
