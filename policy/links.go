package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// newLinks are the places where parts of a call may create symbolic links. It is unknown where a path
// through one of them will lead.
type newLinks struct {
	at       map[string]*plain.Part // by clean absolute path; nil: more than one part
	anywhere []*plain.Part          // parts that may create links at unknown places
	unpacked []*plain.Part          // parts that may create any links
}

func (l *newLinks) add(path string, by *plain.Part) {
	path = filepath.Clean(path)
	if had, ok := l.at[path]; ok && had != by {
		by = nil
	}
	l.at[path] = by
}

// replaced reports whether a part's path may lead through a link that another part creates.
func (c *call) replaced(part *plain.Part, text string) bool {
	if c.links == nil {
		c.links = &newLinks{at: map[string]*plain.Part{}}
		for p := range c.parts() {
			c.link(p)
		}
	}
	if slices.ContainsFunc(c.links.anywhere, func(by *plain.Part) bool { return by != part }) ||
		slices.ContainsFunc(c.links.unpacked, func(by *plain.Part) bool { return by != part && c.mayPrecede(by, part) }) {
		return true
	}
	if len(c.links.at) == 0 {
		return false
	}
	path := plain.Join(part.Dir, text)
	if len(path) > maxPath {
		return true
	}
	at := "/"
	for step := range strings.SplitSeq(path, "/") {
		at = filepath.Join(at, step)
		if by, found := c.links.at[at]; found && (by == nil || by != part) {
			return true
		}
	}
	return false
}

// mayPrecede reports whether a part may run before another one.
func (c *call) mayPrecede(first, second *plain.Part) bool {
	for _, r := range c.lines() {
		at := slices.Index(r.line.Parts, second)
		if at >= 0 && r.line.Unread == "" && !r.line.Mixed {
			return !slices.Contains(r.line.Parts[at:], first)
		}
	}
	return true
}

// unpackers are commands that may create links anywhere.
var unpackers = sync.OnceValue(func() []programs.Pattern {
	var all []programs.Pattern
	for _, text := range []string{
		"tar", "unzip", "7z", "7za", "cpio", "pax", "bsdtar", "rsync", "patch", "link", "git checkout", "git switch", "git restore", "git apply", "git am", "git mv", "git stash pop",
		"git stash apply", "git pull", "git merge", "git rebase", "git reset", "git cherry-pick", "git revert", "git clone", "git worktree", "git submodule",
	} {
		if p, err := programs.Compile(text); err == nil {
			all = append(all, p)
		}
	}
	return all
})

// link records where a part may create links.
func (c *call) link(p *plain.Part) {
	program := filepath.Base(p.Program().Text)
	lists := program != "git" && !c.partChanges(p) // such as tar tf
	if !lists && slices.ContainsFunc(unpackers(), func(u programs.Pattern) bool { return u.Runs(p) }) {
		c.links.unpacked = append(c.links.unpacked, p)
		return
	}
	if !slices.Contains([]string{"ln", "mv", "cp", "install"}, program) {
		return
	}
	var from, to []string
	for _, r := range c.about(p).use.Roles {
		known := r.Word.Each(func(text string) bool {
			if r.Kind == programs.Write {
				to = append(to, text)
			} else if r.Kind != programs.Option {
				from = append(from, text)
			}
			return true
		})
		if !known && r.Kind != programs.Option {
			c.links.anywhere = append(c.links.anywhere, p)
		}
	}
	for _, target := range to {
		path := plain.Join(p.Dir, target)
		if base := filepath.Base(target); base != "." && base != ".." && base != "/" { // these can't be replaced
			c.links.add(path, p)
		}
		for _, source := range from {
			c.links.add(filepath.Join(path, filepath.Base(source)), p)
		}
	}
	if program == "mv" {
		for _, source := range from {
			c.links.add(plain.Join(p.Dir, source), p)
		}
	}
}
