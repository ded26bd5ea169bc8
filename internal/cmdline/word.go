package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// The limits on braces: what is beyond them counts as unknown.
const (
	maxBraces     = 256  // words that one word may become
	maxBraceParts = 16   // pieces of one word
	maxBraceWords = 4096 // words of a whole line
)

// words reads a word of a command, which bash may first make several of.
func (w *walker) words(word *syntax.Word) []Word {
	if !w.bash || !bracesIn(word) {
		return []Word{w.literal(word)}
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(split) || !hasBraceExp(split) {
		if oddBraces(word) {
			return []Word{{Many: true}}
		}
		return []Word{w.literal(word)}
	}
	if oddBraces(word) || len(split.Parts) > maxBraceParts || w.braces > maxBraceWords {
		return []Word{{Many: true}}
	}
	var all []Word
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(all) >= maxBraces {
			return []Word{{Many: true}}
		}
		all = append(all, w.literal(one))
	}
	w.braces += len(all)
	return all
}

func bracesIn(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

func hasBraceExp(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if _, ok := part.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// oddBraces says whether braces are nested or do not pair, in a word that might
// be expanded: shells differ in what they make of those.
func oddBraces(word *syntax.Word) bool {
	depth, odd, expands := 0, false, false
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch lit.Value[i] {
			case '\\':
				i++
			case '{':
				depth++
				odd = odd || depth > 1
			case '}':
				depth--
				odd = odd || depth < 0
			case ',':
				expands = true
			case '.':
				expands = expands || strings.HasPrefix(lit.Value[i:], "..")
			}
		}
	}
	return expands && (odd || depth != 0)
}

// path reads the word of a redirection: bash expands braces there to an error.
func (w *walker) path(word *syntax.Word) Word {
	if bracesIn(word) {
		return Word{Many: true}
	}
	return w.literal(word)
}

// literal reads a word after braces.
func (w *walker) literal(word *syntax.Word) Word {
	b := &builder{bash: w.bash, known: true}
	for i, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.unquoted(lit.Value, i == 0, len(word.Parts) == 1)
			continue
		}
		b.part(part, false)
	}
	return b.word()
}

// builder puts a word together, up to the first thing that is not known.
type builder struct {
	text  strings.Builder
	bash  bool
	known bool
	many  bool
	glob  bool // it has wildcards
	split bool // it has an expansion that may be split
	home  bool
	path  bool // what is not known begins with a slash or a known directory

	below bool            // a path started with ~ or $HOME, and the rest is known so far
	tail  strings.Builder // the rest
}

func (b *builder) word() Word {
	if b.known {
		return Word{Text: b.text.String(), Known: true}
	}
	w := Word{Text: b.text.String(), Many: b.many, Glob: b.glob && !b.split, Home: b.home}
	if tail := b.tail.String(); strings.HasPrefix(tail, "/") {
		w.Below, w.Whole = tail, b.below
	}
	return w
}

func (b *builder) add(text string) {
	switch {
	case b.known:
		b.text.WriteString(text)
	case b.below:
		b.tail.WriteString(text)
	}
}

func (b *builder) stop(many bool) {
	b.known, b.below = false, false
	b.many = b.many || many
}

// stopAtHome stops at ~ or $HOME.
func (b *builder) stopAtHome(many bool) {
	text := b.text.String()
	begins := b.known && (text == "" || strings.ContainsRune("=:@", rune(text[len(text)-1])))
	b.stop(many)
	b.below = begins
}

// unquoted reads literal text outside of quotes.
func (b *builder) unquoted(text string, first, only bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				b.add(text[i : i+1])
			}
		case c == '~' && (i == 0 && first || i > 0 && (text[i-1] == '=' || text[i-1] == ':')):
			b.home = b.home || i == 0
			b.stopAtHome(false)
		case c == '*' || c == '?' || c == '[' && (!only || len(text) > 1 && text != "[["):
			b.glob = true
			b.stop(true)
		default:
			b.add(text[i : i+1])
		}
	}
}

// part reads any other piece of a word.
func (b *builder) part(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.inQuotes(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar && strings.Contains(p.Value, "\\") {
			b.stop(false)
		}
		b.add(p.Value)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			b.part(inner, true)
		}
	case *syntax.ParamExp:
		list := isList(p)
		b.split = b.split || list || !quoted && !isNumber(p)
		many := list || !quoted && !isNumber(p)
		if isHome(p) {
			b.stopAtHome(many)
			return
		}
		b.stop(many)
	case *syntax.ProcSubst:
		b.add("/dev/fd/")
		b.stop(false)
	case *syntax.ArithmExp:
		b.stop(false)
	default:
		b.split = b.split || !quoted
		b.stop(!quoted)
	}
}

// inQuotes reads literal text in double quotes.
func (b *builder) inQuotes(text string) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.add(text[i : i+1])
	}
}

// isHome reports whether an expansion is a plain $HOME.
func isHome(p *syntax.ParamExp) bool {
	plain := p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && !p.Length && !p.Excl && !p.Width
	return plain && p.Param != nil && p.Param.Value == "HOME"
}

// isList reports whether an expansion is several words even in quotes.
func isList(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Param.Value == "@"
}

// isNumber says whether an expansion is always a number.
func isNumber(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Length {
		return p.Length
	}
	switch p.Param.Value {
	case "#", "?", "$":
		return true
	}
	return false
}
