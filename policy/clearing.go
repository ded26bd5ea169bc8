package policy

import (
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/cmdline"
)

// clearing is what allows parts of a command line: an allow rule with commands
// or paths, or a grant.
type clearing struct {
	title    string
	patterns []cmdline.Pattern
	folders  []string
	names    []string // the arguments beside the command that it has a condition on
	granted  bool     // it is a grant
}

// clearing is the rule as one.
func (r *Compiled) clearing() clearing {
	made := clearing{title: r.title(), patterns: r.patterns, folders: r.rule.Paths}
	for _, a := range r.args {
		made.names = append(made.names, a.path[0])
	}
	return made
}

// clearingOf is what a coverage of commands allows.
func clearingOf(title string, covers approval.Coverage) (clearing, bool) {
	made := clearing{title: title, folders: covers.Paths, granted: true}
	for _, text := range covers.Command {
		pattern, err := cmdline.CompilePattern(text)
		if err != nil {
			return clearing{}, false
		}
		made.patterns = append(made.patterns, pattern)
	}
	return made, len(made.patterns) > 0
}

// runs reports whether the clearing allows the words of a part, and what it
// reads: one without commands allows none, only files.
func (l clearing) runs(c *call, part cmdline.Part) bool {
	covers := func(p cmdline.Pattern) bool { return p.Covers(part) }
	if !slices.ContainsFunc(l.patterns, covers) {
		return false
	}
	if len(l.folders) == 0 {
		return !l.granted || !c.changesCode(part)
	}
	return c.confined(l.folders, part)
}

// opens reports whether the clearing lets a part read a file by redirection, if the
// part needs nothing else.
func (l clearing) opens(c *call, part cmdline.Part, f cmdline.File) bool {
	return f.Path.Known && !c.mayLead(part, f.Path.Text) && c.withinAny(l.folders, c.bases(part.Bases), f.Path.Text, toAllow) == cmdline.Yes
}

// needsNothing reports whether a part needs no clearing but for the files that
// it opens: a wrapper, or the redirections of a loop.
func needsNothing(part cmdline.Part) bool { return part.Light || len(part.Words) == 0 }

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
	return c.pathsWithin(folders) != cmdline.No || len(c.pathArgs()) == 0
}

// pathsWithin asks, to allow, whether all paths among the arguments are inside
// the folders, and there is one.
func (c *call) pathsWithin(folders []string) cmdline.Answer {
	paths := c.pathArgs()
	if len(paths) == 0 {
		return cmdline.No
	}
	var bases []string
	if c.directory != "" {
		bases = []string{c.directory}
	}
	return everyOf(paths, func(p callPath) cmdline.Answer {
		if !p.known {
			return cmdline.No
		}
		return c.withinAny(folders, bases, p.text, c.argSide())
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
	sawOne := false
	for _, line := range c.lines() {
		for _, why := range line.Unknown {
			out.ok = false
			out.notes = append(out.notes, "not known what it runs, so no rule or grant clears it: "+why)
		}
		// Where nothing but wrappers is run, they need a clearing like any other.
		wrappers := !slices.ContainsFunc(line.Parts, func(p cmdline.Part) bool { return !p.Light })
		for _, part := range line.Parts {
			part.Light = part.Light && len(part.Opaque) == 0 && (!wrappers || len(part.Words) == 0)
			if part.Light && len(part.Files) == 0 {
				continue
			}
			sawOne = true
			by, ok := c.clearPart(clearings, part)
			out.note(part, by, ok)
		}
	}
	out.ok = out.ok && sawOne
	return out
}

// clearPart finds what allows a part: its words, or the files that it reads.
func (c *call) clearPart(clearings []clearing, part cmdline.Part) (by []string, ok bool) {
	switch {
	case writes(part):
		return nil, false
	case !part.Light && len(part.Words) == 0 && len(part.Assigns) > 0:
		return nil, false // an assignment that may change what the rest does
	}
	first := func(allows func(clearing) bool) bool {
		i := slices.IndexFunc(clearings, allows)
		if i < 0 {
			return false
		}
		if !slices.Contains(by, clearings[i].title) {
			by = append(by, clearings[i].title)
		}
		return true
	}
	if !needsNothing(part) {
		return by, first(func(l clearing) bool { return l.runs(c, part) })
	}
	for _, f := range part.Files {
		if !first(func(l clearing) bool { return l.opens(c, part, f) }) {
			return nil, false
		}
	}
	return by, true
}

func (out *cleared) note(part cmdline.Part, by []string, ok bool) {
	if !ok {
		out.ok = false
		text, why := "not covered: "+quoted(part), part.Opaque
		if files := writtenFiles(part); len(files) > 0 {
			why = append(slices.Clip(why), "writes "+strings.Join(files, ", ")+": no rule or grant clears writing")
		}
		if len(why) > 0 {
			text += " (" + strings.Join(why, "; ") + ")"
		}
		out.notes = append(out.notes, text)
		return
	}
	out.notes = append(out.notes, quoted(part)+": "+strings.Join(by, "; "))
	for _, title := range by {
		if !slices.Contains(out.by, title) {
			out.by = append(out.by, title)
		}
	}
}
