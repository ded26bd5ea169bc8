package cmdline

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrPattern is what is wrong with a pattern that CompilePattern refuses.
var ErrPattern = errors.New("cmdline: not a pattern")

// Pattern stands for commands. It is words as a shell would quote them: words
// NAME=value that permit such an assignment, a program, its arguments. A * in a
// word stands for any characters, and as the last word for any further
// arguments. Options are the same however they are spelled and wherever they
// stand.
type Pattern struct {
	text    string
	assigns []assignPattern
	words   []glob // the program and its arguments, without a last *
	rest    bool   // the last word is *
	any     bool   // the pattern is *
}

type assignPattern struct {
	name  string
	value glob
}

// CompilePattern reads a pattern.
func CompilePattern(text string) (Pattern, error) {
	words, err := patternWords(text)
	if err != nil {
		return Pattern{}, fmt.Errorf("%w: %q: %w", ErrPattern, text, err)
	}
	p := Pattern{text: text}
	for len(words) > 0 {
		name, value, ok := words[0].assignment()
		if !ok {
			break
		}
		p.assigns = append(p.assigns, assignPattern{name: name, value: value})
		words = words[1:]
	}
	if len(words) == 0 {
		return Pattern{}, fmt.Errorf("%w: %q: it names no program", ErrPattern, text)
	}
	if words[0].open() {
		if len(words) > 1 || len(p.assigns) > 0 {
			return Pattern{}, fmt.Errorf("%w: %q: its program is only *; name one, or write * alone for every command", ErrPattern, text)
		}
		p.any, p.rest = true, true
		return p, nil
	}
	if len(words) > 1 && words[len(words)-1].open() {
		p.rest = true
		words = words[:len(words)-1]
	}
	p.words = words
	return p, nil
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// patternWords splits a pattern into words.
func patternWords(text string) ([]glob, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("it is not valid UTF-8")
	}
	s := patternScanner{text: text}
	for s.at < len(text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	if len(s.words) == 0 {
		return nil, errors.New("it is empty")
	}
	return s.words, nil
}

// patternScanner reads a pattern from left to right.
type patternScanner struct {
	text  string
	at    int
	words []glob
	word  glob
	began bool
}

func (s *patternScanner) step() error {
	c := s.text[s.at]
	s.at++
	switch {
	case c == ' ' || c == '\t':
		s.end()
	case c == '\'' || c == '"':
		return s.quoted(c)
	case c == '\\':
		if s.at >= len(s.text) {
			return errors.New(`it ends in \`)
		}
		s.literal(s.text[s.at])
		s.at++
	case c == '*':
		s.began = true
		s.word = append(s.word, piece{star: true})
	case strings.IndexByte(";|&<>$()`\n", c) >= 0:
		return fmt.Errorf("%q is for several commands, and a pattern is for one: quote it if it is meant as text", c)
	case c < 0x20 || c == 0x7f:
		return fmt.Errorf("it has the control character %U", c)
	default:
		r, n := utf8.DecodeRuneInString(s.text[s.at-1:])
		if r > unicode.MaxASCII && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return fmt.Errorf("it has the invisible character %U", r)
		}
		for i := range n {
			s.literal(s.text[s.at-1+i])
		}
		s.at += n - 1
	}
	return nil
}

// quoted reads up to the closing quote. A * within quotes is that character.
func (s *patternScanner) quoted(quote byte) error {
	s.began = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		if c == quote {
			return nil
		}
		if c == '\\' && quote == '"' && s.at < len(s.text) && strings.IndexByte("$`\"\\", s.text[s.at]) >= 0 {
			c = s.text[s.at]
			s.at++
		}
		s.literal(c)
	}
	return fmt.Errorf("the quote %c is not closed", quote)
}

func (s *patternScanner) literal(c byte) {
	s.began = true
	if n := len(s.word); n > 0 && !s.word[n-1].star {
		s.word[n-1].text += string([]byte{c})
		return
	}
	s.word = append(s.word, piece{text: string([]byte{c})})
}

func (s *patternScanner) end() {
	if s.began {
		s.words = append(s.words, s.word)
	}
	s.word, s.began = nil, false
}
