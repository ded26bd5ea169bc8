package cmdline

import "strings"

// Script is a word that may name a file whose content a line runs.
type Script struct {
	Path  string
	Bases Bases // where it starts, if it is relative
}

// Scripts are the words of a line that may name files which it runs: programs
// by their path, what interpreters are given, and what is piped into them. Not
// all of them need be files, and what those files run in turn is not among them.
func (l Line) Scripts() []Script {
	var all []Script
	for _, p := range l.Parts {
		for _, w := range p.scripts() {
			all = append(all, Script{Path: w, Bases: p.Bases})
		}
	}
	for i, p := range l.Parts {
		if !p.readsCode() {
			continue
		}
		for j, other := range l.Parts { // it may be what any of them prints
			if i == j || len(other.Words) == 0 {
				continue
			}
			for _, w := range other.Words[1:] {
				all = append(all, Script{Path: w.Text, Bases: other.Bases})
			}
		}
	}
	return all
}

// readsCode reports whether a part runs what comes on its input.
func (p Part) readsCode() bool {
	for _, at := range p.Blame {
		if at < 0 {
			return true
		}
	}
	return false
}

func (p Part) scripts() []string {
	var found []string
	for _, a := range p.Assigns {
		if dangerousName(a.Name) {
			found = append(found, a.Value.Text)
		}
	}
	if p.readsCode() {
		for _, f := range p.Files {
			if !f.Write {
				found = append(found, f.Path.Text)
			}
		}
	}
	if len(p.Words) == 0 || !p.Words[0].Known {
		return found
	}
	if program := p.Words[0].Text; strings.Contains(program, "/") {
		found = append(found, program)
	}
	for _, at := range p.Blame { // a script, or an option that may have one as its value
		if at < 1 {
			continue
		}
		word := p.Words[at].Text
		found = append(found, word)
		if strings.HasPrefix(word, "-") {
			_, value, _ := strings.Cut(word, "=")
			found = append(found, value)
			if at+1 < len(p.Words) {
				found = append(found, p.Words[at+1].Text)
			}
		}
	}
	return append(found, p.interpreted()...)
}

// interpreted are the words that an interpreter may read as its script: up to
// the first that is neither an option nor may be the value of one. Of shells the
// script is known exactly, and is what a part is blamed for.
func (p Part) interpreted() []string {
	var found []string
	if !readsScript(p.name()) {
		return nil
	}
	for i, w := range p.Words[1:] {
		option := strings.HasPrefix(w.Text, "-") && w.Text != "-"
		switch {
		case option && !strings.HasPrefix(w.Text, "--") && strings.ContainsAny(w.Text, "ecE"):
			return found // the code stands in the line
		case option:
			if _, value, ok := strings.Cut(w.Text, "="); ok {
				found = append(found, value)
			}
		default:
			found = append(found, w.Text)
			if before := p.Words[i].Text; i == 0 || !strings.HasPrefix(before, "-") || before == "--" {
				return found
			}
		}
	}
	return found
}

// readsScript reports whether a program that is no shell runs a script that it is
// given.
func readsScript(name string) bool {
	switch name {
	case "awk", "gawk", "mawk", "nawk", "original-awk", "deno", "bun", "pwsh":
		return true
	}
	_, code := languageOf(name)
	return code
}
