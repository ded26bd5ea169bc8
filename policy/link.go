package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// newLinks are the places where the parts of a call may put symbolic links.
type newLinks struct {
	found    bool
	roots    map[string]*cmdline.Word // absolute and clean, with the first word of the part; nil: of several
	anywhere bool
}

// add notes a place for a part.
func (m *newLinks) add(root string, by *cmdline.Word) {
	if had, ok := m.roots[root]; ok && had != by {
		by = nil
	}
	m.roots[root] = by
}

// links finds where the call may put links, once.
func (c *call) links() *newLinks {
	if !c.made.found {
		c.made.found = true
		c.made.roots = map[string]*cmdline.Word{}
		for _, line := range c.lines() {
			for _, part := range line.Parts {
				c.linksOf(part)
			}
		}
	}
	return &c.made
}

// linksOf finds where a part may put links: any of its arguments may be the new
// name or the folder of it, wherever options stand.
func (c *call) linksOf(part cmdline.Part) {
	if len(part.Words) == 0 {
		return
	}
	program := path.Base(part.Words[0].Text)
	switch program {
	case "ln", "link", "mount", "mv", "rsync":
	case "cp":
		if !keepsLinks(part) {
			return
		}
	default:
		return
	}
	names, unknown := linkNames(part)
	if (program == "cp" || program == "mv" || program == "rsync") && !unknown && c.plainFiles(part, names) {
		return
	}
	bases := c.bases(part.Bases)
	c.made.anywhere = c.made.anywhere || unknown || len(bases) == 0
	for _, base := range bases {
		for _, name := range names {
			root := filepath.Clean(join(base, name))
			if root != filepath.Clean(base) || program == "cp" || program == "rsync" || program == "mount" {
				c.made.add(root, &part.Words[0])
			} // else it is put in there, and has its own name
			if last := filepath.Clean(join(base, path.Base(name))); last != filepath.Clean(base) {
				c.made.add(last, &part.Words[0])
			}
		}
	}
}

// linkNames are the arguments that may name a new link or the folder of one;
// unknown says that there may be others.
func linkNames(part cmdline.Part) (names []string, unknown bool) {
	for _, w := range part.Words[1:] {
		switch {
		case !w.Known:
			unknown = true
		case !strings.HasPrefix(w.Text, "-"):
			names = append(names, w.Text)
		case strings.HasPrefix(w.Text, "--"):
			if _, value, ok := strings.Cut(w.Text, "="); ok {
				names = append(names, value)
			}
		case len(w.Text) > 2:
			names = append(names, w.Text[2:], w.Text[strings.IndexByte(w.Text, 't')+1:])
		}
	}
	return names, unknown
}

// keepsLinks reports whether a copy may be a link.
func keepsLinks(part cmdline.Part) bool {
	return slices.ContainsFunc(part.Words[1:], func(w cmdline.Word) bool {
		return strings.HasPrefix(w.Text, "--") || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "adPrR")
	})
}

// plainFiles reports whether all names but the last are those of plain files.
func (c *call) plainFiles(part cmdline.Part, names []string) bool {
	bases := c.bases(part.Bases)
	if len(bases) != 1 || len(names) < 2 {
		return false
	}
	return !slices.ContainsFunc(names[:len(names)-1], func(name string) bool {
		info, err := os.Lstat(join(bases[0], name))
		return err != nil || !info.Mode().IsRegular()
	})
}

// mayLead reports whether a path of a part goes through a place where another
// part of the call may put a link: then nobody knows where it leads.
func (c *call) mayLead(part cmdline.Part, text string) bool {
	return c.links().anywhere || c.throughLink(part, text)
}

// throughLink is mayLead where only links of known names count.
func (c *call) throughLink(part cmdline.Part, text string) bool {
	made := c.links()
	if len(made.roots) == 0 {
		return false
	}
	bases := c.bases(part.Bases)
	if filepath.IsAbs(text) {
		bases = []string{"/"}
	}
	var own *cmdline.Word
	if len(part.Words) > 0 {
		own = &part.Words[0]
	}
	return slices.ContainsFunc(bases, func(base string) bool { return made.on(join(base, text), own) })
}

// on reports whether a path, .. not taken back, goes through one of the places
// of other parts than its own.
func (m *newLinks) on(path string, own *cmdline.Word) bool {
	if len(path) > maxPath {
		return true
	}
	at := "/"
	for step := range strings.SplitSeq(path, "/") {
		at = filepath.Join(at, step)
		if by, ok := m.roots[at]; ok && (by == nil || by != own) {
			return true
		}
	}
	return false
}
