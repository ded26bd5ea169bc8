package programs

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/internal/plain"
)

// Answer is what a pattern that forbids says of a part.
type Answer int

// The answers, in the order of their weight.
const (
	No Answer = iota
	Maybe
	Yes
)

// Forbids says whether a rule that forbids, or asks, is about a part. It leans to Yes: the
// program counts in whatever folder it is, options in whatever order and spelling, and further
// arguments change nothing. Where the part hands the forbidden command to another program, or
// is given arguments that are not known, it is Maybe. use is what Of says of the part.
func (p Pattern) Forbids(part *plain.Part, use Use) Answer {
	if len(part.Words) == 0 {
		return No
	}
	answer := p.forbids(part.Words, part.More)
	if answer == No && part.More && !part.Below && use.handsOn() {
		return Maybe // the command may be among what is added
	}
	if answer == No && !part.Builtin && part.Inner == nil && use.handsOn() && p.among(part.Words) {
		return Maybe
	}
	return answer
}

// Runs reports whether a part is one of the pattern's commands, however that is spelled.
func (p Pattern) Runs(part *plain.Part) bool {
	return len(part.Words) > 0 && p.forbids(part.Words, false) == Yes
}

// handsOn reports whether the program may run some of its own arguments.
func (u Use) handsOn() bool {
	return !u.Known || slices.ContainsFunc(u.Roles, func(r Role) bool { return r.Kind == Code || r.Kind == Unknown })
}

// maxAmong is how many words are looked at; further ones may be anything.
const maxAmong = 200

// among looks for the command among words, and among the words of texts in them.
func (p Pattern) among(words []plain.Word) bool {
	var inside []plain.Word
	for _, w := range words {
		for _, token := range Tokens(w.Text) {
			if len(inside) >= maxAmong {
				return true
			}
			inside = append(inside, plain.Literal(token))
		}
	}
	for _, list := range [][]plain.Word{words[1:], inside} {
		for i := range list {
			if p.forbids(list[i:], false) == Yes {
				return true
			}
		}
	}
	return false
}

// Tokens are the words of a text that may be code, whatever its language.
func Tokens(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n=;|&()[]<>{}$`\"',", r) })
}

// AllIn reports whether all words of the pattern are among some, the program by its base name. An
// option counts in any of its spellings' letters.
func (p Pattern) AllIn(words map[string]bool) bool {
	for i, g := range p.words {
		if slices.Equal(g, glob{"", ""}) {
			continue
		}
		found := false
		for word := range words {
			found = found || g.matches(word) || i == 0 && g.matches(path.Base(word)) ||
				strings.HasPrefix(g[0], "-") && strings.HasPrefix(word, "-") // spelled some way
		}
		if !found {
			return false
		}
	}
	return true
}

// forbids compares a command with the pattern. open says that arguments are added to it.
func (p Pattern) forbids(words []plain.Word, open bool) Answer {
	if len(p.words) == 0 {
		return Yes
	}
	if !words[0].Known {
		return Maybe
	}
	if sub, found := strings.CutPrefix(path.Base(words[0].Text), "git-"); found {
		words = append([]plain.Word{plain.Literal("git"), plain.Literal(sub)}, words[1:]...)
	}
	named := p.words[0]
	if !named.matches(words[0].Text) && !named.matches(path.Base(words[0].Text)) &&
		(!named.literal() || path.Base(named[0]) != path.Base(words[0].Text)) {
		return No
	}
	have := readArguments(words)
	have.open = have.open || open
	var operands []glob
	answer := Yes
	dashes := false
	for _, w := range p.words[1:] {
		switch {
		case slices.Equal(w, glob{"--"}):
			dashes = true
		case dashes || !strings.HasPrefix(w[0], "-") || w[0] == "-":
			if !slices.Equal(w, glob{"", ""}) {
				operands = append(operands, w)
			}
		default:
			answer = min(answer, have.option(w))
		}
	}
	if answer == No {
		return No
	}
	return min(answer, have.inOrder(operands))
}

// arguments are those of a command, taken apart as far as that is the same for all programs.
type arguments struct {
	program  string
	spelled  [][]string // the spellings of the program's options, each list one option
	options  []string   // words that begin with a dash, without a value behind =
	operands []value    // and the values of options
	raw      []string   // the options as they stand
	open     bool       // there are words that are not known
}

type value struct {
	text  string
	loose bool // it may belong to the option before it
}

func readArguments(words []plain.Word) arguments {
	a := arguments{program: path.Base(words[0].Text)}
	dashes, after := false, false
	for _, w := range words[1:] {
		texts := w.Any
		if w.Known {
			texts = []string{w.Text}
		}
		a.open = a.open || len(texts) == 0
		option := false
		for _, text := range texts {
			switch {
			case !dashes && text == "--":
				dashes = true
			case dashes || !strings.HasPrefix(text, "-") || text == "-":
				a.operands = append(a.operands, value{text, after})
			default:
				option = true
				a.raw = append(a.raw, text)
				name, attached, found := strings.Cut(text, "=")
				a.options = append(a.options, name)
				if found {
					a.operands = append(a.operands, value{attached, true})
				} else if !strings.HasPrefix(text, "--") && len(text) > 2 {
					a.operands = append(a.operands, value{text[2:], true})
				}
			}
		}
		after = option
	}
	a.spelled = spellingsOf(words)
	return a
}

// option asks for an option of a pattern.
func (a arguments) option(want glob) Answer {
	if !want.literal() {
		name, rest, found := strings.Cut(want[0], "=")
		if found && a.has(name) == Yes {
			of := append(glob{rest}, want[1:]...)
			return a.truth(slices.ContainsFunc(a.operands, func(v value) bool { return of.matches(v.text) }))
		}
		return a.truth(slices.ContainsFunc(a.raw, want.matches))
	}
	text := want[0]
	if slices.Contains(a.raw, text) {
		return Yes
	}
	if strings.HasPrefix(text, "--") {
		name, of, found := strings.Cut(text, "=")
		if found {
			return min(a.has(name), a.truth(a.given(of)))
		}
		return a.has(name)
	}
	const cluster = 6 // a longer word is a name
	answer := No
	if len(text) <= cluster {
		answer = Yes
		for i := 1; i < len(text); i++ {
			answer = min(answer, a.has("-"+text[i:i+1]))
		}
	}
	if len(text) > 2 {
		answer = max(answer, min(a.has(text[:2]), a.truth(a.given(text[2:]))))
	}
	return max(answer, a.truth(false))
}

// truth is No only where all arguments are known.
func (a arguments) truth(found bool) Answer {
	switch {
	case found:
		return Yes
	case a.open:
		return Maybe
	}
	return No
}

// given reports whether a text is an argument, or stands behind the letters of an option.
func (a arguments) given(text string) bool {
	return slices.ContainsFunc(a.operands, func(v value) bool { return v.text == text || v.loose && strings.HasSuffix(v.text, text) })
}

// has asks for one option by its name. A long one may be cut short.
func (a arguments) has(name string) Answer {
	names, listed := []string{name}, false
	for _, same := range a.spelled {
		if slices.Contains(same, name) {
			names, listed = same, true
		}
	}
	answer := a.truth(false)
	for _, have := range a.options {
		long := strings.HasPrefix(have, "--")
		for _, n := range names {
			switch {
			case have == n, long && len(have) > 2 && strings.HasPrefix(n, have), !long && len(n) == 2 && strings.Contains(have[1:], n[1:]):
				return Yes
			case !listed && len(a.spelled) == 0 && long && len(n) == 2 && len(have) > 2 && have[2] == n[1],
				!listed && len(a.spelled) == 0 && !long && strings.HasPrefix(n, "--") && len(n) > 2 && strings.Contains(have[1:], n[2:3]):
				answer = Maybe // -f may be short for --force
			}
		}
	}
	if slices.Contains(names, "+") && slices.ContainsFunc(a.operands, func(v value) bool { return strings.HasPrefix(v.text, "+") }) {
		return Yes
	}
	return answer
}

// inOrder asks whether words stand in this order among the arguments. Of a program with
// subcommands the first has to be the subcommand.
func (a arguments) inOrder(want []glob) Answer {
	at := 0
	for i, g := range want {
		found := false
		for !found && at < len(a.operands) {
			v := a.operands[at]
			at++
			found = g.matches(v.text) || v.loose && g.literal() && strings.HasSuffix(v.text, g[0])
			if !found && i == 0 && !v.loose && hasSubcommands(a.program) {
				return a.truth(false)
			}
		}
		if !found {
			return a.truth(false)
		}
	}
	return Yes
}

var withSubcommands = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for name := range rows() {
		if program, _, found := strings.Cut(name, " "); found {
			all[program] = true
		}
	}
	return all
})

func hasSubcommands(program string) bool { return withSubcommands()[program] }

// spellings are options with more than one name: programs, and after each | the names of one
// option. + is a word that begins so.
const spellings = `
rm | -r -R --recursive | -f --force | -d --dir | -i --interactive | -v --verbose
cp | -r -R --recursive -a --archive | -f --force | -t --target-directory | -v --verbose
mv | -f --force | -n --no-clobber | -t --target-directory | -v --verbose
chmod, chown, chgrp | -R --recursive | -f --silent --quiet | -v --verbose
grep, egrep, fgrep | -r --recursive -R --dereference-recursive | -e --regexp | -f --file | -i --ignore-case
ls | -a --all | -A --almost-all | -R --recursive | -r --reverse
mkdir | -p --parents | -m --mode
curl | -X --request | -d --data --data-raw --data-binary | -o --output | -O --remote-name | -T --upload-file | -F --form | -u --user | -K --config | -k --insecure | -L --location | -H --header | -x --proxy | -s --silent | -f --fail
wget | -O --output-document | -r --recursive | -P --directory-prefix | -e --execute | -q --quiet
git push | -f --force + | -d --delete | -n --dry-run | -u --set-upstream | -o --push-option | -q --quiet | -v --verbose
git branch, git tag | -d --delete | -D | -f --force | -m --move | -a --all
git commit | -m --message | -a --all | -n --no-verify | -F --file
git clean | -f --force | -n --dry-run | -x | -X | -d
git checkout, git switch | -f --force | -b | -B | -c --create
git reset, git restore, git add, git rm, git stash, git merge, git rebase | -f --force | -A --all | -q --quiet
docker, podman | -v --volume | -p --publish | -e --env | -f --force | -i --interactive | -t --tty | -d --detach | -a --all
npm | -g --global | -D --save-dev | -f --force | -w --workspace
kubectl | -n --namespace | -f --filename | -o --output | -l --selector | -A --all-namespaces
`

var spelled = sync.OnceValue(func() map[string][][]string {
	all := map[string][][]string{}
	for line := range strings.Lines(spellings) {
		names, rest, _ := strings.Cut(line, "|")
		var options [][]string
		for list := range strings.SplitSeq(rest, "|") {
			options = append(options, strings.Fields(list))
		}
		for name := range strings.SplitSeq(names, ",") {
			all[strings.TrimSpace(name)] = options
		}
	}
	return all
})

// spellingsOf finds those of a program, or of its subcommand wherever that stands.
func spellingsOf(words []plain.Word) [][]string {
	program := path.Base(words[0].Text)
	for _, w := range words[1:] {
		if found, ok := spelled()[program+" "+w.Text]; ok {
			return found
		}
	}
	return spelled()[program]
}
