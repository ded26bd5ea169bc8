package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/internal/plain"
)

// mayWrite says what is in the way of writing a file; empty: nothing. A file that is only
// made may be there.
func (l clearing) mayWrite(c *call, part *plain.Part, w plain.Word, made bool) string {
	why := fmt.Sprintf("no rule names %q under writes", shown(w))
	ok := w.Each(func(text string) bool {
		if plain.NullDevice(text) {
			return true
		}
		if c.replaced(part, text) {
			why = fmt.Sprintf("another command of the line may make %q a link", text)
			return false
		}
		if why = l.mayWritePath(c, joined(part.Dir, text), made); why != "" {
			return false
		}
		return true
	})
	if ok {
		return ""
	}
	return why
}

// joined is an absolute path, or empty.
func joined(dir, path string) string {
	if at := plain.Join(dir, path); filepath.IsAbs(at) {
		return at
	}
	return ""
}

func (l clearing) mayWritePath(c *call, path string, made bool) string {
	if path == "" || c.home == "" || strings.ContainsRune(path, 0) {
		return "it is not known where it writes"
	}
	at := c.places.at(path)
	home := c.places.at(c.home)
	info, err := os.Stat(at.resolved)
	there := err == nil
	if there && info.IsDir() && !made {
		at.lexical, at.resolved = at.lexical+"/_", at.resolved+"/_" // something in it
	}
	if !at.sure || !l.globbed(c, home.lexical, at.lexical) || !l.globbed(c, home.resolved, at.resolved) {
		return fmt.Sprintf("no rule names %q under writes", path)
	}
	switch {
	case made || !there && os.IsNotExist(err):
		return ""
	case !there:
		return fmt.Sprintf("it can't be told what %q is", path)
	case info.Mode().IsRegular() && paths.Links(info) > 1:
		return fmt.Sprintf("%q has other names, which may lie elsewhere", path)
	case !l.overwrite && (info.IsDir() || info.Size() > 0):
		return fmt.Sprintf("%q has something in it: the rule would have to say overwrite: true", path)
	}
	return ""
}

// globbed reports whether one of the globs stands for a path.
func (l clearing) globbed(c *call, home, path string) bool {
	for _, glob := range l.writes {
		if rest, found := strings.CutPrefix(glob, "~/"); found && c.homeFolder != "" {
			glob = filepath.Join(c.homeFolder, rest)
		}
		at := path
		if !filepath.IsAbs(glob) {
			inside, found := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/")
			if !found {
				continue
			}
			at = inside
		}
		if globMatches(strings.Split(strings.TrimPrefix(glob, "./"), "/"), strings.Split(at, "/")) {
			return true
		}
	}
	return false
}

// globMatches compares step by step: ** is any number of steps, * any letters of one. A name that
// begins with a dot has to be written out.
func globMatches(glob, path []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for n := 0; n <= len(path); n++ {
				if globMatches(glob[1:], path[n:]) {
					return true
				}
				if n < len(path) && strings.HasPrefix(path[n], ".") {
					return false
				}
			}
			return false
		}
		if len(path) == 0 || strings.HasPrefix(path[0], ".") && !strings.HasPrefix(glob[0], ".") || !Covers(glob[0], path[0]) {
			return false
		}
		glob, path = glob[1:], path[1:]
	}
	return len(path) == 0
}
