package programs

import (
	"path"
	"strings"

	"github.com/lineclear/lineclear/internal/plain"
)

// Form is a pattern for commands like a part: its program and subcommand, and any further
// arguments. It is empty where that would say more than the part shows.
func Form(part *plain.Part) string {
	if len(part.Words) == 0 || part.Builtin {
		return ""
	}
	use := Of(part)
	words := max(1, use.Words)
	if use.interpreter {
		return ""
	}
	if names(part.Words, words, use) {
		words++
	}
	var b strings.Builder
	for _, w := range part.Words[:words] {
		if !w.Known {
			return ""
		}
		b.WriteString(quoted(w.Text) + " ")
	}
	form := b.String() + "*"
	if p, err := Compile(form); err != nil || !p.Covers(part).OK {
		return ""
	}
	return form
}

// Named is a pattern for a part's program and subcommand or script.
func Named(part *plain.Part) string {
	use := Of(part)
	words := max(1, use.Words)
	if names(part.Words, words, use) || use.language && words < len(part.Words) {
		words++
	}
	var all []string
	for i, w := range part.Words[:words] {
		text := w.Text
		if i == 0 {
			text = path.Base(text)
		}
		all = append(all, quoted(text))
	}
	return strings.Join(all, " ")
}

// names reports whether the word after a program's own says what it does, so that the form
// has to name it: a target, a script, a subcommand that the table does not know.
func names(words []plain.Word, at int, use Use) bool {
	if at >= len(words) || !words[at].Known || strings.HasPrefix(words[at].Text, "-") {
		return false
	}
	if !use.Known {
		return !strings.ContainsAny(words[at].Text, "./")
	}
	switch path.Base(words[0].Text) + " " + words[at-1].Text {
	case "make make", "gmake gmake", "npm run", "npm run-script", "pnpm run", "yarn run", "bun run":
		return true
	}
	return false
}

// quoted writes a word so that a pattern takes it for itself.
func quoted(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%@=") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Exactly is a pattern for exactly the words of a part.
func Exactly(part *plain.Part) string {
	all := make([]string, len(part.Words))
	for i, w := range part.Words {
		all[i] = quoted(w.Text)
	}
	return strings.Join(all, " ")
}
