// Package cmdline says what a shell command line would run, without running it.
//
// # What it promises
//
//   - Every simple command anywhere in a line is a Part of its own: in
//     pipelines, lists, subshells, substitutions, loops, functions and
//     here-documents, and behind wrappers such as sudo, xargs or bash -c.
//   - What can't be known is said to be unknown, never guessed: a program named
//     by a variable, code handed to an interpreter, a line that does not parse.
//   - A line is read as bash and as a POSIX shell, since it may reach either; the
//     parts are those of both. If a shell may expand something that neither
//     parse found, the line is unknown.
//
// # How to use it
//
// Parse or Argv makes a Line. A Pattern is asked in one of two ways: Match, for
// rules that forbid or ask, answers Yes as soon as something may be meant;
// Covers, for rules that allow, only where nothing else can happen.
package cmdline

// Line is what a command line would do.
type Line struct {
	Parts   []Part
	Unknown []string // why what it does can't be determined, in words; empty when it can
}

// Part is one simple command. One without words is a bare assignment or the
// redirections of a compound command.
type Part struct {
	Words   []Word   // the program and its arguments
	Assigns []Assign // before the program, or by themselves
	Files   []File   // what its redirections open, and what its arguments say to write
	Opaque  []string // why it may run more than is seen, in words: code for an interpreter, a script on stdin, …
	Blame   []int    // for each of Opaque, the index of the word that makes it so; -1 where no word does
	Light   bool     // a wrapper that changes nothing by itself (nice, nohup, timeout, …): it needs no clearing of its own
	Bases   Bases    // where its relative paths start
	Text    string   // its source, for people
}

// Word is one word after quoting and before anything is expanded at run time.
type Word struct {
	Text  string // the whole of it where Known; otherwise the known beginning
	Known bool
	Many  bool // an unknown word that may become none or several
	Glob  bool // an unknown word that becomes names of files, all of which begin with Text
	Home  bool // an unknown word that begins with an unquoted ~: a path in somebody's home

	Below string // of an unknown word whose path starts with ~/ or $HOME/: the known start of the rest, with its slash
	Whole bool   // Below is the whole rest
}

// Assign is one NAME=value.
type Assign struct {
	Name     string
	Value    Word
	Exported bool // in the environment of a command: it stands before one, or is exported by itself
}

// File is a file that a redirection opens, or that an argument says to write.
type File struct {
	Path  Word
	Write bool
}

// Bases are the directories, relative to the call's own, in which a part may
// run. The zero Bases is the call's own directory.
type Bases struct {
	Dirs    []string // after cd with a known target; empty: the call's own
	Unknown bool     // a cd to who knows where came before
}

// Answer is whether a pattern is about a part.
type Answer int

// The answers. Maybe is for what can't be known before it runs.
const (
	No Answer = iota
	Maybe
	Yes
)
