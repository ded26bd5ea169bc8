package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// glob is one word of a pattern: pieces of text, and stars between them.
type glob []piece

type piece struct {
	text string
	star bool
}

// open says whether the word is only a star.
func (g glob) open() bool {
	for _, p := range g {
		if !p.star {
			return false
		}
	}
	return len(g) > 0
}

// text is the word where it has no star.
func (g glob) text() (string, bool) {
	switch {
	case len(g) == 0:
		return "", true
	case len(g) == 1 && !g[0].star:
		return g[0].text, true
	}
	return "", false
}

// prefix is the text before the first star.
func (g glob) prefix() string {
	if len(g) == 0 || g[0].star {
		return ""
	}
	return g[0].text
}

// match says whether the word stands for the text.
func (g glob) match(text string) bool {
	if len(g) == 0 {
		return text == ""
	}
	if !g[0].star {
		rest, ok := strings.CutPrefix(text, g[0].text)
		return ok && (len(g) > 1 || rest == "") && (len(g) == 1 || g[1:].match(rest))
	}
	rest := g[1:]
	for len(rest) > 0 && rest[0].star {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return true
	}
	if len(rest) == 1 {
		return strings.HasSuffix(text, rest[0].text)
	}
	// The first place where the next text is found leaves most for what follows.
	i := strings.Index(text, rest[0].text)
	return i >= 0 && rest[1:].match(text[i+len(rest[0].text):])
}

// mayMatch says whether the word may stand for a text of which only the
// beginning is known.
func (g glob) mayMatch(beginning string) bool {
	for len(g) > 0 {
		if g[0].star {
			return true
		}
		n := min(len(beginning), len(g[0].text))
		if beginning[:n] != g[0].text[:n] {
			return false
		}
		if n == len(beginning) {
			return true
		}
		beginning = beginning[n:]
		g = g[1:]
	}
	return beginning == ""
}

// accepts is how surely the word stands for a word of a command.
func (g glob) accepts(w Word) Answer {
	switch {
	case w.Known && g.match(w.Text):
		return Yes
	case w.Known || !g.mayMatch(w.Text):
		return No
	case g.covers(w):
		return Yes
	}
	return Maybe
}

// covers says whether the word stands for a word however it ends.
func (g glob) covers(w Word) bool {
	if w.Known {
		return g.match(w.Text)
	}
	return len(g) > 0 && g[len(g)-1].star && g[:len(g)-1].closed(w.Text)
}

// closed says whether the pieces, with a star after them, stand for a text.
func (g glob) closed(text string) bool {
	return append(append(glob(nil), g...), piece{star: true}).match(text)
}

// assignment reads the word as NAME=value.
func (g glob) assignment() (name string, value glob, ok bool) {
	if len(g) == 0 || g[0].star {
		return "", nil, false
	}
	name, rest, found := strings.Cut(g[0].text, "=")
	if !found || !syntax.ValidName(name) {
		return "", nil, false
	}
	if rest != "" {
		value = append(value, piece{text: rest})
	}
	return name, append(value, g[1:]...), true
}
