package plain

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scope is where a command runs.
type scope struct {
	dir   string
	moves bool // a cd here is among the first things that its shell does
	ends  bool // nothing of its shell runs after it
	input bool // a pipe, a file or a text comes on its input
	finds bool // what comes are names that a find has found
}

// inner is the scope of a command that is one of several.
func (sc scope) inner() scope { return scope{dir: sc.dir, input: sc.input} }

// stmts reads commands that run one after another in one shell.
func (r *reader) stmts(all []*syntax.Stmt, sc scope) list {
	if r.depth++; r.depth > maxDepth {
		r.stop("is nested more than %d times", maxDepth)
	}
	defer func() { r.depth-- }()
	var body list
	for i, s := range all {
		for sc.moves && s != nil {
			cd, rest := leadingMove(s)
			if cd == nil {
				break
			}
			body = append(body, item{cmd: r.move(cd, &sc)})
			s = rest
		}
		if s == nil || r.line.Unread != "" {
			continue
		}
		each := sc
		each.moves = false
		each.ends = sc.ends && i == len(all)-1
		r.line.Mixed = r.line.Mixed || s.Background
		body = append(body, item{cmd: r.stmt(s, each), background: s.Background})
		sc.moves = false
	}
	return body
}

// leadingMove takes a cd off that a statement begins with.
func leadingMove(s *syntax.Stmt) (cd *syntax.CallExpr, rest *syntax.Stmt) {
	if s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 {
		return nil, s
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Assigns) == 0 && len(c.Args) > 0 && c.Args[0].Lit() == "cd" {
			return c, nil
		}
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			break
		}
		cd, left := leadingMove(c.X)
		switch {
		case cd == nil:
		case left == nil && c.Op == syntax.AndStmt:
			return cd, c.Y
		case left != nil:
			shorter, outer := *c, *s
			shorter.X, outer.Cmd = left, &shorter
			return cd, &outer
		}
	}
	return nil, s
}

// move reads a cd that everything after it depends on.
func (r *reader) move(c *syntax.CallExpr, sc *scope) command {
	words := r.wordsOf(c.Args, *sc)
	if len(words) != 2 || !words[1].Known || strings.HasPrefix(words[1].Text, "-") || words[1].Text == "" {
		r.stop("has a cd that does not name one folder")
		return nil
	}
	if r.moves++; r.moves > maxMoves {
		r.stop("changes its folder more than %d times", maxMoves)
		return nil
	}
	r.add(&Part{Words: words, Dir: sc.dir, Text: r.source(c), Builtin: true})
	sc.dir = Join(sc.dir, words[1].Text)
	return moved{to: words[1].Text, first: true}
}

// Join is where a path leads from a folder. What .. goes back over may be a link, so it
// stays.
func Join(dir, path string) string {
	if dir == "" || strings.HasPrefix(path, "/") {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}

// stmt reads one statement.
func (r *reader) stmt(s *syntax.Stmt, sc scope) command {
	if s.Coprocess || s.Disown {
		r.stop("has a coprocess")
		return nil
	}
	if s.Negated || s.Background {
		sc.ends = false
	}
	cmd := r.command(s, sc)
	if s.Negated && cmd != nil {
		return negated{cmd}
	}
	return cmd
}

func (r *reader) command(s *syntax.Stmt, sc scope) command {
	redirs := r.redirects(s.Redirs, sc)
	sc.input = sc.input || reads(redirs)
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return r.call(call, redirs, sc, r.source(s))
	}
	if decl, ok := s.Cmd.(*syntax.DeclClause); ok {
		return r.export(decl, redirs, sc, r.source(s))
	}
	if len(redirs) > 0 {
		r.add(&Part{Files: files(redirs), Dir: sc.dir, Text: r.source(s)})
	}
	var cmd command
	switch c := s.Cmd.(type) {
	case nil:
		return &simple{redirs: redirs}
	case *syntax.BinaryCmd:
		cmd = r.binary(c, sc)
	case *syntax.Subshell:
		cmd = group{body: r.stmts(c.Stmts, scope{dir: sc.dir, moves: true, ends: true, input: sc.input, finds: sc.finds}), subshell: true}
	case *syntax.Block:
		cmd = group{body: r.stmts(c.Stmts, sc.inner())}
	case *syntax.ForClause:
		cmd = r.loop(c, sc)
	case *syntax.TimeClause:
		cmd = r.timed(c, sc)
	default:
		r.stop("has %s, which is read in no plain line", nameOf(s.Cmd))
		return nil
	}
	if len(redirs) > 0 && cmd != nil {
		return redirected{cmd, redirs}
	}
	return cmd
}

// nameOf is what people call a kind of command.
func nameOf(cmd syntax.Command) string {
	switch cmd.(type) {
	case *syntax.IfClause:
		return "an if"
	case *syntax.WhileClause:
		return "a while"
	case *syntax.CaseClause:
		return "a case"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.TestClause:
		return "a [[ ]]"
	case *syntax.ArithmCmd, *syntax.LetClause:
		return "arithmetic"
	}
	return "a kind of command"
}

func (r *reader) binary(c *syntax.BinaryCmd, sc scope) command {
	var left, right scope
	op := ""
	switch c.Op {
	case syntax.AndStmt:
		op, left, right = "&&", sc.inner(), sc.inner()
		right.ends = sc.ends
	case syntax.OrStmt:
		op, left, right = "||", sc.inner(), sc.inner()
	case syntax.Pipe:
		op, left, right = "|", sc.inner(), sc.inner()
		right.input = true
	default:
		r.stop("has a |&")
		return nil
	}
	x := r.stmt(c.X, left)
	r.line.Mixed = r.line.Mixed || op == "|"
	right.finds = op == "|" && finds(x)
	y := r.stmt(c.Y, right)
	if x == nil || y == nil {
		return nil
	}
	return pair{op: op, x: x, y: y}
}

// finds reports whether what a command writes are the names of files that a find gives.
func finds(cmd command) bool {
	c, ok := cmd.(*simple)
	return ok && len(c.redirs) == 0 && len(c.words) > 0 && c.words[0].Text == "find" && below(c.words[1:]) &&
		!slices.ContainsFunc(c.words, func(w Word) bool { return strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok") }) // their output could be anything
}

func (r *reader) loop(c *syntax.ForClause, sc scope) command {
	r.line.Mixed = true
	over, ok := c.Loop.(*syntax.WordIter)
	switch {
	case !ok || c.Select || c.Braces || !over.InPos.IsValid():
		r.stop("has a loop that is not over a list of words")
		return nil
	case !harmlessName(over.Name.Value) || r.loopOf(over.Name.Value) != nil:
		r.stop("has a loop that sets the variable %s", over.Name.Value)
		return nil
	}
	words := r.wordsOf(over.Items, sc)
	var values []string
	for _, w := range words {
		if !w.Known {
			r.stop("has a loop over words that are not known")
			return nil
		}
		values = append(values, w.Text)
	}
	r.loops = append(r.loops, loopVar{over.Name.Value, values})
	body := r.stmts(c.Do, sc.inner())
	r.loops = r.loops[:len(r.loops)-1]
	return loop{name: over.Name.Value, words: words, body: body}
}

func (r *reader) loopOf(name string) *loopVar {
	for i := range r.loops {
		if r.loops[i].name == name {
			return &r.loops[i]
		}
	}
	return nil
}

// timed reads time as the program that shells without the word run.
func (r *reader) timed(c *syntax.TimeClause, sc scope) command {
	call := (*syntax.CallExpr)(nil)
	if c.Stmt != nil && len(c.Stmt.Redirs) == 0 && !c.Stmt.Negated {
		call, _ = c.Stmt.Cmd.(*syntax.CallExpr)
	}
	if call == nil || len(call.Args) == 0 || len(call.Assigns) > 0 {
		r.stop("has a time of more than one command")
		return nil
	}
	words := []Word{Literal("time")}
	if c.PosixFormat {
		words = append(words, Literal("-p"))
	}
	return r.simple(&simple{words: append(words, r.wordsOf(call.Args, sc)...)}, sc, r.source(c))
}
