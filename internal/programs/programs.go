// Package programs says what programs do with their arguments.
//
// # What it promises
//
//   - Of a program in its table every argument has a Role: an option that does no more than
//     the program does anyway, or a text, or a file and what becomes of it. What the table
//     does not know is Unknown.
//   - Of a program that is not in it options are Unknown, and every other argument may be a
//     file that is read.
//
// # How to use it
//
// Of tells the roles of a plain.Part's words.
package programs

import (
	"strings"
	"sync"

	"github.com/lineclear/lineclear/internal/plain"
)

// Kind is what an argument is.
type Kind int

// The kinds. Unknown is an option of which nothing is known, or a value that may be more
// than it seems.
const (
	Unknown Kind = iota
	Option       // a harmless one
	Text         // nothing on the disk
	Read         // a file that is read
	Tree         // a folder that is read with all below it
	Shown        // a folder that is read recursively, without names that begin with a dot
	List         // a file or folder of which only the name and such are read
	Write        // a file that is written
	Make         // made if it is not there
	Drop         // deleted, moved away or changed
	Dir          // a folder in which the program works
	URL
	Code // code, or a program that is run
)

var kinds = map[string]Kind{
	"": Text, "text": Text, "read": Read, "tree": Tree, "shown": Shown, "list": List, "write": Write, "make": Make, "drop": Drop, "dir": Dir, "url": URL, "code": Code,
}

// Role is what one argument is to its program.
type Role struct {
	Kind Kind
	At   int        // the word that it stands in; -1: in none, it is what is meant where nothing is said
	Word plain.Word // the value, where it is part of a word

	Remote bool // the name of a Git remote; a folder of that name would be used instead
}

// Use is what a program does with its arguments.
type Use struct {
	Known bool // the program is in the table
	Words int  // how many words are the program and its subcommand
	Roles []Role

	interpreter bool // it runs code
	language    bool // it is an interpreter and nothing else
}

// row is a line of the table.
type row struct {
	operands []operand
	options  map[string]option
	single   bool // long options have one dash
}

type operand struct {
	kind     Kind
	check    string // plus, remote, target
	many     bool
	optional bool
	missing  string
}

type option struct {
	value   byte // 0 none, ':' in the same word or the next, '=' in the same word or none
	kind    Kind
	check   string // header, data, format
	becomes string // the kind of operands with it
	noFirst bool
}

var rows = sync.OnceValue(func() map[string]row {
	all := map[string]row{}
	for line := range strings.Lines(table) {
		names, rest, found := strings.Cut(line, "|")
		if !found {
			continue
		}
		operands, options, _ := strings.Cut(rest, "|")
		made := row{options: map[string]option{}}
		for _, text := range strings.Fields(operands) {
			made.operands = append(made.operands, readOperand(text))
		}
		for _, text := range strings.Fields(options) {
			if text == "single" {
				made.single = true
				continue
			}
			name, o := readOption(text)
			made.options[name] = o
		}
		for name := range strings.SplitSeq(names, ",") {
			all[strings.TrimSpace(name)] = made
		}
	}
	return all
})

func readOperand(text string) operand {
	o := operand{}
	text, o.missing, _ = strings.Cut(text, "=")
	if text, o.many = strings.CutSuffix(text, "..."); !o.many {
		text, o.optional = strings.CutSuffix(text, "?")
	}
	if text == "plus" || text == "remote" || text == "target" {
		o.check = text
		text = "text"
	}
	if text == "local" {
		o.check, text = text, "read"
	}
	o.kind = kinds[text]
	return o
}

func readOption(text string) (string, option) {
	o := option{}
	text, o.noFirst = strings.CutSuffix(text, "!")
	if name, becomes, found := strings.Cut(text, ">"); found {
		o.becomes = becomes
		return name, o
	}
	if at := strings.IndexAny(text[1:], ":="); at > 0 {
		at++
		o.value = text[at]
		kind := text[at+1:]
		if _, ok := kinds[kind]; !ok {
			o.check, kind = kind, ""
		}
		o.kind = kinds[kind]
		text = text[:at]
	}
	return text, o
}

// Of tells what the words of a part are to its program.
func Of(p *plain.Part) Use {
	if len(p.Words) == 0 {
		return Use{}
	}
	made, n := rowOf(p.Words)
	if n == 0 {
		return unlisted(p)
	}
	r := reader{row: made, words: p.Words, at: n, roles: make([]Role, 0, len(p.Words))}
	r.read()
	code := len(made.operands) > 0 && made.operands[0].kind == Code
	return Use{Known: true, Words: n, Roles: r.roles, interpreter: code, language: code && !made.operands[0].many}
}

// rowOf finds the longest name of the table with which the words begin.
func rowOf(words []plain.Word) (row, int) {
	name, found, length := "", row{}, 0
	for i, w := range words {
		if !w.Known || i > 3 {
			break
		}
		if i == 0 {
			name = w.Text
			for _, dir := range []string{"/bin/", "/usr/bin/"} { // elsewhere it may be another program
				name = strings.TrimPrefix(name, dir)
			}
		} else {
			name += " " + w.Text
		}
		if r, ok := rows()[name]; ok {
			found, length = r, i+1
		}
	}
	return found, length
}

// unlisted is a program that is not in the table.
func unlisted(p *plain.Part) Use {
	u := Use{Words: 1}
	dashes := false
	for i, w := range p.Words[1:] {
		kind := Read
		switch {
		case dashes:
		case w.Text == "--":
			dashes, kind = true, Option
		case mayBeOption(w):
			kind = Unknown
		}
		u.Roles = append(u.Roles, Role{Kind: kind, At: i + 1, Word: w})
	}
	return u
}

// mayBeOption reports whether a word may begin with a dash.
func mayBeOption(w plain.Word) bool {
	if w.Found {
		return false
	}
	return !w.Each(func(text string) bool { return !strings.HasPrefix(text, "-") || text == "-" })
}
