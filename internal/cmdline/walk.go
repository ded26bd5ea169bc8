package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker finds the parts of one reading of shell code.
type walker struct {
	*reader
	code  string
	bash  bool
	depth int // of wrappers around the code

	closes int // where the substitution ends that is being read; 0 outside of any
}

// stmts reads statements that run one after another, and returns where the next
// one would run.
func (w *walker) stmts(list []*syntax.Stmt, in dirs) dirs {
	for _, s := range list {
		done, failed := w.stmt(s, in)
		in = done.or(failed)
	}
	return in
}

// stmt reads a statement, and returns where the next one would run if this one
// succeeds and if it fails.
func (w *walker) stmt(s *syntax.Stmt, in dirs) (done, failed dirs) {
	files := w.redirects(s.Redirs, in)
	done, failed = w.command(s, files, in)
	if s.Negated {
		done, failed = failed, done
	}
	if s.Background || s.Coprocess || s.Disown {
		return in, in // it ran in a shell of its own
	}
	return done, failed
}

func (w *walker) command(s *syntax.Stmt, files []File, in dirs) (done, failed dirs) {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return w.call(call, s, files, in)
	}
	if decl, ok := s.Cmd.(*syntax.DeclClause); ok {
		w.declare(decl, s, files, in)
		return in, in
	}
	if len(files) > 0 {
		w.add(Part{Files: files, Light: true, Bases: in.bases(), Text: w.redirText(s)})
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.BinaryCmd:
		return w.binary(c, in)
	case *syntax.Subshell:
		w.stmts(c.Stmts, in)
	case *syntax.Block:
		after := w.stmts(c.Stmts, in)
		return after, after
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, in)
		}
	case *syntax.CoprocClause:
		if c.Name != nil {
			w.scan(c.Name, in)
		}
		w.stmt(c.Stmt, in)
	case *syntax.TestClause:
		w.test(c.X)
		w.scan(c.X, in)
	case *syntax.ArithmCmd:
		w.arithmetic(c.X)
		w.scan(c.X, in)
	case *syntax.LetClause:
		w.doubt("let evaluates what its variables hold")
		for _, x := range c.Exprs {
			w.scan(x, in)
		}
	default:
		w.compound(s.Cmd, in)
	}
	return in, in
}

// binary reads && || and pipes.
func (w *walker) binary(c *syntax.BinaryCmd, in dirs) (done, failed dirs) {
	switch c.Op {
	case syntax.AndStmt:
		d1, f1 := w.stmt(c.X, in)
		d2, f2 := w.stmt(c.Y, d1)
		return d2, f1.or(f2)
	case syntax.OrStmt:
		d1, f1 := w.stmt(c.X, in)
		d2, f2 := w.stmt(c.Y, f1)
		return d1.or(d2), f2
	default:
		// Some shells run the last command of a pipe in themselves.
		w.stay(func() dirs { d, f := w.stmt(c.X, in); return d.or(f) }, in)
		w.stay(func() dirs { d, f := w.stmt(c.Y, in); return d.or(f) }, in)
		return in, in
	}
}

// stay reads something after which the directory should be what it was. Where
// it may not be, no relative path of the line is known.
func (w *walker) stay(read func() dirs, in dirs) {
	after := read()
	if after.unknown != in.unknown || len(after.set) != len(in.set) {
		w.moved = true
		return
	}
	for i := range after.set {
		if after.set[i] != in.set[i] {
			w.moved = true
		}
	}
}

func (w *walker) block(list []*syntax.Stmt, in dirs) {
	w.stay(func() dirs { return w.stmts(list, in) }, in)
}

// compound reads the commands that run others in some order, or not at all.
func (w *walker) compound(cmd syntax.Command, in dirs) {
	switch c := cmd.(type) {
	case *syntax.IfClause:
		for clause := c; clause != nil; clause = clause.Else {
			w.block(clause.Cond, in)
			w.block(clause.Then, in)
		}
	case *syntax.WhileClause:
		w.block(c.Cond, in)
		w.block(c.Do, in)
	case *syntax.ForClause:
		w.loop(c.Loop, in)
		w.block(c.Do, in)
	case *syntax.CaseClause:
		w.scan(c.Word, in)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.scan(p, in)
			}
			w.block(item.Stmts, in)
		}
	case *syntax.FuncDecl:
		w.function(c, in)
	default:
		w.doubt("has a kind of command that is not understood")
	}
}

func (w *walker) loop(l syntax.Loop, in dirs) {
	switch l := l.(type) {
	case *syntax.WordIter:
		if !harmlessName(l.Name.Value, false) {
			w.doubt("a loop changes the variable %s", l.Name.Value)
		}
		for _, item := range l.Items {
			w.scan(item, in)
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			if x != nil {
				w.arithmetic(x)
				w.scan(x, in)
			}
		}
	default:
		w.doubt("has a kind of loop that is not understood")
	}
}

// function reads a function's body where it is defined: who calls it runs
// nothing that is not seen there.
func (w *walker) function(f *syntax.FuncDecl, in dirs) {
	names := f.Names
	if f.Name != nil {
		names = append(names, f.Name)
	}
	for _, n := range names {
		if special(n.Value) {
			w.doubt("defines a function named %s", n.Value)
		}
		if calls(f.Body, n.Value) {
			w.doubt("defines a function that calls itself (%s)", n.Value)
		}
	}
	anywhere := dirs{unknown: true} // it runs wherever it is called
	w.here++
	w.stmt(f.Body, anywhere)
	w.here--
}

// redirects returns the files that redirections open.
func (w *walker) redirects(list []*syntax.Redirect, in dirs) []File {
	var files []File
	for _, rd := range list {
		if rd.Hdoc != nil {
			w.scan(rd.Hdoc, in)
		}
		if w.bash && rd.N == nil {
			w.element(rd)
		}
		if rd.Word == nil {
			continue
		}
		if rd.Op == syntax.Hdoc || rd.Op == syntax.DashHdoc {
			w.heredoc(rd)
		}
		w.scan(rd.Word, in)
		if rd.N != nil && len(rd.N.Value) > 1 && rd.N.Value[0] == '{' {
			if name := rd.N.Value[1 : len(rd.N.Value)-1]; !syntax.ValidName(name) || !harmlessName(name, false) {
				w.doubt("a redirection changes the variable %s", name)
			}
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			continue
		}
		path := w.path(rd.Word)
		duplicates := rd.Op == syntax.DplOut || rd.Op == syntax.DplIn
		if text := w.slice(rd.Word); duplicates && strings.HasPrefix(text, "-") && text != "-" {
			w.doubt("has a %s that bash reads as two words", w.slice(rd)) // <&-x is <&- and x
		}
		switch {
		case duplicates && path.Known && isDescriptor(path.Text):
		case path.Known && standardDevice(path.Text):
		case rd.Op == syntax.RdrIn || rd.Op == syntax.DplIn:
			files = append(files, File{Path: path})
		default:
			files = append(files, File{Path: path, Write: true})
		}
	}
	return files
}

// element notes a redirection to {name[…]}, which the parser takes for a word
// before it: bash evaluates the subscript.
func (w *walker) element(rd *syntax.Redirect) {
	before := w.code[:min(rd.Pos().Offset(), uint(len(w.code)))]
	for _, end := range []string{"}", "]"} {
		for strings.HasSuffix(before, "\\\n") {
			before = strings.TrimSuffix(before, "\\\n")
		}
		var ok bool
		if before, ok = strings.CutSuffix(before, end); !ok {
			return
		}
	}
	w.doubt("has a redirection to an element of an array")
}

// isDescriptor says whether the word after >& names an open descriptor, or
// closes one.
func isDescriptor(text string) bool {
	if text == "-" {
		return true
	}
	for i := range len(text) {
		if (text[i] < '0' || text[i] > '9') && (text[i] != '-' || i == 0 || i != len(text)-1) {
			return false
		}
	}
	return text != ""
}

// standardDevice says whether opening a path opens no file.
func standardDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

// calls says whether a body calls a name.
func calls(body *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		found = found || ok && len(call.Args) > 0 && call.Args[0].Lit() == name
		return !found
	})
	return found
}
