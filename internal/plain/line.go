// Package plain reads command lines that can be read, and prints them again from what was read.
//
// # What it promises
//
//   - A line is plain when it is made of nothing but literal words, pipes, && || ; ! &,
//     groups, loops over literals, redirections to named files, and here-documents
//     without expansions. Of a plain line every command is a Part, with all of its words.
//   - What Print writes does in every POSIX shell what the Parts say and nothing else: every
//     word stands in quotes of our own, wildcards and ~ stand as what they are now.
//   - Of any other line Unread says why it is not plain, and Parts are the commands that
//     can be seen in it. It may run others.
//
// # How to use it
//
// Shell.Read reads a line, Argv a program that runs without a shell.
package plain

import "slices"

// Line is a command line as read.
type Line struct {
	Parts  []*Part
	Unread string // why it is not plain, in words; empty: it is
	Mixed  bool   // parts may run at the same time or again: it has a pipe, a loop, a command in the background or a runner such as find
	Disk   bool   // it has wildcards, so the parts depend on the files that exist now

	body list
}

// Part is one simple command. One without words sets variables, or opens the files of a
// group.
type Part struct {
	Words []Word // the program and its arguments
	Sets  []Set  // before the program, or by themselves
	Files []File // what its redirections open
	Dir   string // where it runs, as Shell.Dir; relative to the call's where that is not known
	Text  string // for people

	Builtin bool // the shell runs it itself, in a form that is known

	Input  bool // something comes on its input: of a pipe, a file or a here-document
	More   bool // arguments are added that are not known, such as xargs does
	Below  bool // those of More are names of files that its find has found, none of them an option
	Light  bool // it only runs another part, and does nothing else: timeout, nice, env
	Runner bool // it runs another part, and does something by itself: sudo, xargs

	Inner *Part // what it runs

	finds bool // what comes on its input are names of files that a find has found
}

// Word is a word of a command, without quotes.
type Word struct {
	Text  string   // the whole of it where Known; otherwise its beginning, as far as that is known
	Known bool     // it is literal
	Any   []string // of one with a loop's variable: all that it may be
	Found bool     // stands for regular files that find has found below its folders; not Known

	pieces []piece // as it is printed, where it is not Known
}

// piece is a text, or a variable.
type piece struct {
	text string
	name bool
}

// Set is a NAME=value.
type Set struct {
	Name     string
	Value    Word
	Exported bool // programs after it have it too
}

// File is a file that a redirection opens.
type File struct {
	Path   Word
	Write  bool
	Append bool
}

// Literal is a word that is known.
func Literal(text string) Word { return Word{Text: text, Known: true} }

// Each calls f for all that the word may be, until it says no. Of a word that is not known
// it does so for none, and reports false.
func (w Word) Each(f func(text string) bool) bool {
	switch {
	case w.Known:
		return f(w.Text)
	case len(w.Any) == 0:
		return false
	}
	return !slices.ContainsFunc(w.Any, func(text string) bool { return !f(text) })
}

// Program is the name of what runs, as it stands in the line.
func (p *Part) Program() Word {
	if len(p.Words) == 0 {
		return Literal("")
	}
	return p.Words[0]
}

// Argv reads a program and its arguments, which run without a shell.
func Argv(words []string) *Line {
	r := &reader{}
	call := &simple{}
	for _, w := range words {
		if why := Hidden(w); why != "" {
			r.stop("an argument %s", why)
		}
		call.words = append(call.words, Literal(w))
	}
	switch {
	case len(words) == 0:
		r.stop("there is no command")
		return &r.line
	case len(words) > maxWords:
		r.stop("has more than %d words", maxWords)
	}
	r.line.body = list{{cmd: r.simple(call, scope{}, quoteAll(call.words))}}
	return &r.line
}
