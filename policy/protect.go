package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/cmdline"
)

// guarded takes up what the call has to do with the files of the gateway
// itself; what it may have to do with them is returned.
func (f *matches) guarded(c *call) (doubts []string) {
	for _, path := range c.rules.Protected.Deny {
		switch answer := c.names(path); answer {
		case cmdline.Yes:
			f.deny = append(f.deny, "protected: "+path+" is the gateway's own")
			f.raised = append(f.raised, raise{approval.RiskCritical, "touches the gateway's own data"})
		case cmdline.Maybe:
			doubts = append(doubts, "protected: it may touch "+path+", which is the gateway's own")
			f.raised = append(f.raised, raise{approval.RiskCritical, "may touch the gateway's own data"})
		case cmdline.No:
		}
	}
	for _, path := range c.rules.Protected.Ask {
		if c.names(path) != cmdline.No {
			f.ask = append(f.ask, "protected: "+path+" says what agents may do")
			f.raised = append(f.raised, raise{approval.RiskCritical, "may change what agents may do (" + filepath.Base(path) + ")"})
		}
	}
	if name, hit := c.runsGateway(); hit {
		f.ask = append(f.ask, "protected: the verbs of "+name+" are for people")
		f.raised = append(f.raised, raise{approval.RiskCritical, "runs the gateway's own verbs"})
	}
	return doubts
}

// runsGateway reports whether a call runs one of the gateway's own programs, by any
// path.
func (c *call) runsGateway() (name string, hit bool) {
	if !c.runs() {
		return "", false
	}
	for _, line := range c.lines() {
		for _, part := range line.Parts {
			if len(part.Words) == 0 || !part.Words[0].Known {
				continue
			}
			if name := path.Base(part.Words[0].Text); slices.Contains(c.rules.Protected.Programs, name) {
				return name, true
			}
		}
	}
	return "", false
}

// names asks whether a call names a file of the gateway. Otherwise than for a
// rule, what is not known at all does not count, or no loop over files
// could be allowed any more.
func (c *call) names(path string) cmdline.Answer {
	best, _ := c.argsWithin([]string{path})
	if best == cmdline.Maybe && !c.argsDoubt(path) {
		best = cmdline.No
	}
	if !c.runs() {
		return best
	}
	for _, line := range c.lines() {
		for _, part := range line.Parts {
			best = max(best, c.partNames(path, part))
		}
	}
	return best
}

// argsDoubt reports whether a tool that may delete is given a folder in which
// the file lies, or any tool a path that only another process knows.
func (c *call) argsDoubt(path string) bool {
	bases := c.bases(cmdline.Bases{})
	for _, p := range c.pathArgs() {
		if p.known && (c.Spec.Hints.Destructive && c.around(path, bases, p.text) || c.foreign(bases, p.text)) {
			return true
		}
	}
	return false
}

// foreign reports whether a path leads through what belongs to another process.
func (c *call) foreign(bases []string, path string) bool {
	if filepath.IsAbs(path) {
		bases = []string{"/"}
	}
	return !strings.ContainsRune(path, 0) &&
		slices.ContainsFunc(bases, func(base string) bool { return c.places.at(join(base, path)).foreign })
}

func (c *call) partNames(path string, part cmdline.Part) cmdline.Answer {
	bases := c.bases(part.Bases)
	best := cmdline.No
	ask := func(w cmdline.Word) {
		w = expandHome(w)
		start := w.Text[strings.LastIndexByte(w.Text, '/')+1:]
		switch {
		case w.Known:
			answer := c.wordWithin(path, bases, w, part)
			doubt := sweeps(part) && c.around(path, bases, w.Text) || c.foreign(bases, w.Text) || c.throughLink(part, w.Text)
			if answer == cmdline.Maybe && !doubt {
				answer = cmdline.No
			}
			best = max(best, answer)
		case w.Glob && start != "":
			best = max(best, c.globWithin(path, bases, w.Text))
		case w.Text != "" && c.within(path, bases, w.Text, toForbid) == cmdline.Yes:
			best = max(best, cmdline.Maybe)
		}
	}
	for _, w := range c.partPaths(part) {
		ask(w)
	}
	for _, f := range part.Files {
		ask(f.Path)
		if f.Write && !f.Path.Known {
			best = max(best, cmdline.Maybe)
		}
	}
	return best
}

// expandHome replaces ~ or $HOME in a word with the gateway's own home folder.
func expandHome(w cmdline.Word) cmdline.Word {
	if w.Below == "" {
		return w
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return w
	}
	return cmdline.Word{Text: home + w.Below, Known: w.Whole, Glob: !w.Whole}
}
