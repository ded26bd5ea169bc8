package policy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/internal/programs"
)

// Limits on paths; the system has such too.
const (
	maxPath  = 4096
	maxLinks = 64 // that one path may go through
)

// place is where a path leads: by its letters, and with symbolic links
// followed. Where both can't be told it is not sure.
type place struct {
	lexical, resolved string
	sure              bool
	foreign           bool // it leads through what belongs to another process
}

var (
	errForeign = errors.New("leads to where another process has it")
	errUnsure  = errors.New("leads through what can't be told")
)

// places finds where paths lead, each once a judgement.
type places map[string]place

// at is the place of an absolute path, which need not be clean.
func (p places) at(path string) place {
	if known, ok := p[path]; ok {
		return known
	}
	found := place{lexical: filepath.Clean(path), sure: true}
	resolved, err := "", errors.New("too long")
	if len(path) <= maxPath {
		resolved, err = p.resolved(path)
	}
	if err != nil {
		resolved, found.sure, found.foreign = found.lexical, false, errors.Is(err, errForeign)
	}
	found.resolved = resolved
	p[path] = found
	return found
}

// resolved is resolve, starting from what is known of the path's folder: many paths share one.
func (p places) resolved(path string) (string, error) {
	folder := filepath.Dir(path)
	if folder == path || !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return resolve(path)
	}
	around := p.at(folder)
	switch {
	case around.foreign:
		return "", errForeign
	case !around.sure:
		return "", errUnsure
	case below("/proc", around.resolved), below("/dev", around.resolved):
		return resolve(path)
	}
	next := filepath.Join(around.resolved, filepath.Base(path))
	info, err := os.Lstat(next)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return next, nil
	}
	return resolve(path)
}

// resolve follows symbolic links the way the system does: .. is taken from
// where a link leads. What does not exist is taken as it is written.
func resolve(path string) (string, error) {
	todo := strings.Split(path, "/")
	at, links := "/", 0
	for len(todo) > 0 {
		step := todo[0]
		todo = todo[1:]
		switch step {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		if foreign(at, step, todo) {
			return "", errForeign
		}
		next := filepath.Join(at, step)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at = next
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many symbolic links")
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return at, nil
}

// foreign reports whether a step from a folder leads to where only another
// process knows: /proc/self is the command's own there, and ours here.
func foreign(at, step string, rest []string) bool {
	switch {
	case at == "/dev" && step == "fd":
	case filepath.Dir(at) == "/proc":
		switch step {
		case "cwd", "root", "exe", "task", "map_files":
			return true
		case "fd":
		default:
			return false
		}
	default:
		return false
	}
	// The standard streams are no way to anywhere, but one may be a folder.
	return len(rest) > 1 || len(rest) == 1 && rest[0] != "0" && rest[0] != "1" && rest[0] != "2"
}

// below reports whether a clean path is a folder, or something in it.
func below(folder, path string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder) && path[len(folder)] == '/'
}

// holds reports whether a folder contains a place. To allow, both of its paths
// have to be inside; to forbid, one is enough.
func (folder place) holds(p place, s side) programs.Answer {
	lexical := below(folder.lexical, p.lexical) || below(folder.resolved, p.lexical)
	resolved := below(folder.resolved, p.resolved) || s == toForbid && below(folder.lexical, p.resolved)
	switch {
	case s != toForbid:
		return truth(lexical && resolved && p.sure && folder.sure)
	case lexical || resolved:
		return programs.Yes
	case !p.sure || !folder.sure:
		return programs.Maybe
	}
	return programs.No
}

// plainPath reports whether a text names one file whoever reads it: what begins
// with ~ or looks like a URL means another file to some programs.
func plainPath(text string) bool {
	return text != "" && !strings.HasPrefix(text, "~") && !strings.Contains(text, "://") &&
		!strings.HasPrefix(text, "file:") && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// join puts a path behind a base without cleaning it, since .. behind a
// symbolic link leads elsewhere than its letters say.
func join(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return base + "/" + path
}

// checkPath refuses a folder of a rule that can't be one.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New(`an empty path: write "." for the agent's working directory`)
	case strings.ContainsRune(path, 0):
		return errors.New("a path can't contain a NUL character")
	case !utf8.ValidString(path):
		return errors.New("not valid UTF-8")
	case strings.HasPrefix(path, "~") && path != "~" && !strings.HasPrefix(path, "~/"):
		return errors.New("another user's home is not looked up: write its absolute path")
	case strings.Contains(path, "*"):
		return errors.New("a path names a folder with all that is in it, or a file: leave the * out")
	}
	if strings.HasPrefix(path, "~") {
		if _, err := os.UserHomeDir(); err != nil {
			return errors.New("it is not known where ~ is: write an absolute path")
		}
	}
	return nil
}

// from returns the absolute paths that a path may stand for, one per base.
func from(bases []string, path string) []string {
	switch {
	case strings.ContainsRune(path, 0):
		return nil
	case filepath.IsAbs(path):
		return []string{path}
	}
	all := make([]string, len(bases))
	for i, base := range bases {
		all[i] = base + "/" + path
	}
	return all
}

// placesOf returns the places that a path may stand for.
func (c *call) placesOf(bases []string, path string) []place {
	var all []place
	for _, path := range from(bases, path) {
		all = append(all, c.places.at(path))
	}
	return all
}

// overlaps reports whether one place contains the other.
func (p place) overlaps(q place) bool {
	return below(p.lexical, q.lexical) || below(q.lexical, p.lexical) || below(p.resolved, q.resolved) || below(q.resolved, p.resolved)
}

// folder is the place that a rule's path names.
func (c *call) folder(text string) (place, bool) {
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		home, err := c.homeFolder, error(nil)
		if home == "" {
			home, err = os.UserHomeDir()
		}
		if err != nil {
			return place{}, false
		}
		return c.places.at(home + rest), true
	}
	if !filepath.IsAbs(text) && c.home == "" {
		return place{}, false
	}
	return c.places.at(join(c.home, text)), true
}

// within reports whether a path of the call is inside a folder of a rule,
// wherever it may start.
func (c *call) within(folderText string, bases []string, path string, s side) programs.Answer {
	folder, ok := c.folder(folderText)
	if !ok {
		return s.doubt()
	}
	if !plainPath(path) && s != toForbid {
		return programs.No
	}
	candidates := c.placesOf(bases, path)
	if len(candidates) == 0 {
		return s.doubt()
	}
	inside := func(p place) programs.Answer {
		if s == toWrite && runsCode(folder, p, c.places) || s != toForbid && secretBelow(folder, p) {
			return programs.No
		}
		return folder.holds(p, s)
	}
	if s != toForbid {
		return everyOf(candidates, inside)
	}
	answer := anyOf(candidates, inside)
	if !plainPath(path) {
		answer = max(answer, programs.Maybe)
	}
	return answer
}

// secretBelow reports whether a place below a folder usually holds secrets, so that a rule has to name it.
func secretBelow(folder, p place) bool {
	return secretIn(folder.lexical, p.lexical) || secretIn(folder.resolved, p.resolved)
}

func secretIn(folder, path string) bool {
	rest, below := strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	return below && holdsSecret(rest)
}

// holdsSecret reports whether a path usually holds secrets, by its names alone.
func holdsSecret(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), paths.Secret)
}

// maxTree limits the search for files with secrets when a folder is read recursively.
const maxTree = 20_000

// holdsSecrets returns a path below a folder that usually holds secrets and that a rule does not
// name, or a description where there are too many files to look.
func (c *call) holdsSecrets(folder string, named []string, hidden bool) string {
	found := ""
	err := paths.Secrets(c.places.at(folder).resolved, maxTree, hidden, func(path string, _ bool) bool {
		if !slices.ContainsFunc(named, func(text string) bool {
			place, ok := c.folder(text)
			return ok && below(place.resolved, path) && !secretIn(place.resolved, path)
		}) {
			found = path
		}
		return found == ""
	})
	if errors.Is(err, paths.ErrTooMany) {
		return "one of its many files"
	}
	return found
}

// withinAny is within for the folders of a rule.
func (c *call) withinAny(folders, bases []string, path string, s side) programs.Answer {
	return anyOf(folders, func(folder string) programs.Answer { return c.within(folder, bases, path, s) })
}
