package cmdline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// option is one that a command has.
type option struct {
	name  string
	value Word
	at    int
}

// wrapped finds what a wrapper runs. Where its options are not understood, the
// part is opaque: which word is the program would be a guess.
func (r *reader) wrapped(p *Part, name string, w wrapper) []inside {
	p.Light = w.light
	opts, at, ok := readOptions(p, w.options, name == "nice")
	if !ok {
		p.Light = false
		return nil
	}
	if name == "xargs" && !clearMarks(p, opts) {
		p.Light = false
		return nil
	}
	if noted, stop := r.noteOptions(p, name, opts); stop {
		p.Light = p.Light && noted
		return nil
	}
	if name == "env" {
		return r.env(p, opts, at)
	}
	if code := optionValue(opts, "-c", "--command"); w.kind == codeOption || name == "flock" && code.at > 0 {
		return codeIn(p, name, code, at)
	}
	var set []Assign
	if w.kind == assigns {
		if set, at, ok = readAssigns(p, at); !ok {
			return nil
		}
	}
	for range w.skip {
		if at < len(p.Words) && (p.Words[at].Many || mayBeOption(p.Words[at])) {
			p.Light = false
			p.markUnknown(at, "an argument that is not known could be an option")
			return nil
		}
		at++
	}
	if name == "ssh" && at < len(p.Words) {
		if p.Words[at].Known && p.Words[at].Text == "--" {
			at++
		} else if mayBeOption(p.Words[at]) || strings.HasPrefix(p.Words[at].Text, "-") {
			p.markUnknown(at, "has an option after the host (ssh %s)", p.Words[at].Text)
			return nil
		}
	}
	if at >= len(p.Words) {
		return nothingInside(p, name)
	}
	if text := p.Words[at].Text; name == "flock" && (text == "-c" || text == "--command") && at+1 < len(p.Words) {
		return codeIn(p, name, option{name: "-c", value: p.Words[at+1], at: at}, at)
	}
	if !p.Words[at].Known && name != "exec" {
		p.Light = false
	}
	return r.runsIn(p, name, w.kind, opts, set, at)
}

// runsIn returns what the words from an index on run.
func (r *reader) runsIn(p *Part, name string, kind wrapperKind, opts []option, set []Assign, at int) []inside {
	rest := p.Words[at:]
	if (name == "builtin" || name == "command") && movesShell(rest[0].Text) {
		r.moved = true
	}
	switch kind {
	case runsShell:
		if optionValue(opts, "-x", "--exec").at > 0 {
			break
		}
		fallthrough
	case remote:
		code, ok := joined(rest)
		if !ok {
			p.Light = false
			p.markUnknown(at, "hands a shell what is not known (%s)", name)
			return nil
		}
		in := fromBases(p.Bases)
		if kind == remote {
			in = dirs{unknown: true}
		}
		return []inside{{code: code, in: in}}
	case appends:
		if mark, also := xargsMarks(opts); len(mark) > 0 {
			for _, m := range mark {
				rest = fill(rest, m, "")
			}
			if also {
				p.Light = false
				p.markUnknown(optionValue(opts, "-I", "-i", "--replace").at, "may add its input where it is not seen (xargs -I with -n or -L)")
				rest = append(slices.Clone(rest), Word{Many: true})
			}
		} else {
			rest = append(slices.Clone(rest), Word{Many: true})
		}
	case fills:
		return parallelWords(p, rest, at)
	}
	part := p.inner(rest, set...)
	if dir := optionValue(opts, "-C", "--chdir", "-D"); dir.at > 0 && (name == "env" || name == "sudo") {
		part.Bases = Bases{Unknown: true}
		if dir.value.Known {
			part.Bases = fromBases(p.Bases).join(dir.value.Text).bases()
		}
	}
	switch name {
	case "chroot", "nsenter", "unshare":
		part.Bases = Bases{Unknown: true}
	}
	return []inside{{part: part}}
}

// noteOptions notes what a wrapper's own options do. stop says that it runs
// nothing further that can be seen; light whether it is harmless then.
func (r *reader) noteOptions(p *Part, name string, opts []option) (light, stop bool) {
	for _, o := range opts {
		switch name + " " + o.name {
		case "command -v", "command -V":
			return true, true
		case "env -i", "env -u", "env -C", "env -S", "env --ignore-environment", "env --unset", "env --chdir", "env --split-string", "exec -a", "exec -c", "exec -l":
			p.Light = false
		case "time -o", "time --output", "script -O", "script --log-out", "script -B", "script --log-io", "script -T", "script --log-timing", "script -I", "script --log-in":
			p.Files = append(p.Files, File{Path: o.value, Write: true})
		case "strace -o", "ltrace -o":
			p.Files = append(p.Files, File{Path: o.value, Write: true})
			if !o.value.Known || strings.HasPrefix(o.value.Text, "|") || strings.HasPrefix(o.value.Text, "!") {
				p.markUnknown(o.at, "hands its output to a program that is not seen (%s %s)", name, o.name)
			}
		case "strace -E":
			p.markUnknown(o.at, "sets a variable (strace -E)")
		case "su -s", "su --shell", "runuser -s", "runuser --shell":
			p.markUnknown(o.at, "names the shell that runs (%s %s)", name, o.name)
		case "sudo -l", "sudo --list", "sudo -V", "sudo --version", "sudo -v", "sudo --validate", "sudo -K", "sudo --remove-timestamp":
			return false, true
		}
	}
	return false, false
}

// nothingInside is for a wrapper that names no program.
func nothingInside(p *Part, name string) []inside {
	switch name {
	case "xargs", "exec":
		return nil // xargs prints then; exec only redirects
	case "sudo", "doas", "su", "runuser", "ssh", "chroot", "unshare", "nsenter", "script", "parallel", "watch":
		p.markUnknown(-1, "runs what comes on its input (%s)", name)
	}
	p.Light = false
	return nil
}

// codeIn reads what a shell runs for su -c and its like.
func codeIn(p *Part, name string, code option, at int) []inside {
	p.Light = false
	if name == "runuser" && code.at == 0 && at < len(p.Words) {
		return []inside{{part: p.inner(p.Words[at:])}}
	}
	if name == "script" && at < len(p.Words) {
		p.Files = append(p.Files, File{Path: p.Words[at], Write: true})
	}
	// su takes options after the user as well.
	if name == "su" && code.at == 0 {
		for i, w := range p.Words[:len(p.Words)-1] {
			if i > 0 && w.Known && (w.Text == "-c" || w.Text == "--command") {
				code = option{name: "-c", value: p.Words[i+1], at: i}
			}
		}
	}
	switch {
	case code.at == 0:
		p.markUnknown(-1, "runs what comes on its input (%s)", name)
		return nil
	case !code.value.Known:
		p.markUnknown(code.at, "hands a shell what is not known (%s -c)", name)
		return nil
	}
	in := fromBases(p.Bases)
	if name == "su" || name == "runuser" {
		in = dirs{unknown: true}
	}
	return []inside{{code: code.value.Text, in: in}}
}

// env reads env's own language: assignments, and -S for a string of words.
func (r *reader) env(p *Part, opts []option, at int) []inside {
	words := p.Words[at:]
	if s := optionValue(opts, "-S", "--split-string"); s.at > 0 {
		if !s.value.Known || strings.ContainsAny(s.value.Text, "\\$#'\"\n") {
			p.markUnknown(s.at, "splits a string that is not understood (env -S)")
			return nil
		}
		split := []Word{p.Words[0]}
		for field := range strings.FieldsSeq(s.value.Text) {
			split = append(split, known(field))
		}
		again := p.inner(append(split, words...))
		return []inside{{part: again}}
	}
	if len(words) > 0 && words[0].Known && words[0].Text == "-" {
		p.Light = false
		at++
	}
	set, at, ok := readAssigns(p, at)
	if !ok {
		p.Light = false
		return nil
	}
	if at >= len(p.Words) {
		p.Light = false
		p.Assigns = append(p.Assigns, set...)
		return nil
	}
	return r.runsIn(p, "env", runs, opts, set, at)
}

// readAssigns reads NAME=value words from an index on.
func readAssigns(p *Part, at int) ([]Assign, int, bool) {
	var set []Assign
	for ; at < len(p.Words); at++ {
		w := p.Words[at]
		name, value, has := strings.Cut(w.Text, "=")
		switch {
		case w.Known && !has:
			return set, at, true
		case !w.Known && (!has || w.Many):
			p.markUnknown(at, "an argument that is not known could be an option or a program")
			return nil, at, false
		}
		w.Text = value
		w.Home = false
		set = append(set, Assign{Name: name, Value: w, Exported: true})
	}
	return set, at, true
}

// clearMarks says whether it is known for what xargs puts its input in.
func clearMarks(p *Part, opts []option) bool {
	for _, o := range opts {
		if o.name == "-I" && !o.value.Known {
			p.markUnknown(o.at, "puts its input where it is not known (xargs -I)")
			return false
		}
	}
	return true
}

// xargsMarks are the texts for which xargs puts in what it reads. also says that
// it may forget them and add what it reads at the end: of -I and -n or -L, some
// take the last and some the first.
func xargsMarks(opts []option) (marks []string, also bool) {
	for _, o := range opts {
		switch o.name {
		case "-I":
			marks = append(marks, o.value.Text)
		case "-i", "--replace":
			marks = append(marks, cmp.Or(o.value.Text, "{}"))
		case "-n", "--max-args", "-L", "--max-lines", "-l":
			also = true
		}
	}
	marks = slices.DeleteFunc(marks, func(mark string) bool { return mark == "" })
	return marks, also || len(marks) > 1
}

// fill makes words unknown from where a mark stands in them.
func fill(words []Word, mark, beginning string) []Word {
	out := slices.Clone(words)
	for i, w := range out {
		if before, _, ok := strings.Cut(w.Text, mark); ok {
			if before == "" {
				before = beginning
			}
			out[i] = Word{Text: before}
		}
	}
	return out
}

// parallelWords are the words that parallel runs, up to its lists of arguments.
func parallelWords(p *Part, rest []Word, at int) []inside {
	var run []Word
	for i, w := range rest {
		if w.Known && strings.HasPrefix(w.Text, ":::") {
			break
		}
		if !w.Known || strings.ContainsAny(w.Text, ";|&<>$()`\n\"'\\*?[~#=") {
			p.markUnknown(at+i, "hands a shell what is not known (parallel)")
			return nil
		}
		for field := range strings.FieldsSeq(w.Text) {
			run = append(run, known(field))
		}
	}
	if len(run) == 0 {
		p.markUnknown(-1, "runs what comes on its input (parallel)")
		return nil
	}
	return []inside{{part: p.inner(append(fill(run, "{", ""), Word{Many: true}))}}
}

func movesShell(program string) bool {
	switch program {
	case "cd", "pushd", "popd", "chdir", ".", "source", "eval":
		return true
	}
	return false
}
