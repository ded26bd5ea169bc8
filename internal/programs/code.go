package programs

import (
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/plain"
)

// Doubt reports whether a part of this use receives code in an argument or on its input. Scripts and builds do
// not count: running them is what the program is for.
func (use Use) Doubt(part *plain.Part) bool {
	if part.Builtin || len(part.Words) == 0 || part.Inner != nil { // the command it runs is a part of its own
		return false
	}
	if use.RunsInput(part) {
		return true
	}
	if !use.Known {
		return slices.ContainsFunc(part.Words[1:], looksLikeCode)
	}
	unknown := slices.ContainsFunc(use.Roles, func(r Role) bool { return r.Kind == Unknown })
	return slices.ContainsFunc(use.Roles, func(r Role) bool {
		switch {
		case r.Kind == Unknown && use.language && r.At >= 0 && strings.HasPrefix(part.Words[r.At].Text, "-"):
			return true
		case r.Kind == Unknown || r.Kind == Code || r.Kind == Text && unknown: // it may be the value of the unknown option
			return looksLikeCode(r.Word)
		}
		return false
	})
}

// looksLikeCode reports whether a word has characters that plain names and values don't have.
func looksLikeCode(w plain.Word) bool {
	odd := false
	w.Each(func(text string) bool {
		odd = strings.ContainsAny(text, "`$;|&<>(){}'\"\\*?[~\n") || strings.HasPrefix(text, "-") && strings.ContainsAny(text, " \t")
		return !odd
	})
	return odd
}

// Scripts returns the words that may name code files which a part runs: a program given by its path,
// and the script of an interpreter, also if another program starts that.
func Scripts(part *plain.Part) []plain.Word {
	var found []plain.Word
	for i, w := range part.Words {
		if i == 0 && strings.Contains(w.Text, "/") {
			found = append(found, w)
		}
		if w.Text == "." || w.Text == "source" {
			return append(found, part.Words[i+1:]...)
		}
		inner := plain.Part{Words: part.Words[i:]}
		if use := Of(&inner); use.language {
			for _, r := range use.Roles {
				if r.Kind == Code {
					found = append(found, r.Word)
				}
			}
			return found
		}
	}
	return found
}

// RunsInput reports whether a part of this use runs code from its input.
func (use Use) RunsInput(part *plain.Part) bool {
	return use.interpreter && part.Input && (!use.language || len(Scripts(part)) == 0)
}
