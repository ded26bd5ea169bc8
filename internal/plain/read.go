package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The limits keep a hostile line from costing much.
const (
	maxLine  = 64 << 10 // bytes
	maxDepth = 30       // groups, substitutions and wrappers within each other
	maxOpen  = 2000     // brackets that open, and pipes, since each may nest
	maxParts = 500
	maxWords = 2000 // of a line
	maxMoves = 20   // a cd after another
	maxReads = 200  // folders that wildcards look into
)

// Shell is where a line would run.
type Shell struct {
	Dir  string // absolute; empty: not known, then wildcards are not either
	Home string // what ~ and $HOME stand for; empty: not known
}

// Read reads a shell's command line. It looks into folders where the line has wildcards.
func (s Shell) Read(text string) *Line {
	r := &reader{shell: s}
	r.read(text)
	return &r.line
}

func (r *reader) read(text string) {
	r.line.body = r.nested(text, scope{dir: r.shell.Dir, moves: true, ends: true})
	r.line.Disk = r.reads > 0
	if r.line.Unread != "" {
		r.line.Parts, r.depth, r.loops = nil, 0, nil
		r.lookAt(text)
	}
}

// nested reads shell code.
func (r *reader) nested(text string, sc scope) list {
	if why := unreadable(text); why != "" {
		r.stop("%s", why)
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.stop("no shell can read it: %v", err)
		return nil
	}
	r.code = text
	return r.stmts(file.Stmts, sc)
}

// reader is at work on one line.
type reader struct {
	shell Shell
	code  string
	line  Line
	loops []loopVar
	depth int
	words int
	reads int // folders that were looked into
	moves int
}

// loopVar is a variable of a loop around what is read.
type loopVar struct {
	name   string
	values []string
}

// stop notes why the line is not plain; the first reason is kept.
func (r *reader) stop(format string, args ...any) {
	if r.line.Unread == "" {
		r.line.Unread = fmt.Sprintf(format, args...)
	}
}

// add keeps a part.
func (r *reader) add(p *Part) {
	if len(r.line.Parts) >= maxParts {
		r.stop("has more than %d commands", maxParts)
		return
	}
	r.line.Parts = append(r.line.Parts, p)
}

func (r *reader) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || int(to) > len(r.code) {
		return ""
	}
	return r.code[from:to]
}

func unreadable(text string) string {
	if why := tooLarge(text); why != "" {
		return why
	}
	return Hidden(text)
}

// tooLarge says why a text is too large to parse; empty: it is not.
func tooLarge(text string) string {
	if len(text) > maxLine {
		return fmt.Sprintf("is longer than %d bytes", maxLine)
	}
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '`', '[', '!', '|', '&':
			open++
		}
	}
	if open > maxOpen {
		return fmt.Sprintf("has more than %d brackets and pipes", maxOpen)
	}
	return ""
}

// Hidden says what in a text can't be seen, or shows as something else; empty: nothing.
func Hidden(text string) string {
	if !utf8.ValidString(text) {
		return "is not valid UTF-8"
	}
	for _, c := range text {
		switch {
		case c == '\n' || c == '\t':
		case unicode.IsControl(c):
			return fmt.Sprintf("has the control character %U", c)
		case c <= unicode.MaxASCII:
		case unicode.In(c, unicode.Cf, unicode.Co, unicode.Zs, unicode.Zl, unicode.Zp), unicode.IsSpace(c), blank(c):
			return fmt.Sprintf("has the invisible character %U", c)
		}
	}
	return ""
}

// blank reports whether a letter or symbol shows as nothing.
func blank(c rune) bool {
	switch c {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return false
}
