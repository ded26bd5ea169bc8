package cmdline_test

import (
	"math/rand/v2"
	"strings"
)

// quoting is a grammar of lines with quotes, expansions, substitutions and
// here-documents within one another. Each line has a command that no rule allows
// somewhere, as code or as text. within is how deep it is.
type quoting struct {
	*rand.Rand
	within int
}

func (q quoting) one(of ...string) string { return of[q.IntN(len(of))] }

// deeper is what one of the makers makes a level deeper, or only text once that
// is deep enough.
func (q quoting) deeper(of ...func(quoting) string) string {
	if q.within++; q.within > 4 {
		return q.one("a", "$(evil)", "$y")
	}
	return of[q.IntN(len(of))](q)
}

func (quoting) line(random *rand.Rand) string {
	q := quoting{Rand: random}
	switch q.IntN(4) {
	case 0:
		return "x=" + q.word() + "; pwd"
	case 1:
		return q.hereDocument()
	}
	return q.one("ls", "echo") + " " + q.word() + q.one("", "; pwd", " | cat", " '$(evil)'", " \"it's\"", " # evil")
}

// word is a few pieces that make one word.
func (q quoting) word() string {
	var b strings.Builder
	for range 1 + q.IntN(2) {
		b.WriteString(q.deeper(quoting.plain, quoting.single, quoting.double, quoting.double, quoting.expansion, quoting.substitution, quoting.backquotes))
	}
	return b.String()
}

func (q quoting) plain() string { return q.one("a", "$y", "\\'", "\\\"", "\\$", "#", "\\\\", "\\\n") }

func (q quoting) single() string {
	return q.one("'", "'", "$'") + q.one("", "a", "\\", "$(evil)", "`evil`", "\"", "${y:-$(evil)}") + "'"
}

func (q quoting) double() string { return "\"" + q.inDouble() + "\"" }

// inDouble is what stands in double quotes, or in a here-document.
func (q quoting) inDouble() string {
	var b strings.Builder
	for range 1 + q.IntN(2) {
		b.WriteString(q.deeper(quoting.letters, quoting.expansion, quoting.expansion, quoting.substitution, quoting.backquotes))
	}
	return b.String()
}

func (q quoting) letters() string {
	return q.one("a", "'", "$'", "\\\"", "\\$", "\\`", "$", "# ", "}", ")")
}

// expansion is of a variable that is not set, or of one that is.
func (q quoting) expansion() string {
	return "${" + q.one("y", "y", "y", "x") + q.one(":-", "-", ":=", ":+", "+", "%", "#") + q.value() + "}"
}

func (q quoting) value() string {
	quoted := func(q quoting) string { return "'" + q.inDouble() + "'" }
	escaped := func(q quoting) string {
		return "\"" + q.one("$\\(evil)", "\\$(evil)", "$\\{y:-$(evil)}", "`evil`") + "\""
	}
	return q.one("", "a") + q.deeper(quoting.word, quoting.inDouble, quoted, quoted, escaped)
}

func (q quoting) substitution() string { return "$(" + q.command() + ")" }

func (q quoting) backquotes() string { return "`" + q.command() + "`" }

// command runs evil, or has it where a shell may take it for text.
func (q quoting) command() string {
	return q.one("evil", "evil", "ls "+q.word(), "ls "+q.one("\"\"", "''", "$y", "${y}", "a")+"#;evil", "ls '; evil; '", "ls # evil", "ls \\'; evil; ls \\'")
}

func (q quoting) hereDocument() string {
	end, body := q.one("E", "E", "E", "'E'"), q.inDouble()
	return "cat <<" + end + "\n" + body + "\nE" + q.one("", "\npwd", "\nls "+q.word())
}
