package programs

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/internal/plain"
)

// Answer says whether a pattern matches a part, to forbid it.
type Answer int

// The answers, in the order of their weight.
const (
	No Answer = iota
	Maybe
	Yes
)

// Forbids reports whether the pattern of a deny or ask rule matches a part. The program matches in
// any folder, options in any order and spelling, and extra arguments make no difference.
// It is Maybe if the part may pass the command to another program, or has unknown arguments. use is
// the result of Of for the part.
func (p Pattern) Forbids(part *plain.Part, use Use) Answer {
	if len(part.Words) == 0 {
		return No
	}
	answer := p.forbids(part.Words, part.More)
	if answer == No && part.More && !part.Below && use.handsOn() {
		return Maybe // the command may come from its input
	}
	if answer == No && !part.Builtin && part.Inner == nil && use.handsOn() && p.among(part.Words) {
		return Maybe
	}
	return answer
}

// Runs reports whether the pattern matches a part for certain, in any spelling.
func (p Pattern) Runs(part *plain.Part) bool {
	return len(part.Words) > 0 && p.forbids(part.Words, false) == Yes
}

// handsOn reports whether the program may run its own arguments as a command.
func (u Use) handsOn() bool {
	return !u.Known || slices.ContainsFunc(u.Roles, func(r Role) bool { return r.Kind == Code || r.Kind == Unknown })
}

// maxAmong limits how many words are searched; a longer list may contain anything.
const maxAmong = 200

// among searches the arguments for the command, also inside quoted texts.
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

// Tokens splits a text that may be code in any language into words.
func Tokens(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n=;|&()[]<>{}$`\"',", r) })
}

// AllIn reports whether a set of words has every word of the pattern, the program by its base name.
// Any option in the set counts for an option of the pattern.
func (p Pattern) AllIn(words map[string]bool) bool {
	for i, g := range p.words {
		if slices.Equal(g, glob{"", ""}) {
			continue
		}
		found := false
		for word := range words {
			found = found || g.matches(word) || i == 0 && g.matches(path.Base(word)) ||
				strings.HasPrefix(g[0], "-") && strings.HasPrefix(word, "-")
		}
		if !found {
			return false
		}
	}
	return true
}

// forbids matches a command against the pattern. With open set, it gets more arguments at run time.
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

// arguments are a command's arguments, split by the conventions that all programs share.
type arguments struct {
	program  string
	spelled  [][]string // options with several spellings; each list is one option
	options  []string   // without a value after =
	operands []value    // including the values of options
	raw      []string   // options as written
	open     bool       // there are unknown words
}

type value struct {
	text  string
	loose bool // may be the value of the option before it
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

// option looks for an option of a pattern.
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

// truth returns No only if all arguments are known.
func (a arguments) truth(found bool) Answer {
	switch {
	case found:
		return Yes
	case a.open:
		return Maybe
	}
	return No
}

// given reports whether a text is an operand, or is attached to an option.
func (a arguments) given(text string) bool {
	return slices.ContainsFunc(a.operands, func(v value) bool { return v.text == text || v.loose && strings.HasSuffix(v.text, text) })
}

// has looks for one option by name. Long options may be abbreviated.
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

// inOrder looks for words in this order among the operands. If the program has subcommands, the first
// word has to be the subcommand.
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

// spellings lists options with several names: programs, then the names of one option after each |.
// A + stands for operands that begin with +.
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

// spellingsOf finds the entry of a program, or of its subcommand.
func spellingsOf(words []plain.Word) [][]string {
	program := path.Base(words[0].Text)
	for _, w := range words[1:] {
		if found, ok := spelled()[program+" "+w.Text]; ok {
			return found
		}
	}
	return spelled()[program]
}
