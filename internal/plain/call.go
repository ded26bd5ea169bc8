package plain

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a program with its arguments, or variables that are set.
func (r *reader) call(c *syntax.CallExpr, redirs []redirect, sc scope, text string) command {
	made := &simple{redirs: redirs}
	for _, a := range c.Assigns {
		made.sets = append(made.sets, r.set(a, sc, len(c.Args) > 0))
	}
	made.words = r.wordsOf(c.Args, sc)
	if len(c.Args) > 0 && len(made.words) == 0 {
		r.stop("has a command without a name")
		return nil
	}
	return r.simple(made, sc, text)
}

// set reads an assignment.
func (r *reader) set(a *syntax.Assign, sc scope, exported bool) Set {
	if a.Append || a.Naked || a.Index != nil || a.Array != nil || a.Name == nil {
		r.stop("has an assignment that is not NAME=value")
		return Set{}
	}
	name := a.Name.Value
	if !harmlessName(name) || r.loopOf(name) != nil {
		r.stop("sets the variable %s, which may change what programs do", name)
	}
	made := Set{Name: name, Value: Literal(""), Exported: exported}
	if a.Value == nil {
		return made
	}
	made.Value = r.value(a.Value, sc)
	if (exported || strings.ToLower(name) != name) && mayBeCode(made.Value.Text) {
		r.stop("sets the variable %s to what a program may take for code", name)
	}
	if !made.Value.Known {
		r.stop("sets the variable %s to a value that is not known", name)
	}
	return made
}

// mayBeCode reports whether a value would be more than one plain word if a program such as make
// expanded it in a command line.
func mayBeCode(value string) bool {
	return strings.HasPrefix(value, "-") || strings.ContainsAny(value, "`$;|&<>(){}'\"\\ \t\n")
}

// export reads export NAME=value.
func (r *reader) export(c *syntax.DeclClause, redirs []redirect, sc scope, text string) command {
	if c.Variant.Value != "export" || len(c.Args) == 0 || len(redirs) > 0 {
		r.stop("has %s", c.Variant.Value)
		return nil
	}
	p := &Part{Dir: sc.dir, Text: text}
	for _, a := range c.Args {
		p.Sets = append(p.Sets, r.set(a, sc, true))
	}
	r.add(p)
	return exports(p.Sets)
}

// simple keeps a simple command as a part, and what it runs as parts of their own.
func (r *reader) simple(c *simple, sc scope, text string) command {
	p := &Part{Words: c.words, Sets: c.sets, Files: files(c.redirs), Dir: sc.dir, Input: sc.input, Text: text, finds: sc.finds}
	if len(c.words) == 0 {
		r.add(p)
		return c
	}
	if !c.words[0].Known || c.words[0].Text == "" {
		r.stop("runs a program whose name is not known")
		return nil
	}
	if nested, ok := r.shellCode(c, sc); ok {
		return nested
	}
	switch what := r.builtin(c, sc); {
	case what == "":
		c.programs = []int{0}
		r.unwrap(p, c)
	case what != "known":
		r.stop("%s", what)
		return nil
	default:
		p.Builtin = true
	}
	r.add(p)
	for i, w := range c.words {
		if !w.Known && w.Any == nil && !wordOnly(c.words, i) {
			r.stop("has the value of a variable that is not known in %q", r.sourceOr(text))
			return nil
		}
	}
	return c
}

func (r *reader) sourceOr(text string) string {
	if len(text) > 80 {
		return strings.ToValidUTF8(text[:strings.LastIndexByte(text[:80]+" ", ' ')], "") + "…"
	}
	return text
}

// wordOnly reports whether a command does nothing with one of its words but write it.
func wordOnly(words []Word, i int) bool {
	switch words[0].Text {
	case "echo":
		return i > 0
	case "printf":
		return i > 1
	case "test":
		return operand(words[1:], i-1)
	case "[":
		return operand(words[1:max(1, len(words)-1)], i-1)
	}
	return false
}

// operand reports whether a word of a test is a text, whatever it is: its place says so.
func operand(args []Word, i int) bool {
	switch {
	case len(args) == 2 && i == 1 && args[0].Known:
		return args[0].Text == "-n" || args[0].Text == "-z"
	case len(args) == 3 && i != 1 && i >= 0 && i < 3 && args[1].Known:
		switch args[1].Text {
		case "=", "!=":
			return true
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			return args[i].status()
		}
	}
	return false
}

// status reports whether a word is the number with which a command ended.
func (w Word) status() bool {
	return len(w.pieces) == 2 && w.pieces[0].text == "" && w.pieces[1] == piece{text: "?", name: true}
}

// builtin says whether a command is one that the shell runs itself: empty for a program,
// "known" for one that is understood, else why it is not.
func (r *reader) builtin(c *simple, sc scope) string {
	name, args := c.words[0].Text, c.words[1:]
	plainArgs := func(ok func(i int, text string) bool) string {
		for i, w := range args {
			if !wordOnly(c.words, i+1) && !w.Each(func(text string) bool { return ok(i, text) }) {
				return "has a form of " + name + " that is read in no plain line"
			}
		}
		return "known"
	}
	switch name {
	case "true", "false", ":":
		return plainArgs(func(int, string) bool { return true })
	case "echo":
		return "known"
	case "printf":
		return plainArgs(func(i int, text string) bool { return i > 0 || plainFormat(text) })
	case "test", "[":
		return plainArgs(func(i int, text string) bool {
			last := name == "[" && i == len(args)-1 && text == "]"
			return text != "-v" && text != "-R" && (last || !strings.ContainsAny(text, "[]"))
		})
	case "pwd":
		return plainArgs(func(_ int, text string) bool { return text == "-L" || text == "-P" })
	case "exit", "break", "continue":
		return plainArgs(func(i int, text string) bool { return i == 0 && digits(text) })
	case "wait":
		return plainArgs(func(int, string) bool { return false })
	case "kill":
		return plainArgs(func(_ int, text string) bool { return !strings.ContainsAny(text, "[]$`") })
	case "command", "type":
		if name == "type" || len(args) > 0 && (args[0].Text == "-v" || args[0].Text == "-V") {
			return plainArgs(func(int, string) bool { return true })
		}
		return "has a form of command that is read in no plain line"
	case "set":
		return plainArgs(func(i int, text string) bool {
			return strings.Trim(text, "-+eux") == "" && len(text) > 1 || strings.Trim(text, "-eux") == "o" && i == len(args)-2 && args[i+1].Text == "pipefail" ||
				text == "pipefail" && i == len(args)-1 && i > 0
		})
	case "cd":
		if sc.ends && len(args) == 1 && args[0].Known && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "" {
			return "known"
		}
		return "changes the folder in its midst"
	}
	if shellWord(name) {
		return "runs " + name + ", which changes how a shell reads the rest"
	}
	return ""
}

// plainFormat reports whether a format of printf only writes.
func plainFormat(text string) bool {
	if strings.HasPrefix(text, "-") {
		return false
	}
	for {
		_, after, found := strings.Cut(text, "%")
		if !found {
			return true
		}
		after = strings.TrimLeft(after, "-+ #0123456789.")
		if after == "" || !strings.Contains("%sdiouxXcfeEgGb", after[:1]) {
			return false
		}
		text = after[1:]
	}
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// shellWord reports whether a shell takes a name for a word of its own, beside those that
// a plain line may have.
func shellWord(name string) bool {
	switch name {
	case ".", "source", "eval", "exec", "shopt", "unset", "trap", "read", "readonly", "local", "declare", "typeset", "export",
		"alias", "unalias", "builtin", "enable", "hash", "getopts", "shift", "return", "let", "mapfile", "readarray", "pushd", "popd",
		"dirs", "chdir", "bind", "complete", "compgen", "compopt", "fc", "history", "jobs", "fg", "bg", "disown", "suspend", "logout", "times",
		"ulimit", "umask", "caller", "coproc", "nameref", "select", "function", "if", "then", "else", "elif", "fi", "for", "while",
		"until", "do", "done", "case", "esac", "in", "!", "{", "}", "[[", "]]", "((", "))", "help":
		return true
	}
	return false
}
