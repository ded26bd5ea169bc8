package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declared reads the NAME=value arguments of export and its like.
func (r *reader) declared(p *Part) {
	name := p.Words[0].Text
	switch name {
	case "export", "declare", "typeset", "readonly", "local":
	default:
		return
	}
	exported := name == "export"
	for _, w := range p.Words[1:] {
		if strings.HasPrefix(w.Text, "-") {
			exported = exported || strings.Contains(w.Text, "x")
			if strings.ContainsAny(w.Text, "ni") && name != "export" {
				r.doubt("%s %s makes assignments evaluate what they are given", name, w.Text)
			}
		}
	}
	for _, w := range p.Words[1:] {
		at := strings.IndexAny(w.Text, "=+[")
		switch {
		case at < 0 && !w.Known || !w.Known && w.Many:
			r.doubt("%s is given a name that is not known", name)
			continue
		case at < 0 || strings.HasPrefix(w.Text, "-") || strings.HasPrefix(w.Text, "+"):
			continue
		case !syntax.ValidName(w.Text[:at]) || w.Text[at] == '[':
			r.doubt("%s evaluates the name %q", name, w.Text)
		}
		a := Assign{Name: w.Text[:at], Exported: exported}
		if w.Text[at] == '=' {
			a.Value = Word{Text: w.Text[at+1:], Known: w.Known}
		}
		p.Assigns = append(p.Assigns, a)
	}
}

// builtin notes what the shell's own commands do to how the rest is read, and
// which of them evaluate their arguments.
func (r *reader) builtin(p *Part) {
	name, args := p.Words[0].Text, p.Words[1:]
	switch name {
	case "alias", "unalias":
		if len(args) > 0 {
			r.doubt("%s changes what names mean", name)
		}
	case "enable", "complete", "compgen", "compopt", "bind", "fc", "let", "nameref":
		r.doubt("%s runs or changes what is not seen", name)
	case "hash":
		if len(args) > 0 && (!args[0].Known || args[0].Text != "-r") {
			r.doubt("hash changes which program a name means")
		}
	case "set":
		r.setOptions(args)
	case "shopt":
		r.shopt(args)
	case "printf":
		r.printf(p, args)
	case "read", "mapfile", "readarray", "unset", "getopts", "wait":
		r.names(name, args)
	case "test", "[":
		testWords(p)
	}
}

func (r *reader) setOptions(args []Word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.Known:
			if mayBeOption(w) {
				r.doubt("set is given options that are not known")
			}
			return
		case w.Text == "--" || w.Text == "-" || w.Text == "" || w.Text[0] != '-' && w.Text[0] != '+':
			return
		case w.Text == "-o" || w.Text == "+o" || strings.HasSuffix(w.Text, "o") && strings.Trim(w.Text[1:len(w.Text)-1], "euxvfC") == "":
			i++
			if i < len(args) && (!args[i].Known || !harmlessSetOption(args[i].Text)) {
				r.doubt("set -o changes how the line is read")
			}
		case strings.Trim(w.Text[1:], "euxvfCnbhTE") != "":
			r.doubt("set %s changes how the line is read", w.Text)
		}
	}
}

func harmlessSetOption(name string) bool {
	switch name {
	case "errexit", "nounset", "pipefail", "xtrace", "verbose", "noglob", "noclobber", "errtrace", "functrace", "noexec":
		return true
	}
	return false
}

func (r *reader) shopt(args []Word) {
	for _, w := range args {
		switch {
		case !w.Known:
			r.doubt("shopt is given options that are not known")
		case w.Text == "-s" || w.Text == "-u" || w.Text == "-q" || w.Text == "-p":
		case w.Text == "nullglob" || w.Text == "globstar" || w.Text == "dotglob" || w.Text == "failglob" || w.Text == "nocaseglob" || w.Text == "inherit_errexit":
		default:
			r.doubt("shopt %s changes how the line is read", w.Text)
		}
	}
}

func (r *reader) printf(p *Part, args []Word) {
	if len(args) == 0 {
		return
	}
	first := args[0]
	switch {
	case !first.Known && mayBeOption(first) && len(args)+1 > 2:
		p.markUnknown(1, "an argument that is not known could be an option (printf -v)")
	case !first.Known && first.Many && !first.Glob:
		p.markUnknown(1, "an argument that is not known could be an option (printf -v)")
	case strings.HasPrefix(first.Text, "-v"):
		name := Word{Text: first.Text[2:], Known: first.Known}
		if name.Text == "" && len(args) > 1 {
			name = args[1]
		}
		r.name("printf -v", name)
	}
}

// names notes names of variables that are set by a command and are not plain.
func (r *reader) names(command string, args []Word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.Known:
			r.doubt("%s is given a name that is not known", command)
		case strings.HasPrefix(w.Text, "-") && len(w.Text) > 1 && !allDigits(w.Text[1:]):
			if strings.ContainsAny(w.Text, "CcA") || command == "wait" && strings.Contains(w.Text, "p") {
				r.doubt("%s %s runs or evaluates something", command, w.Text)
			}
			if len(w.Text) == 2 && strings.ContainsAny(w.Text, "dinNptuOs") && command != "unset" && !(command == "read" && w.Text == "-s") && !(command == "mapfile" && w.Text == "-t") && !(command == "readarray" && w.Text == "-t") {
				i++
			}
		case command == "wait" && allDigits(strings.TrimPrefix(w.Text, "%")), command == "getopts" && i == 0:
		default:
			r.name(command, w)
		}
	}
}

func (r *reader) name(command string, w Word) {
	if !w.Known || !syntax.ValidName(w.Text) || !harmlessName(w.Text, false) {
		r.doubt("%s changes a variable: %q", command, w.Text)
	}
}

// testWords notes tests that evaluate a variable's name.
func testWords(p *Part) {
	for i, w := range p.Words {
		next := Word{Known: true, Text: "]"}
		if i+1 < len(p.Words) {
			next = p.Words[i+1]
		}
		switch {
		case i == 0:
		case !w.Known && w.Many && !w.Glob:
			p.markUnknown(i, "an argument that is not known could be several (%s)", p.Words[0].Text)
		case w.Known && (w.Text == "-v" || w.Text == "-R") && (!next.Known || strings.Contains(next.Text, "[")),
			!w.Known && mayBeOption(w) && (!next.Known || strings.Contains(next.Text, "[")):
			p.markUnknown(i, "evaluates a variable's name (%s)", p.Words[0].Text)
		}
	}
}
