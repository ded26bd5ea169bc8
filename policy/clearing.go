package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// clearing is what allows parts of a command line: an allow rule with commands, paths or
// writes, or a grant.
type clearing struct {
	title     string
	patterns  []programs.Pattern
	folders   []string  // where commands may read; none: anywhere
	writes    []string  // globs of the files that may be written
	overwrite bool      // also files that have something in them
	names     []string  // the arguments beside the command that it has a condition on
	rule      *Compiled // nil: a grant
}

// clearing is the rule as one.
func (r *Compiled) clearing() clearing {
	made := clearing{title: r.title(), patterns: r.patterns, folders: r.rule.Paths, writes: r.rule.Writes, overwrite: r.rule.Overwrite, rule: r}
	for _, a := range r.args {
		made.names = append(made.names, a.path[0])
	}
	return made
}

// clearingOf is what a coverage of commands allows: in the folders that it names, which
// are the agent's own where it names none.
func (c *call) clearingOf(title string, covers approval.Coverage) (clearing, bool) {
	made := clearing{title: title, folders: covers.Paths}
	if len(made.folders) == 0 {
		made.folders = []string{"."}
	}
	for _, text := range covers.Command {
		pattern, err := programs.Compile(text)
		if err != nil {
			return clearing{}, false
		}
		made.patterns = append(made.patterns, pattern)
	}
	return made, len(made.patterns) > 0
}

// runs reports whether the clearing allows a command with all that it reads and writes; if
// not, near is what comes nearest, with what is in its way.
func (l clearing) runs(c *call, part *plain.Part) (near programs.Covered, ok bool) {
	for _, p := range l.patterns {
		covered := p.Covers(part)
		if covered.OK {
			if covered.Why, covered.At = l.holds(c, part, covered.Roles); covered.Why == "" {
				return covered, true
			}
			covered.OK = false
		}
		if covered.Near >= near.Near {
			near = covered
		}
	}
	return near, false
}

// holds says what of a command is not where the clearing wants it, and in which word; -1: in none.
func (l clearing) holds(c *call, part *plain.Part, roles []programs.Role) (why string, at int) {
	inside := append(slices.Clip(l.folders), ".")
	if part.Dir != "" && c.home != "" && c.withinAny(inside, []string{part.Dir}, ".", toAllow) != programs.Yes {
		return "it runs in " + part.Dir + ", which is outside", -1
	}
	for _, f := range part.Files {
		if !f.Write && !l.reads(c, part, f.Path) {
			return fmt.Sprintf("%q is not in the folders that may be read", shown(f.Path)), -1
		}
	}
	for _, r := range roles {
		if r.Remote && !r.Word.Each(func(text string) bool { return !c.exists(part, text) }) {
			return fmt.Sprintf("%q is a folder here, which git takes for a repository", shown(r.Word)), r.At
		}
		switch r.Kind {
		case programs.Dir:
			within := func(text string) bool { return c.withinAny(inside, c.dirOf(part), text, toAllow) == programs.Yes }
			if !r.Word.Each(within) {
				return fmt.Sprintf("it works in %q, which is outside", shown(r.Word)), r.At
			}
		case programs.Read, programs.Tree, programs.Shown, programs.List:
			if !l.reads(c, part, r.Word) {
				return fmt.Sprintf("%q is not in the folders that may be read, or mostly holds secrets", shown(r.Word)), r.At
			}
			if why := l.secrets(c, part, r); why != "" {
				return why, r.At
			}
		case programs.Write, programs.Make, programs.Drop:
			if why := l.mayWrite(c, part, r.Word, r.Kind == programs.Make); why != "" {
				return why, r.At
			}
		}
	}
	return "", -1
}

// secrets says which file with secrets lies in a folder that is read recursively; empty: none.
func (l clearing) secrets(c *call, part *plain.Part, r programs.Role) (why string) {
	handed := r.Kind == programs.List && c.findsFor(part) != programs.List
	if r.Kind != programs.Tree && r.Kind != programs.Shown && !handed || len(l.folders) == 0 {
		return ""
	}
	r.Word.Each(func(text string) bool {
		if found := c.holdsSecrets(joined(part.Dir, text), l.folders, r.Kind != programs.Shown); found != "" {
			why = fmt.Sprintf("%q in it may hold secrets: the rule would have to name that under paths", found)
		}
		return why == ""
	})
	return why
}

// reads reports whether a file may be read.
func (l clearing) reads(c *call, part *plain.Part, w plain.Word) bool {
	if len(l.folders) == 0 || w.Found {
		return true // what find gives is below the folders that it was given
	}
	return w.Each(func(text string) bool {
		if c.replaced(part, text) || c.withinAny(l.folders, c.dirOf(part), text, toAllow) != programs.Yes {
			return false
		}
		// A list, or a name with a value, of a program that nobody knows.
		pieces := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",:=@", r) })
		return len(pieces) < 2 || !slices.ContainsFunc(pieces, func(piece string) bool {
			return c.withinAny(l.folders, c.dirOf(part), piece, toAllow) != programs.Yes
		})
	})
}

// dirOf is where the relative paths of a part start; none where that is not known.
func (c *call) dirOf(part *plain.Part) []string {
	if !filepath.IsAbs(part.Dir) {
		return nil
	}
	return []string{part.Dir}
}

// speaks reports whether the clearing may speak about the call at all: the
// arguments beside the command are harmless or named by it, and the directory
// in which the command runs is the agent's or one of its folders.
func (l clearing) speaks(c *call) bool {
	for _, name := range c.oddArgs() {
		if !slices.Contains(l.names, name) {
			return false
		}
	}
	folders := l.folders
	if len(folders) == 0 {
		folders = []string{"."}
	}
	return c.pathsWithin(folders) != programs.No || !slices.ContainsFunc(c.pathArgs(), func(p callPath) bool { return !p.maybe })
}

// pathsWithin asks, to allow, whether all paths among the arguments are inside
// the folders, and there is one.
func (c *call) pathsWithin(folders []string) programs.Answer {
	paths := c.pathArgs()
	sure := slices.DeleteFunc(slices.Clone(paths), func(p callPath) bool { return p.maybe })
	if len(sure) == 0 {
		return programs.No
	}
	if c.runs() {
		paths = sure // the rule has to name the other arguments
	}
	var bases []string
	if c.directory != "" {
		bases = []string{c.directory}
	}
	return everyOf(paths, func(p callPath) programs.Answer {
		if !p.known {
			return programs.No
		}
		return c.withinAny(folders, bases, p.text, c.sideOf(p))
	})
}

// filesAllowed reports whether an allow rule covers all files among the arguments of a tool that runs
// no commands, and there is at least one.
func (c *call) filesAllowed(r *Compiled) bool {
	if len(r.rule.Writes) == 0 {
		return c.pathsWithin(r.rule.Paths) == programs.Yes
	}
	paths, l := c.pathArgs(), r.clearing()
	return slices.ContainsFunc(paths, func(p callPath) bool { return !p.maybe }) && !slices.ContainsFunc(paths, func(p callPath) bool {
		dirs := c.bases()
		switch {
		case !p.known || len(dirs) != 1 || !plainPath(p.text):
			return true
		case c.sideOf(p) == toWrite && !c.runs():
			return l.mayWritePath(c, join(dirs[0], p.text), false) != ""
		}
		return c.withinAny(r.rule.Paths, dirs, p.text, toAllow) != programs.Yes
	})
}

// cleared says what allows a command line part by part.
type cleared struct {
	ok    bool
	by    []string // titles, in the order in which they were needed
	notes []string // one a part, for the trace
}

// clear looks for something that allows every part of what the call runs.
// Different clearings may allow different parts.
func (c *call) clear(clearings []clearing) cleared {
	all := len(clearings)
	clearings = slices.DeleteFunc(slices.Clone(clearings), func(l clearing) bool { return !l.speaks(c) })
	out := cleared{ok: len(clearings) > 0}
	if odd := c.oddArgs(); len(odd) > 0 && len(clearings) < all {
		out.notes = append(out.notes, "may change what is run, so that a rule has to name it under args: "+strings.Join(odd, ", "))
	}
	for _, r := range c.lines() {
		if r.unknown != "" {
			out.ok = false
			out.notes = append(out.notes, "not known what it runs, so no rule or grant clears it: "+r.unknown)
		}
	}
	for _, r := range c.readings {
		for _, part := range r.line.Parts {
			by, why, ok := c.clearPart(clearings, part)
			out.note(part, by, why, ok)
		}
	}
	out.ok = out.ok && len(out.by) > 0
	return out
}

// clearPart finds what allows a part: its words, and the files that it opens. why is what
// is in the way of what comes nearest.
func (c *call) clearPart(clearings []clearing, part *plain.Part) (by []string, why string, ok bool) {
	runs := len(part.Words) > 0 && !part.Builtin
	for _, f := range part.Files {
		if runs && !f.Write {
			continue // whatever clears the command says where it may read
		}
		i := slices.IndexFunc(clearings, func(l clearing) bool {
			if !f.Write {
				return len(l.folders) > 0 && l.reads(c, part, f.Path) // one that says where
			}
			return l.mayWrite(c, part, f.Path, false) == ""
		})
		switch {
		case i >= 0:
			by = append(by, clearings[i].title)
		case f.Write:
			return nil, "writes " + shown(f.Path) + ": no rule names it under writes, or there is something in it", false
		default:
			return nil, "reads " + shown(f.Path), false
		}
	}
	if len(part.Words) == 0 || part.Light && part.Inner != nil {
		return by, "", true
	}
	var near programs.Covered
	for _, l := range clearings {
		found, ok := l.runs(c, part)
		if ok {
			return append(by, l.title), "", true
		}
		if found.Why != "" && found.Near >= near.Near {
			near = found
			why = l.title + ": " + found.Why
		}
	}
	if part.Builtin && part.Program().Text != "kill" {
		return by, "", true
	}
	if near.Near == 0 {
		why = ""
	}
	return nil, why, false
}

func (out *cleared) note(part *plain.Part, by []string, why string, ok bool) {
	if !ok {
		out.ok = false
		text := "not covered: " + quoted(part.Text)
		if why != "" {
			text += " (" + why + ")"
		}
		out.notes = append(out.notes, text)
		return
	}
	if len(by) == 0 {
		return
	}
	out.notes = append(out.notes, quoted(part.Text)+": "+strings.Join(slices.Compact(slices.Clone(by)), "; "))
	for _, title := range by {
		if !slices.Contains(out.by, title) {
			out.by = append(out.by, title)
		}
	}
}

// shown is a word for people.
func shown(w plain.Word) string {
	if !w.Known {
		return w.Text + "…"
	}
	return w.Text
}
