package policy

import (
	"errors"
	"fmt"
	"strings"
)

// checkPattern refuses a command pattern that is sound and yet not what its
// author has in mind: it would never match.
func checkPattern(text string) error {
	for i, w := range patternWords(text) {
		switch {
		case w.home:
			return errors.New("a shell puts a home directory in the place of ~, which a pattern can't know: write the whole path of a program, " +
				"name folders under paths: instead, which understands ~/, or quote it as '~' for the character itself")
		case i == 0 && spaced(w.text):
			return fmt.Errorf("the program would be called %q, with the spaces: leave the quotes out, so that these are several words", w.text)
		}
	}
	return nil
}

// spaced reports whether a program's name looks like a command with arguments.
// There are folders with a space in their name.
func spaced(program string) bool {
	first, rest, ok := strings.Cut(program, " ")
	return ok && (!strings.Contains(first, "/") || strings.HasPrefix(rest, "-") || strings.Contains(rest, " -") || strings.HasSuffix(rest, "*"))
}

// patternWord is a word of a pattern without its quotes.
type patternWord struct {
	text string
	home bool // a shell would expand its ~
}

// patternWords are the program and the arguments of a pattern; assignments
// before it count only where they have a home.
func patternWords(pattern string) []patternWord {
	var words []patternWord
	var w patternWord
	began, quote := false, byte(0)
	end := func() {
		if began && (w.home || len(words) > 0 || !strings.Contains(w.text, "=")) {
			words = append(words, w)
		}
		w, began = patternWord{}, false
	}
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '\'' || b == '"'):
			quote, began = b, true
		case quote == 0 && (b == ' ' || b == '\t'):
			end()
		case quote != '\'' && b == '\\' && i+1 < len(pattern):
			i++
			w.text, began = w.text+pattern[i:i+1], true
		default:
			starts := !began || len(words) == 0 && strings.HasSuffix(w.text, "=") && strings.Count(w.text, "=") == 1
			w.home = w.home || quote == 0 && b == '~' && starts
			w.text, began = w.text+pattern[i:i+1], true
		}
	}
	end()
	return words
}
