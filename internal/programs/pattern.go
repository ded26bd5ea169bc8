package programs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/plain"
)

// Pattern is the form of a command: words, of which a * within stands for letters, a last *
// for any further arguments, and --* for any options.
type Pattern struct {
	text    string
	words   []glob
	rest    bool
	options bool
}

// glob is a word of a pattern: texts, with a star between each two.
type glob []string

// Compile reads a pattern. Quotes and backslashes take the meaning off a star, as in a shell.
func Compile(text string) (Pattern, error) {
	if why := plain.Hidden(text); why != "" {
		return Pattern{}, errors.New(why)
	}
	p := Pattern{text: text}
	words, err := split(text)
	if err != nil {
		return p, err
	}
	if name := words[0].String(); spaced(name) {
		return p, fmt.Errorf("the program would be called %q, with the spaces: leave the quotes out, so that these are several words", name)
	}
	if name, _, found := strings.Cut(words[0][0], "="); found && name != "" && !strings.ContainsAny(name, "/.-") {
		return p, fmt.Errorf("it sets %s: leave that out. A line may set variables that change nothing, and one that sets others is always asked about", name)
	}
	anyOptions := func(w glob) bool { return slices.Equal(w, glob{"--", ""}) }
	p.options = slices.ContainsFunc(words, anyOptions)
	p.words = slices.DeleteFunc(words, anyOptions)
	if last := len(p.words) - 1; last >= 0 && slices.Equal(p.words[last], glob{"", ""}) {
		p.words, p.rest = p.words[:last], true
	}
	if p.options && len(p.words) == 0 && !p.rest {
		return p, errors.New("it names no program")
	}
	return p, nil
}

// spaced reports whether a program's name looks like a command with arguments, and not like a path
// with a space.
func spaced(program string) bool {
	first, rest, ok := strings.Cut(program, " ")
	return ok && (!strings.Contains(first, "/") || strings.HasPrefix(rest, "-") || strings.Contains(rest, " -") || strings.HasSuffix(rest, "*"))
}

// split takes a pattern apart as a shell takes a line apart.
func split(text string) ([]glob, error) {
	var all []glob
	var word glob
	var piece []byte // the word up to the next star
	var quote byte
	begun := false
	letter := func(c ...byte) {
		piece, begun = append(piece, c...), true
	}
	star := func() {
		word, piece, begun = append(word, string(piece)), nil, true
	}
	end := func() {
		if begun {
			star()
			all = append(all, word)
		}
		word, begun = nil, false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'' || quote == '"' && c != '\\':
			letter(c)
		case c == '\\' && i+1 < len(text):
			i++
			letter(text[i])
		case c == '\'' || c == '"':
			quote = c
			letter()
		case c == ' ' || c == '\t':
			end()
		case c == '*':
			star()
		case strings.IndexByte("|&;<>()$`\n\\", c) >= 0:
			return nil, fmt.Errorf("%q is no part of one command: write a pattern for each, or put it in quotes", string(c))
		case c == '~' && !begun:
			return nil, errors.New("a shell puts a home directory in the place of ~, which a pattern can't know: write the whole path of a program, " +
				"name folders under paths: instead, which understands ~/, or quote it as '~' for the character itself")
		default:
			letter(c)
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	end()
	if len(all) == 0 {
		return nil, errors.New("it is empty")
	}
	return all, nil
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Open is the pattern without a last *, and whether there is one: any further arguments.
func (p Pattern) Open() (before string, open bool) {
	text := strings.TrimSpace(p.text)
	before, ends := strings.CutSuffix(text, "*")
	if !p.rest || p.options || !ends {
		return text, false
	}
	return strings.TrimRight(before, " \t"), true
}

// Covered is what a pattern makes of a part: whether it stands for it and nothing more, and if
// not, for which word it does not.
type Covered struct {
	OK    bool
	Near  int    // how many words of the pattern fit
	At    int    // which word of the part does not; -1: none does the harm, the part lacks one
	Why   string // what does not, for people
	Need  string // a pattern that would stand for it; empty: there is none
	Roles []Role // what the arguments are that the pattern does not name word by word
}

// Covers asks a pattern that allows.
func (p Pattern) Covers(part *plain.Part) Covered {
	out := Covered{At: -1}
	if len(part.Words) == 0 {
		out.Why = "it runs no program"
		return out
	}
	for i, g := range p.words {
		if i >= len(part.Words) {
			out.Why = fmt.Sprintf("it has no %q", g.String())
			return out
		}
		if !g.holds(part.Words[i], i > 0) {
			out.At = i
			out.Why = fmt.Sprintf("%q is not %q", shown(part.Words[i]), g.String())
			return out
		}
		out.Near++
	}
	if len(part.Words) > len(p.words) && !p.rest && !p.options {
		out.At = len(p.words)
		out.Why = fmt.Sprintf("the rule ends before %q", shown(part.Words[out.At]))
		return out
	}
	return p.further(part, out)
}

// further looks at the arguments that stand where the pattern has a star.
func (p Pattern) further(part *plain.Part, out Covered) Covered {
	use := Of(part)
	if use.interpreter && (part.Input || p.rest && len(part.Words) <= use.Words) {
		out.Why = "it runs what comes on its input"
		return out
	}
	if part.More && !part.Below {
		out.Why = "arguments are added that are not known, and may be options, or links: find -type f with -exec, or with -print0 | xargs -0, would tell"
		return out
	}
	if part.More { // the added arguments have roles too
		longer := *part
		longer.Words = append(slices.Clip(part.Words), plain.Word{Found: true})
		use = Of(&longer)
		part = &longer
	}
	for _, r := range use.Roles {
		named := r.At >= 0 && r.At < len(p.words) && p.words[r.At].literal()
		switch {
		case named:
		case r.Kind == Code:
			out.At = r.At
			out.Why = fmt.Sprintf("%q is code, or a program that is run; a star does not stand for that", shown(r.Word))
			return out
		case r.Kind == Unknown && (r.At < 0 || !p.options || !strings.HasPrefix(part.Words[r.At].Text, "-")):
			out.At = r.At
			word := shown(part.Words[max(0, r.At)])
			out.Why = fmt.Sprintf("%q may do more; a star does not stand for it", word)
			out.Need = p.with(word)
			return out
		case !p.rest && !p.options && r.At >= len(p.words):
			out.At = r.At
			out.Why = fmt.Sprintf("the rule ends before %q", shown(r.Word))
			return out
		case r.Kind != Option && r.Kind != Unknown:
			out.Roles = append(out.Roles, r)
		}
	}
	out.OK = true
	return out
}

// with is the pattern with one more word before its star.
func (p Pattern) with(word string) string {
	before := strings.TrimSuffix(strings.TrimSuffix(p.text, "*"), " ")
	if !p.rest {
		return p.text + " " + word
	}
	return before + " " + word + " *"
}

func shown(w plain.Word) string {
	if !w.Known {
		return w.Text + "…"
	}
	return w.Text
}

// literal reports whether the word has no star.
func (g glob) literal() bool { return len(g) == 1 }

func (g glob) String() string { return strings.Join(g, "*") }

// holds reports whether the word stands for all that a word may be. A star within stands for
// no option, and for no way out of a folder.
func (g glob) holds(w plain.Word, argument bool) bool {
	return w.Each(func(text string) bool {
		if g.literal() {
			return g[0] == text
		}
		if argument && strings.HasPrefix(text, "-") && !strings.HasPrefix(g[0], "-") {
			return false
		}
		return g.matches(text) && !slices.Contains(strings.Split(text, "/"), "..")
	})
}

func (g glob) matches(text string) bool {
	if g.literal() {
		return g[0] == text
	}
	text, ok := strings.CutPrefix(text, g[0])
	if !ok {
		return false
	}
	for i, piece := range g[1:] {
		if i == len(g)-2 {
			return strings.HasSuffix(text, piece)
		}
		at := strings.Index(text, piece)
		if at < 0 {
			return false
		}
		text = text[at+len(piece):]
	}
	return true
}

// Writes reports whether the pattern's commands write, create or delete their operands.
func Writes(p Pattern) bool {
	var words []plain.Word
	for _, g := range p.words {
		if !g.literal() {
			break
		}
		words = append(words, plain.Literal(g[0]))
	}
	if len(words) == 0 {
		return false
	}
	row, _ := rowOf(words)
	return slices.ContainsFunc(row.operands, func(o operand) bool { return o.kind == Write || o.kind == Make || o.kind == Drop })
}
