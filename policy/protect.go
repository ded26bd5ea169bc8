package policy

import (
	"os"
	"path"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// guarded takes up what the call has to do with the files of the gateway
// itself; what it may have to do with them is returned.
func (f *matches) guarded(c *call) (doubts []ground) {
	for _, path := range c.rules.Protected.Deny {
		switch answer := c.touchesOwn(path, true); answer {
		case programs.Yes:
			f.deny = append(f.deny, touchesOwnData(path))
			f.raised = append(f.raised, raise{approval.RiskCritical, "touches the gateway's own data"})
		case programs.Maybe:
			if f.fence != nil { // the fence hides the folder
				f.onlyFenced = true
				continue
			}
			doubts = append(doubts, mayTouchOwnData(path))
			f.raised = append(f.raised, raise{approval.RiskCritical, "may touch the gateway's own data"})
		case programs.No:
		}
	}
	for _, path := range c.rules.Protected.Ask {
		if c.touchesOwn(path, false) != programs.No {
			f.asksOwn(path)
		}
	}
	if path := c.changesEnding(); path != "" {
		f.asksOwn(path)
	}
	if name, hit := c.runsGateway(); hit {
		f.ask = append(f.ask, runsOwnVerbs(name))
		f.raised = append(f.raised, raise{approval.RiskCritical, "runs the gateway's own verbs"})
	}
	return doubts
}

func (f *matches) asksOwn(path string) {
	f.ask = append(f.ask, changesWhatAgentsMay(path))
	f.raised = append(f.raised, raise{approval.RiskCritical, "may change what agents may do"})
}

// runsGateway reports whether a call runs one of the gateway's own programs, by any
// path.
func (c *call) runsGateway() (name string, hit bool) {
	if !c.runs() {
		return "", false
	}
	for part := range c.parts() {
		if len(part.Words) == 0 || !part.Words[0].Known {
			continue
		}
		if name := path.Base(part.Words[0].Text); slices.Contains(c.rules.Protected.Programs, name) {
			return name, true
		}
	}
	return "", false
}

// touchesOwn reports whether a call touches a file of the gateway. With secret set, reading a folder
// around it counts too. Unlike for a rule, entirely unknown paths don't count; otherwise no loop
// over files could be allowed.
func (c *call) touchesOwn(path string, secret bool) programs.Answer {
	best, _ := c.argsWithin([]string{path})
	if c.hardLinked(path) {
		return programs.Yes
	}
	if best == programs.Maybe && !c.argsDoubt(path) {
		best = programs.No
	}
	if !c.runs() {
		return best
	}
	for part := range c.parts() {
		if found := c.touches(path, part); !found.vague && (secret || !found.reads) {
			best = max(best, found.answer)
		}
		if slices.ContainsFunc(part.Files, func(f plain.File) bool { return f.Write && !f.Path.Known && f.Path.Any == nil }) {
			best = max(best, programs.Maybe)
		}
	}
	return best
}

// hardLinked reports whether the call names a hard link to one of the gateway's files.
func (c *call) hardLinked(folder string) bool {
	linked := c.linkedFiles()
	if len(linked) == 0 {
		return false
	}
	own := filesIn(folder)
	return slices.ContainsFunc(linked, func(l os.FileInfo) bool {
		return slices.ContainsFunc(own, func(o os.FileInfo) bool { return os.SameFile(o, l) })
	})
}

// linkedFiles returns the files that the call names and that have other hard links. It looks only once.
func (c *call) linkedFiles() []os.FileInfo {
	if c.hard != nil {
		return c.hard
	}
	c.hard = []os.FileInfo{}
	add := func(bases []string, text string) {
		if len(text) > maxPath {
			return
		}
		for _, path := range from(bases, text) {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && paths.Links(info) > 1 {
				c.hard = append(c.hard, info)
			}
		}
	}
	for _, p := range c.pathArgs() {
		if p.known {
			add(c.bases(), p.text)
		}
	}
	for part := range c.parts() {
		for _, n := range c.filesOf(part) {
			n.word.Each(func(text string) bool { add(c.dirsOf(part), text); return true })
		}
	}
	return c.hard
}

// filesIn returns a file, or a folder with the files in it.
func filesIn(path string) []os.FileInfo {
	all := []os.FileInfo{}
	if info, err := os.Stat(path); err == nil {
		all = append(all, info)
	}
	entries, _ := os.ReadDir(path) // none if it is a file
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	return all
}

// argsDoubt reports whether a tool that may delete is given a folder in which
// the file lies, or any tool a path that only another process knows.
func (c *call) argsDoubt(path string) bool {
	bases := c.bases()
	for _, p := range c.pathArgs() {
		if p.known && (c.Spec.Hints.Destructive && c.around(path, bases, p.text, false) || c.foreign(bases, p.text)) {
			return true
		}
	}
	return false
}
