package cmdline_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// soupTokens are what lines are put together from at random. The one command
// that no rule allows is evil; there are no paths out of the directory.
func soupTokens() []string {
	return []string{
		"echo", "ls", "git status", "cat", "evil", "evil", "evil", "x", "x.txt", " ", " ", " ", " ", " ", ";", "&&", "||", "|", "&", "\n", "\n",
		"'", "'", "\"", "\"", "\\", "`", "$(", ")", "(", "$((", "))", "((", "{", "}", "${x:-", "${", "$x", "$'", "\\'", "\\\"", "\\\n",
		"#", " #", "<<E", "<<'E'", "<<-E", "\nE\n", "\n\tE\n", "<<<", "<(", ">", ">>", "2>&1", "&>", "out", "*", "?", "[", "]", "[[", "]]", "=", "a=", "{a,evil}", "{evil,b}",
		"if true; then ", "; fi", "for i in a; do ", "; done", "while false; do ", "case x in x) ", ";; esac", "f() {", "; }", "! ", "time ", "env ", "xargs ", "nice ",
		"find . -exec ", " {} \\;", "# \\\n", "<&-", ">&-", " +", "bash -c '", "sh -c \"", "eval ", "trap '", "' EXIT", "command ", "exec ", "timeout 5 ", "A=", "-n", "--", "$", "~", "!", "%", "@",
	}
}

// hereTokens are what makes here-documents of which the end is in doubt.
func hereTokens() []string {
	return []string{
		"cat <<E\n", "cat <<'E'\n", "cat <<\"E\"\n", "cat <<-E\n", "cat <<-'E'\n", "ls $(cat <<E\n", "ls \"$(cat <<'E'\n", "(cat <<E\n", "f() { cat <<E\n",
		"cat <<", "<<-", "E", "E", "'E'", "\"E\"", "\\", "'", "\"", "\nE\n", "\nE\n", "\nE\n", "\nE", "E)\n", " E\n", "E \n", "\n\tE\n", "\n", "\n", "evil\n", "evil\n", "evil\n",
		"$(ls ", "$(\n", ")", ")", "\n)\n", "\\\n", "}", "$((", "))", "#", " | cat", " && ls", "; ls", "ls\n", "echo x", " ", "\t", "!", "$x", "\\E\n", "\\$(",
	}
}

// fromTokens puts lines together from tokens.
func fromTokens(tokens []string) func(*rand.Rand) string {
	return func(random *rand.Rand) string {
		var b strings.Builder
		for range 3 + random.IntN(12) {
			b.WriteString(tokens[random.IntN(len(tokens))])
		}
		return b.String()
	}
}

// soup runs what the rules allow of lines made at random, until enough ran, and
// checks that a shell runs nothing that they do not allow.
func soup(t *testing.T, made func(*rand.Rand) string, seed uint64, enough int) {
	r := readRules(t)
	names := map[string]bool{}
	for _, name := range []string{"evil", "ls", "git", "cat", "x", "time", "a", "b", "f", "E", "out"} {
		names[name] = true
	}
	o := newOracle(t, names)
	random := rand.New(rand.NewPCG(seed, 1))
	lines, ran, programs := 0, 0, 0
	for ran < enough {
		lines++
		line := made(random)
		got, _ := r.verdict(cmdline.Parse(line))
		if got != "allow" || !strings.Contains(line, "evil") {
			continue
		}
		ran++
		for _, shell := range []string{"bash", "sh"} {
			for _, argv := range o.run(t, lookPath(t, shell), line) {
				programs++
				if got, why := r.verdict(cmdline.Argv(argv)); got != "allow" {
					t.Errorf("%q was allowed, and %s ran %q: %s (%s)", line, filepath.Base(shell), argv, got, why)
				}
			}
		}
	}
	fmt.Fprintf(t.Output(), "of %d lines, the %d allowed ones ran %d programs in two shells\n", lines, ran, programs)
}

func TestRealShellsRunNothingElseForLinesMadeAtRandom(t *testing.T) {
	soup(t, fromTokens(soupTokens()), 1, 100)
}

func TestRealShellsSeeTheSameEndOfHereDocumentsMadeAtRandom(t *testing.T) {
	soup(t, fromTokens(hereTokens()), 1, 100)
}

func TestRealShellsSeeTheSameQuotesAndExpansionsMadeAtRandom(t *testing.T) {
	soup(t, quoting{}.line, 1, 200)
}
