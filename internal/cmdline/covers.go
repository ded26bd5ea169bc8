package cmdline

import (
	"slices"
	"strings"
)

// Covers says whether a rule that allows, or a grant, is about everything that a
// part may do. It leans to false. The files of redirections and the directory
// are not judged here.
func (p Pattern) Covers(part Part) bool {
	if len(part.Words) == 0 || !part.Words[0].Known || !p.permits(part.Assigns) {
		return false
	}
	if p.any {
		return len(part.Opaque) == 0
	}
	named, ok := p.inOrder(part.Words)
	if !ok {
		named, ok = p.bySpec(part.Words)
	}
	if !ok {
		return false
	}
	for i := range part.Opaque {
		if i >= len(part.Blame) || !slices.Contains(named, part.Blame[i]) {
			return false
		}
	}
	return true
}

// permits says whether the assignments before a command are harmless, or named
// by the pattern.
func (p Pattern) permits(list []Assign) bool {
	for _, a := range list {
		ok := harmlessName(a.Name, a.Exported) || p.any && !dangerousName(a.Name)
		for _, want := range p.assigns {
			ok = ok || want.name == a.Name && want.value.covers(a.Value)
		}
		if !ok {
			return false
		}
	}
	return true
}

// inOrder matches word by word, and returns the indexes of the words that the
// pattern names in full.
func (p Pattern) inOrder(words []Word) (named []int, ok bool) {
	if len(words) < len(p.words) || len(words) > len(p.words) && !p.rest {
		return nil, false
	}
	ends := false
	for i, g := range p.words {
		if !g.holds(words[i], i > 0 && !ends) {
			return nil, false
		}
		text, literal := g.text()
		if literal {
			named = append(named, i)
		}
		ends = ends || literal && text == "--"
	}
	return named, true
}

// holds says whether a word of an allowing pattern stands for one word and
// nothing else: a star in it stands for no option and for no way out of a
// directory.
func (g glob) holds(w Word, mayBeOption bool) bool {
	if !w.Known || !g.match(w.Text) {
		return false
	}
	if text, literal := g.text(); literal {
		return text == w.Text
	}
	if mayBeOption && strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(g.prefix(), "-") {
		return false
	}
	return !climbs(w.Text)
}

// climbs says whether a path goes up.
func climbs(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "..")
}

// bySpec matches options in any order and spelling, for the programs whose
// options are known. What a last star stands for must come after the last other
// argument of the pattern.
func (p Pattern) bySpec(words []Word) (named []int, ok bool) {
	if !optionsOf(words).clusters || len(p.words) == 0 {
		return nil, false
	}
	if text, literal := p.words[0].text(); !literal || text != words[0].Text {
		return nil, false
	}
	want, have := p.args(words), readArgs(words)
	named = []int{0}
	used := make([]bool, len(have))
	last := 0
	for _, w := range want {
		i := w.find(have, used)
		if i < 0 {
			return nil, false
		}
		used[i] = true
		if w.option == "" {
			last = max(last, i)
		}
		if _, literal := w.value.text(); literal {
			named = append(named, have[i].at)
		}
	}
	for i, a := range have {
		if !used[i] && (!p.rest || i < last || !a.word.Known && i < last) {
			return nil, false
		}
	}
	return named, true
}

// find returns the first unused argument that is the wanted one. A positional
// argument must be the very next one.
func (w wanted) find(have []arg, used []bool) int {
	for i, a := range have {
		switch {
		case used[i]:
		case w.option != "":
			if a.option == w.option {
				return i
			}
		case a.option == "":
			if w.value.holds(a.word, false) {
				return i
			}
			return -1
		}
	}
	return -1
}
