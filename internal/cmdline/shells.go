package cmdline

import "strings"

// shellCode reads what a shell is given to run.
func shellCode(p *Part, name string) []inside {
	at, code := 1, false
	for ; at < len(p.Words); at++ {
		w := p.Words[at]
		if !w.Known && mayBeOption(w) {
			p.markUnknown(at, "an argument that is not known could be an option")
			return nil
		}
		if w.Known && (w.Text == "--" || w.Text == "-") {
			at++
			break
		}
		if !w.Known || len(w.Text) < 2 || w.Text[0] != '-' && w.Text[0] != '+' {
			break
		}
		kind := shellOption(w.Text)
		switch kind {
		case 'c':
			code = true
		case 'o':
			at++
		case 'h':
			return nil
		case 0:
			p.markUnknown(at, "has an option that is not understood (%s %s)", name, w.Text)
			return nil
		}
	}
	switch {
	case !code && at < len(p.Words):
		p.markUnknown(at, "runs a script that is not seen (%s)", name)
	case !code:
		p.markUnknown(-1, "runs what comes on its input (%s)", name)
	case at >= len(p.Words):
		p.markUnknown(-1, "runs code that is not seen (%s -c)", name)
	case !p.Words[at].Known:
		p.markUnknown(at, "runs code that is not known (%s -c)", name)
	default:
		p.Light = posixLike(name) && harmlessAssigns(p.Assigns)
		if !posixLike(name) {
			p.markUnknown(at-1, "runs code of a shell that is not understood (%s -c)", name)
		}
		return []inside{{code: p.Words[at].Text, in: fromBases(p.Bases)}}
	}
	return nil
}

// shellOption says what a word of a shell's options is: 'c' for code, 'o' for
// one with a value, 'h' for help, '-' for harmless, 0 for anything else.
func shellOption(text string) byte {
	switch text {
	case "--norc", "--noprofile", "--posix", "--restricted", "--verbose":
		return '-'
	case "--version", "--help":
		return 'h'
	case "-o", "+o":
		return 'o'
	}
	if strings.HasPrefix(text, "--") {
		return 0
	}
	kind := byte('-')
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case 'e', 'u', 'x', 'v', 'f', 'C', 'n', 'p', 'B', 'E', 'T', 'b', 'h', 'm':
		case 'c':
			if text[0] == '+' {
				return 0
			}
			kind = 'c'
		default:
			return 0
		}
	}
	return kind
}

func posixLike(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "ksh", "mksh":
		return true
	}
	return false
}

// eval reads the words as code once more.
func (r *reader) eval(p *Part) []inside {
	words := p.Words[1:]
	if len(words) > 0 && words[0].Known && words[0].Text == "--" {
		words = words[1:]
	}
	code, ok := joined(words)
	if !ok {
		r.doubt("eval runs what is not known")
		return nil
	}
	p.Light = harmlessAssigns(p.Assigns)
	return []inside{{code: code, in: fromBases(p.Bases), here: true}}
}

func (r *reader) trap(p *Part) []inside {
	args, ended := p.Words[1:], false
	if len(args) > 0 && args[0].Known && args[0].Text == "--" {
		args, ended = args[1:], true
	}
	switch {
	case len(args) == 0:
		return nil
	case !args[0].Known:
		r.doubt("trap runs what is not known")
		return nil
	case len(args) == 1 || args[0].Text == "-" || args[0].Text == "":
		return nil
	case strings.HasPrefix(args[0].Text, "-") && !ended:
		return nil
	}
	p.Light = harmlessAssigns(p.Assigns)
	return []inside{{code: args[0].Text, in: dirs{unknown: true}, here: true}} // it runs later, wherever the line is then
}

// applet reads what busybox runs.
func applet(p *Part) []inside {
	switch {
	case len(p.Words) < 2:
		return nil
	case !p.Words[1].Known || strings.HasPrefix(p.Words[1].Text, "-"):
		p.markUnknown(1, "runs what is not known (%s)", base(p.Words[0].Text))
		return nil
	}
	p.Light = true
	return []inside{{part: p.inner(p.Words[1:])}}
}
