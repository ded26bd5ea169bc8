package cmdline

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The limits keep a hostile line from costing much.
const (
	maxLine    = 64 << 10 // bytes that are parsed
	maxOpen    = 2000     // brackets that open, since each may nest
	maxNested  = 12       // wrappers within wrappers
	maxParts   = 2000
	maxSplits  = 8   // times that &> is read as & and >
	maxStrings = 200 // strings of shell code within a line
)

// Parse reads a shell command line.
func Parse(line string) Line {
	r := newReader()
	r.shell(line, dirs{}, 0)
	return r.line()
}

// Argv reads a program and its arguments that run directly, without a shell.
func Argv(words []string) Line {
	r := newReader()
	if len(words) == 0 {
		r.doubt("there is no command")
		return r.line()
	}
	part := Part{Text: quoteAll(words)}
	for _, w := range words {
		if why := invisible(w); why != "" {
			r.doubt("an argument %s", why)
		}
		part.Words = append(part.Words, known(w))
	}
	r.judge(part, 0)
	return r.line()
}

// reader collects what is found, once each, however often it is seen.
type reader struct {
	parts   []Part
	seen    map[string]bool
	unknown []string
	strings map[string]bool // shell code within the line that was read already
	moved   bool            // a cd that can't be followed is somewhere
	here    int             // how deep in code that a shell runs itself, out of order
	braces  int             // words that came of braces
}

func newReader() *reader {
	return &reader{seen: map[string]bool{}, strings: map[string]bool{}}
}

func (r *reader) line() Line {
	if r.moved {
		for i := range r.parts {
			r.parts[i].Bases = Bases{Unknown: true}
		}
	}
	return Line{Parts: r.parts, Unknown: r.unknown}
}

// doubt notes why the line can't be known.
func (r *reader) doubt(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if key := "?" + why; !r.seen[key] {
		r.seen[key] = true
		r.unknown = append(r.unknown, why)
	}
}

// add keeps a part, and says whether it is new where it is.
func (r *reader) add(p Part) bool {
	for _, a := range p.Assigns {
		r.moved = r.moved || a.Name == "CDPATH" || a.Name == "PWD" || a.Name == "OLDPWD"
	}
	key := partKey(p)
	if r.seen[key] {
		again := r.here > 0 && !r.seen["here "+key]
		r.seen["here "+key] = true
		return again
	}
	r.seen["here "+key] = r.here > 0
	if len(r.parts) >= maxParts {
		r.doubt("more than %d commands", maxParts)
		return false
	}
	r.seen[key] = true
	r.parts = append(r.parts, p)
	return true
}

// partKey is the same for parts that do the same.
func partKey(p Part) string {
	var b strings.Builder
	word := func(w Word) {
		fmt.Fprintf(&b, "%q%t%t%t%t%q%t ", w.Text, w.Known, w.Many, w.Glob, w.Home, w.Below, w.Whole)
	}
	for _, w := range p.Words {
		word(w)
	}
	for _, a := range p.Assigns {
		fmt.Fprintf(&b, "A%q%t", a.Name, a.Exported)
		word(a.Value)
	}
	for _, f := range p.Files {
		fmt.Fprintf(&b, "F%t", f.Write)
		word(f.Path)
	}
	fmt.Fprintf(&b, "O%q%vB%q%t", p.Opaque, p.Blame, p.Bases.Dirs, p.Bases.Unknown)
	return b.String()
}

// shell reads shell code, as bash and as a POSIX shell.
func (r *reader) shell(code string, in dirs, depth int) {
	key := fmt.Sprintf("%q%t%t%s", in.set, in.unknown, r.here > 0, code)
	if r.strings[key] {
		return
	}
	r.strings[key] = true
	switch {
	case depth > maxNested:
		r.doubt("wrapped more than %d times", maxNested)
		return
	case len(r.strings) > maxStrings:
		r.doubt("more than %d strings of shell code", maxStrings)
		return
	}
	if why := unreadable(code); why != "" {
		r.doubt("%s", why)
		if len(code) > maxLine || strings.ContainsRune(code, 0) || !utf8.ValidString(code) || manyOpen(code) {
			return
		}
	}
	r.variant(code, syntax.LangBash, "bash", in, depth)
	r.variant(code, syntax.LangPOSIX, "POSIX shell", in, depth)
}

// variant reads shell code as one kind of shell. What was read before an error
// counts all the same: a shell may run it before it finds the error.
func (r *reader) variant(code string, lang syntax.LangVariant, name string, in dirs, depth int) {
	w := &walker{reader: r, bash: lang == syntax.LangBash, depth: depth}
	var file *syntax.File
	var err error
	for range maxSplits {
		w.code = code
		file, err = syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(code), "")
		var other syntax.LangError
		if w.bash || !errors.As(err, &other) {
			break
		}
		// &> is & and > to a shell that does not know it.
		at := int(other.Pos.Offset())
		if at >= len(code) || !strings.HasPrefix(code[at:], "&>") {
			break
		}
		code = code[:at] + "& " + code[at+1:]
	}
	if file != nil {
		w.checkExpansions(file)
		w.stmts(file.Stmts, in)
	}
	if err != nil {
		r.doubt("not readable as a %s line: %v", name, err)
	}
}

// unreadable says why nobody should trust how a line looks, or "".
func unreadable(code string) string {
	switch {
	case len(code) > maxLine:
		return fmt.Sprintf("longer than %d bytes", maxLine)
	case manyOpen(code):
		return fmt.Sprintf("more than %d brackets", maxOpen)
	}
	if commentGoesOn(code) {
		return "has a comment that ends in a backslash"
	}
	return invisible(code)
}

// commentGoesOn says whether what may be a comment ends in a backslash: the
// parser takes the next line for a part of it, and shells do not.
func commentGoesOn(code string) bool {
	for line := range strings.Lines(code) {
		if !strings.HasSuffix(line, "\\\n") {
			continue
		}
		for i := range len(line) {
			if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>", line[i-1]) >= 0) {
				return true
			}
		}
	}
	return false
}

// invisible says what in a text can't be seen, or shows as something else.
func invisible(text string) string {
	if !utf8.ValidString(text) {
		return "is not valid UTF-8"
	}
	for _, c := range text {
		switch {
		case c == '\n' || c == '\t':
		case unicode.IsControl(c):
			return fmt.Sprintf("has the control character %U", c)
		case blank(c):
			return fmt.Sprintf("has the blank character %U", c)
		case c > unicode.MaxASCII && (unicode.IsSpace(c) || unicode.In(c, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp)):
			return fmt.Sprintf("has the invisible character %U", c)
		}
	}
	return ""
}

// blank says whether a letter or symbol shows as nothing.
func blank(c rune) bool {
	switch c {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return false
}

func manyOpen(code string) bool {
	n := 0
	for i := range len(code) {
		switch code[i] {
		case '(', '{', '`', '[', '!':
			n++
		}
	}
	return n > maxOpen
}

func known(text string) Word { return Word{Text: text, Known: true} }

// quoteAll writes words as a shell would read them.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			q = fmt.Sprintf("%q", w)
		}
		quoted[i] = q
	}
	return strings.Join(quoted, " ")
}
