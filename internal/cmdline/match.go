package cmdline

import "strings"

// Match says whether a rule that forbids, or that asks, is about a part. It
// leans to Yes: the program counts in whatever directory it is, options in
// whatever order and spelling, and further arguments change nothing.
func (p Pattern) Match(part Part) Answer {
	answer := p.match(part)
	if answer == No && (len(part.Opaque) > 0 || runsByAssign(part.Assigns)) {
		return Maybe
	}
	return answer
}

// runsByAssign says whether what a variable is set to may be run.
func runsByAssign(list []Assign) bool {
	for _, a := range list {
		if dangerousName(a.Name) {
			return true
		}
	}
	return false
}

func (p Pattern) match(part Part) Answer {
	if len(part.Words) == 0 {
		return No
	}
	answer := p.assigned(part)
	switch program := part.Words[0]; {
	case answer == No:
		return No
	case !program.Known:
		return Maybe
	case p.any:
		return answer
	case !p.words[0].isProgram(program.Text):
		return min(answer, p.words[0].amongArguments(part.Words))
	}
	return min(answer, p.arguments(part))
}

// assigned says whether the part has the assignments that the pattern names.
func (p Pattern) assigned(part Part) Answer {
	answer := Yes
	for _, want := range p.assigns {
		best := No
		for _, a := range part.Assigns {
			if a.Name == want.name {
				best = max(best, want.value.accepts(a.Value))
			}
		}
		answer = min(answer, best)
	}
	return answer
}

// isProgram says whether the word may name a program, in this or another
// directory.
func (g glob) isProgram(program string) bool {
	if g.match(program) || g.match(base(program)) {
		return true
	}
	text, ok := g.text()
	return ok && base(text) == base(program)
}

func (p Pattern) arguments(part Part) Answer {
	want, have := p.args(part.Words), readArgs(part.Words)
	m := matcher{have: have, names: optionsOf(part.Words).names, unknown: unknownOption(part.Words), many: anyMany(part.Words), push: isPush(part.Words)}
	answer := Yes
	var positional []glob
	for _, w := range want {
		if w.option == "" {
			positional = append(positional, w.value)
			continue
		}
		answer = min(answer, m.option(w.option))
	}
	if answer == No {
		return No
	}
	anchored := subcommands(part.Words[0].Text)
	return min(answer, m.positional(positional, anchored))
}

// wanted is an argument of a pattern.
type wanted struct {
	option string
	value  glob
}

// args takes the pattern's arguments apart as those of the command are.
func (p Pattern) args(words []Word) []wanted {
	spec := optionsOf(words)
	var all []wanted
	for i, g := range p.words[1:] {
		text, literal := g.text()
		switch {
		case literal && text == "--":
			for _, g := range p.words[i+2:] {
				all = append(all, wanted{value: g})
			}
			return all
		case !strings.HasPrefix(g.prefix(), "-") || text == "-":
			all = append(all, wanted{value: g})
		case !literal:
			all = append(all, optionGlob(spec, g)...)
		default:
			found, _ := spec.split(text, 0)
			for _, a := range found {
				if a.option != "" {
					all = append(all, wanted{option: a.option})
					continue
				}
				all = append(all, wanted{value: glob{{text: a.word.Text}}})
			}
		}
	}
	return all
}

// optionGlob takes apart an option of a pattern that has a star: --name=a*.
func optionGlob(spec options, g glob) []wanted {
	name, rest, has := strings.Cut(g[0].text, "=")
	if !has {
		return []wanted{{value: g}}
	}
	value := append(glob(nil), g[1:]...)
	if rest != "" {
		value = append(glob{{text: rest}}, value...)
	}
	return []wanted{{option: spec.name(name)}, {value: value}}
}

// matcher looks for the arguments of a pattern among those of a command.
type matcher struct {
	have    []arg
	names   map[string]string
	unknown bool // an unknown word may be an option
	many    bool // an unknown word may be several
	push    bool // of git, where +name forces
}

func (m matcher) option(name string) Answer {
	for _, a := range m.have {
		switch {
		case a.option == name,
			m.shortened(a.option, name):
			return Yes
		case m.push && name == "-f" && a.option == "" && strings.HasPrefix(a.word.Text, "+"):
			return Yes
		}
	}
	switch {
	case m.sameLetters(name):
		return Yes
	case m.unknown:
		return Maybe
	}
	return No
}

// shortened says whether an option is a long one cut short.
func (m matcher) shortened(have, want string) bool {
	if !strings.HasPrefix(have, "--") || len(have) < 3 {
		return false
	}
	for long, name := range m.names {
		if name == want && strings.HasPrefix(long, have) {
			return true
		}
	}
	return strings.HasPrefix(want, have)
}

// sameLetters says whether the short options have the letters of another one,
// for programs of which nothing is known. Longer words are names.
func (m matcher) sameLetters(want string) bool {
	const most = 5
	if !shortOptions(want) || len(want) > most {
		return false
	}
	letters := ""
	for _, a := range m.have {
		if shortOptions(a.option) && len(a.option) <= most {
			letters += a.option[1:]
		}
	}
	return strings.Trim(want[1:], letters) == ""
}

func shortOptions(option string) bool {
	return len(option) > 1 && option[0] == '-' && option[1] != '-'
}

// positional says whether words stand in this order among the arguments.
func (m matcher) positional(want []glob, anchored bool) Answer {
	answer := Yes
	at := 0
	for i, g := range want {
		best := No
		for at < len(m.have) && best != Yes {
			a := m.have[at]
			at++
			text := a.word
			if a.option != "" {
				if !strings.HasPrefix(g.prefix(), "-") {
					continue
				}
				text = known(a.option)
			}
			best = max(best, g.accepts(text))
			if anchored && i == 0 && best == No && !a.loose && !a.valued {
				break
			}
		}
		if best != Yes && m.many {
			best = Maybe
		}
		answer = min(answer, best)
	}
	return answer
}

func unknownOption(words []Word) bool {
	for _, w := range words[1:] {
		switch {
		case w.Known && w.Text == "--":
			return false
		case mayBeOption(w):
			return true
		}
	}
	return false
}

// mayBeOption says whether an unknown word may become an option.
func mayBeOption(w Word) bool {
	if w.Known || w.Home {
		return false
	}
	return w.Text == "" || strings.HasPrefix(w.Text, "-") || w.Many && !w.Glob
}

func anyMany(words []Word) bool {
	for _, w := range words {
		if w.Many {
			return true
		}
	}
	return false
}

func isPush(words []Word) bool {
	i := gitSubcommand(words)
	return base(words[0].Text) == "git" && i > 0 && words[i].Text == "push"
}
