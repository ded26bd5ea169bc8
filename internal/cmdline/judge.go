package cmdline

import "strings"

// inside is what a part runs in turn: another part, or shell code.
type inside struct {
	part Part
	code string // shell code, where part has no words
	in   dirs   // where the code runs
	here bool   // this shell runs the code itself, so that a cd in it counts
}

// judge keeps a part, and finds what it runs in turn.
func (r *reader) judge(p Part, depth int) {
	if r.here > 0 && (!p.Words[0].Known || movesShell(base(p.Words[0].Text))) {
		r.moved = true
	}
	switch first := p.Words[0]; {
	case !first.Known:
		r.add(p)
		return
	case first.Text == "" || strings.ContainsAny(first.Text, "=\n"):
		r.doubt("the program %q is not a name", first.Text)
		p.Words[0].Known = false
		r.add(p)
		return
	case depth > maxNested:
		r.doubt("wrapped more than %d times", maxNested)
		r.add(p)
		return
	}
	r.declared(&p)
	r.builtin(&p)
	inner := r.look(&p)
	p.Light = p.Light && trusted(p.Words[0].Text) && (handedOn(inner) || harmlessAssigns(p.Assigns))
	if !r.add(p) {
		return
	}
	for _, i := range inner {
		if len(i.part.Words) > 0 {
			r.judge(i.part, depth+1)
			continue
		}
		if i.here {
			r.here++
		}
		r.shell(i.code, i.in, depth+1)
		if i.here {
			r.here--
		}
	}
}

// handedOn says whether a part's assignments are on what it runs, and judged
// there.
func handedOn(inner []inside) bool {
	for _, i := range inner {
		if len(i.part.Words) == 0 {
			return false
		}
	}
	return len(inner) > 0
}

// trusted says whether a program of a known name is the one known by it, and
// not a file that somebody put somewhere.
func trusted(program string) bool {
	name := base(program)
	return program == name || program == "/bin/"+name || program == "/usr/bin/"+name
}

// look finds what a part runs, and notes on it what can't be seen.
func (r *reader) look(p *Part) []inside {
	name := base(p.Words[0].Text)
	if w, ok := wrapperFor(name); ok {
		return r.wrapped(p, name, w)
	}
	switch {
	case shellName(name):
		return shellCode(p, name)
	case name == "--":
		if len(p.Words) > 1 {
			r.moved = r.moved || movesShell(p.Words[1].Text)
			return []inside{{part: p.inner(p.Words[1:])}} // time -- program, which the parser does not know
		}
	case name == "find":
		return findActions(p)
	case name == "fd" || name == "fdfind":
		return fdActions(p)
	case name == "eval":
		return r.eval(p)
	case name == "trap":
		return r.trap(p)
	case name == "." || name == "source":
		r.moved = true
		p.markUnknown(min(1, len(p.Words)-1), "runs a script that is not seen (%s)", name)
		return nil
	case name == "busybox" || name == "toybox":
		return applet(p)
	case name == "[[":
		p.Light = true // a test where it is anything
		return nil
	}
	interpreter(p, name)
	if strings.HasPrefix(name, "python") && runsModule(p.Words, "pytest") {
		runningOptions(p, "pytest")
	}
	runningOptions(p, name)
	writtenFiles(p, name)
	return nil
}

// runsModule says whether python is to run a module.
func runsModule(words []Word, module string) bool {
	for i, w := range words[:len(words)-1] {
		if i > 0 && w.Text == "-m" && words[i+1].Text == module {
			return true
		}
	}
	return false
}

// markUnknown notes that a word makes the part run more than is seen.
func (p *Part) markUnknown(at int, format string, args ...any) {
	why := sprintf(format, args...)
	for i, had := range p.Opaque {
		if had == why && p.Blame[i] == at {
			return
		}
	}
	p.Opaque = append(p.Opaque, why)
	p.Blame = append(p.Blame, at)
}

// inner is a part that runs the words from an index on.
func (p *Part) inner(words []Word, assigns ...Assign) Part {
	all := append([]Assign(nil), assigns...)
	for _, a := range p.Assigns {
		a.Exported = true
		all = append(all, a)
	}
	return Part{Words: append([]Word(nil), words...), Assigns: all, Bases: p.Bases, Text: wordsText(words)}
}

// wordsText writes words for people.
func wordsText(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = quoteAll([]string{w.Text})
		if !w.Known {
			texts[i] = w.Text + "…"
		}
	}
	return strings.Join(texts, " ")
}

// joined puts words together as a program does that hands them to a shell.
func joined(words []Word) (string, bool) {
	texts := make([]string, len(words))
	for i, w := range words {
		if !w.Known {
			return "", false
		}
		texts[i] = w.Text
	}
	return strings.Join(texts, " "), true
}
