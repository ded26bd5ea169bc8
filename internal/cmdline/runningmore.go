package cmdline

import (
	"slices"
	"strings"
)

// gitRuns notes what git runs by options that mean other things elsewhere.
func gitRuns(p *Part) {
	sub := gitSubcommand(p.Words)
	name := ""
	if sub > 0 {
		name = p.Words[sub].Text
	}
	for i := 1; i < len(p.Words); i++ {
		text := p.Words[i].Text
		short := shortOptions(text)
		switch {
		case text == "--":
			return
		case (sub == 0 || i < sub) && (short && strings.HasPrefix(text, "-c") || strings.HasPrefix(text, "--git-dir")),
			name == "clone" && i > sub && short && strings.ContainsAny(text, "cu"),
			(name == "fetch" || name == "pull" || name == "ls-remote") && i > sub && short && strings.Contains(text, "u") && name == "ls-remote",
			name == "rebase" && i > sub && short && strings.Contains(text, "x"),
			name == "grep" && i > sub && short && strings.Contains(text, "O"):
			p.markUnknown(i, "an option may run something else (git %s)", text)
		case name == "submodule" && i > sub && strings.Contains(text, "foreach"), name == "bisect" && i > sub && text == "run":
			p.markUnknown(i, "may run something else (git %s %s)", name, text)
		}
	}
	if at, ok := gitGlobalsEnd(p.Words); !ok {
		p.markUnknown(at, "has an option that is not understood (git %s)", p.Words[at].Text)
	}
	switch name {
	case "config":
		gitConfig(p, sub)
	case "filter-branch", "instaweb", "daemon", "send-email", "difftool", "mergetool", "p4", "svn", "web--browse", "citool", "gui", "hook", "credential", "fast-import":
		p.markUnknown(sub, "runs other programs (git %s)", name)
	}
}

// gitConfig notes settings, which may name programs that git runs later.
func gitConfig(p *Part, sub int) {
	var args []string
	for i, w := range p.Words[sub+1:] {
		switch {
		case w.Known && (w.Text == "--get" || w.Text == "--get-all" || w.Text == "--list" || w.Text == "-l" || w.Text == "get" || w.Text == "list"):
			return
		case w.Known && (w.Text == "-e" || w.Text == "--edit" || w.Text == "edit"):
			p.markUnknown(sub+1+i, "opens an editor (git config)")
			return
		case !strings.HasPrefix(w.Text, "-"):
			args = append(args, w.Text)
		}
	}
	if len(args) > 1 && !strings.HasPrefix(args[0], "user.") && !strings.HasPrefix(args[0], "color.") && !strings.HasPrefix(args[0], "init.") {
		p.markUnknown(sub, "sets what git may run later (git config)")
	}
}

// makeRuns notes variables that make what make runs another program.
func makeRuns(p *Part) {
	for i, w := range p.Words[1:] {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok || strings.HasPrefix(w.Text, "-") {
			continue
		}
		name = strings.TrimRight(name, ":+?! ")
		if !w.Known || strings.ContainsAny(value, "$`;|&<>\n") || slices.Contains([]string{"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKE", "CC", "CXX", "MAKEFILES"}, name) {
			p.markUnknown(i+1, "sets what make may run (make %s)", w.Text)
		}
	}
}

// tarRuns notes the options that tar takes without a dash.
func tarRuns(p *Part) {
	if len(p.Words) < 2 || strings.HasPrefix(p.Words[1].Text, "-") {
		return
	}
	first := p.Words[1]
	if strings.ContainsAny(first.Text, "IFTh") || !first.Known && first.Text != "" && !strings.ContainsAny(first.Text[:1], "./") {
		p.markUnknown(1, "an option may run something else (tar %s)", p.Words[1].Text)
	}
}

// pagerRuns notes commands that a pager runs at its start.
func pagerRuns(p *Part) {
	for i, w := range p.Words[1:] {
		if strings.HasPrefix(w.Text, "+") {
			p.markUnknown(i+1, "gives the pager a command (%s)", w.Text)
		}
	}
}
