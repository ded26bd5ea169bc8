package plain

import (
	"slices"
	"strings"
)

// wrapper is how a program is called that runs another one. With an option that is not
// listed nobody knows which word is the program.
type wrapper struct {
	options string // -x alone, -x: with a value
	skip    int    // arguments before the program
	light   bool
	sets    bool // NAME=value words come before the program
	adds    bool // arguments are added from its input
}

var wrappers = map[string]wrapper{
	"timeout": {light: true, skip: 1, options: "-s: --signal: -k: --kill-after: --foreground --preserve-status -v --verbose"},
	"nice":    {light: true, options: "-n: --adjustment:"},
	"nohup":   {light: true},
	"time":    {light: true, options: "-p"},
	"stdbuf":  {light: true, options: "-i: --input: -o: --output: -e: --error:"},
	"ionice":  {light: true, options: "-c: --class: -n: --classdata: -t --ignore"},
	"env":     {light: true, sets: true, options: "-u: --unset: -0 --null"},
	"sudo":    {sets: true, options: "-n --non-interactive -H --set-home -k --reset-timestamp -u: --user: -g: --group: -p: --prompt:"},
	"doas":    {options: "-n -u:"},
	"setsid":  {options: "-f --fork -w --wait"},
	"xargs": {adds: true, options: "-0 --null -r --no-run-if-empty -t --verbose -x --exit -n: --max-args: -P: --max-procs: -L: -s: --max-chars: " +
		"-d: --delimiter: -I:"},
}

// unwrap finds the program that a program runs, which is a part of its own.
func (r *reader) unwrap(p *Part, c *simple) {
	base := p.Program().Text
	for _, dir := range []string{"/bin/", "/usr/bin/"} { // elsewhere it may be another program
		base = strings.TrimPrefix(base, dir)
	}
	if base == "find" {
		r.found(p, c)
		return
	}
	w, ok := wrappers[base]
	if !ok {
		return
	}
	at, values, ok := w.readOptions(p.Words)
	if !ok {
		p.More = w.adds // the command may come from its input
		return
	}
	sets := slices.Clone(p.Sets)
	for ; w.sets && at < len(p.Words) && strings.Contains(p.Words[at].Text, "="); at++ {
		name, value, _ := strings.Cut(p.Words[at].Text, "=")
		if mayBeCode(value) {
			r.stop("sets the variable %s to what a program may take for code", name)
		}
		if !p.Words[at].Known || !harmlessName(name) {
			r.stop("sets the variable %s, which may change what programs do", name)
		}
		sets = append(sets, Set{Name: name, Value: Literal(value), Exported: true})
	}
	at += w.skip
	p.Light, p.Runner = w.light, !w.light
	r.line.Mixed = r.line.Mixed || p.Runner
	if at >= len(p.Words) {
		p.Light = false
		return
	}
	inner := &Part{Words: slices.Clone(p.Words[at:]), Sets: sets, Dir: p.Dir, Input: p.Input && !w.adds, Text: quoteAll(p.Words[at:]), More: w.adds}
	inner.Below = p.finds && slices.ContainsFunc(p.Words[:at], func(w Word) bool { return w.Text == "-0" || w.Text == "--null" })
	if mark := values["-I"]; mark != "" && w.adds {
		inner.More = false
		inner.fill(mark)
	}
	r.inside(p, inner, c, at)
}

// readOptions returns the index of the first word that is neither an option nor its value.
func (w wrapper) readOptions(words []Word) (at int, values map[string]string, ok bool) {
	values = map[string]string{}
	options := " " + w.options + " "
	for at = 1; at < len(words); at++ {
		text := words[at].Text
		switch {
		case !words[at].Known:
			// One that may be an option says nothing of what follows.
			return at, values, words[at].Each(func(text string) bool { return !strings.HasPrefix(text, "-") })
		case text == "--":
			return at + 1, values, true
		case !strings.HasPrefix(text, "-") || text == "-":
			return at, values, true
		case strings.Contains(options, " "+text+" "):
		case strings.Contains(options, " "+text+": "):
			if at++; at >= len(words) || !words[at].Known {
				return 0, nil, false
			}
			values[text] = words[at].Text
		default:
			name, value, attached := strings.Cut(text, "=")
			if !strings.HasPrefix(text, "--") && len(text) > 2 {
				name, value, attached = text[:2], text[2:], true
			}
			if !attached || !strings.Contains(options, " "+name+": ") {
				return 0, nil, false
			}
			values[name] = value
		}
	}
	return at, values, true
}

// fill makes words unknown from where a mark stands that something is put for.
func (p *Part) fill(mark string) {
	for i, w := range p.Words {
		if before, _, found := strings.Cut(w.Text, mark); found && i > 0 {
			p.Words[i] = Word{Text: before, Found: p.Below && w.Text == mark}
		}
	}
}

// inside reads what a part runs, from one of the words of its command on.
func (r *reader) inside(p, inner *Part, c *simple, at int) {
	if r.depth++; r.depth > maxDepth {
		r.stop("is nested more than %d times", maxDepth)
		return
	}
	defer func() { r.depth-- }()
	if !inner.Words[0].Known || inner.Words[0].Text == "" {
		r.stop("runs a program whose name is not known")
		return
	}
	p.Inner = inner
	c.programs = append(c.programs, at)
	nested := &simple{}
	r.unwrap(inner, nested)
	for _, deeper := range nested.programs {
		c.programs = append(c.programs, at+deeper)
	}
	r.add(inner)
}

// findValues are the words of find after which comes a value.
const findValues = " -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin " +
	"-newer -newermt -anewer -cnewer -samefile -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -used -context -printf -fprintf -fprint -fprint0 -fls -files0-from "

// found reads the programs that find runs, with the names of what it has found.
func (r *reader) found(p *Part, c *simple) {
	p.Runner, r.line.Mixed = true, true
	for at := 1; at < len(p.Words); at++ {
		text := p.Words[at].Text
		if text == "-execdir" || text == "-ok" || text == "-okdir" {
			r.stop("has a find that runs programs in other folders, or asks")
			return
		}
		if text != "-exec" {
			continue
		}
		if at > 1 && strings.Contains(findValues, " "+p.Words[at-1].Text+" ") {
			r.stop("has a find of which it is not clear what it runs")
			return
		}
		end := at + 1
		for end < len(p.Words) && p.Words[end].Text != ";" && (p.Words[end].Text != "+" || p.Words[end-1].Text != "{}") {
			end++
		}
		if end == len(p.Words) || end == at+1 {
			r.stop("has a find that runs what is not clear")
			return
		}
		inner := &Part{Words: slices.Clone(p.Words[at+1 : end]), Dir: p.Dir, Text: quoteAll(p.Words[at+1 : end]), Sets: p.Sets}
		inner.Below = below(p.Words[1:at])
		if last := len(inner.Words) - 1; p.Words[end].Text == "+" && last > 0 {
			inner.Words, inner.More = inner.Words[:last], true
		}
		inner.fill("{}")
		r.inside(p, inner, c, at+1)
		at = end
	}
}

// below reports whether what a find gives are plain files below the folders that it is
// given, and no links that lead elsewhere.
func below(args []Word) bool {
	plainFiles := false
	for i, w := range args {
		switch {
		case !w.Known && w.Any == nil:
			return false
		case w.Text == "-type" && i+1 < len(args) && args[i+1].Text == "f":
			plainFiles = true
		case strings.Contains(" -L -H -o -or , ! -not ( ) -printf -ls -files0-from -fprintf -fprint -fprint0 -fls ", " "+w.Text+" "):
			return false
		}
	}
	return plainFiles
}

// shellCode reads sh -c CODE as what stands in the code.
func (r *reader) shellCode(c *simple, sc scope) (command, bool) {
	switch c.words[0].Text {
	case "sh", "bash", "dash", "/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/sh", "/usr/bin/bash":
	default:
		return nil, false
	}
	if len(c.words) != 3 || len(c.sets) > 0 || !c.words[1].Known || !c.words[2].Known {
		return nil, false
	}
	switch c.words[1].Text {
	case "-c", "-lc", "-cl":
	default:
		return nil, false
	}
	if r.depth++; r.depth > maxDepth {
		r.stop("is nested more than %d times", maxDepth)
		return nil, true
	}
	defer func() { r.depth-- }()
	code, loops := r.code, r.loops
	r.loops = nil
	body := r.nested(c.words[2].Text, scope{dir: sc.dir, moves: true, ends: true, input: sc.input, finds: sc.finds})
	r.code, r.loops = code, loops
	cmd := command(group{body: body, subshell: true})
	if len(c.redirs) > 0 {
		r.add(&Part{Files: files(c.redirs), Dir: sc.dir, Text: quoteAll(c.words)})
		cmd = redirected{cmd, c.redirs}
	}
	return cmd, true
}
