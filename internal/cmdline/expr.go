package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scan reads what a word, a test or an expression runs when it is expanded.
func (w *walker) scan(node syntax.Node, in dirs) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.within(n.Stmts, n.End(), in)
			if n.TempFile || n.ReplyVar {
				w.doubt("has a kind of substitution that is not understood")
			}
			return false
		case *syntax.ProcSubst:
			w.within(n.Stmts, n.End(), in)
			return false
		case *syntax.ArithmExp:
			w.arithmetic(n.X)
		case *syntax.ExtGlob:
			w.doubt("has a pattern that shells read differently")
		case *syntax.ArrayElem:
			w.index(n.Index)
		case *syntax.Word:
			if w.bash {
				w.hidden(n)
			}
		}
		return true
	})
}

// hidden notes what the parser leaves as text and a shell may yet expand.
func (w *walker) hidden(word *syntax.Word) {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if ok && strings.Contains(lit.Value, "$[") {
			w.doubt("has arithmetic in an old form")
		}
	}
}

// index notes subscripts that are more than a number: bash evaluates them.
func (w *walker) index(x syntax.ArithmExpr) {
	if word, ok := x.(*syntax.Word); ok {
		if lit := word.Lit(); lit == "@" || lit == "*" {
			return
		}
	}
	w.arithmetic(x)
}

// arithmetic notes expressions with a variable in them: bash evaluates what it
// holds as an expression again, and a subscript there may run a command.
func (w *walker) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		word, ok := n.(*syntax.Word)
		if !ok {
			return true
		}
		if !plainNumber(word) {
			w.doubt("arithmetic evaluates what a variable holds")
		}
		return false
	})
}

func plainNumber(word *syntax.Word) bool {
	if len(word.Parts) == 1 {
		if p, ok := word.Parts[0].(*syntax.ParamExp); ok {
			return isNumber(p)
		}
	}
	lit := word.Lit()
	for i := range len(lit) {
		if lit[i] < '0' || lit[i] > '9' {
			return false
		}
	}
	return lit != ""
}

// test notes the tests that evaluate arithmetic or subscripts.
func (w *walker) test(x syntax.TestExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				w.number(n.X)
				w.number(n.Y)
			}
		case *syntax.UnaryTest:
			if word, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) {
				if !syntax.ValidName(word.Lit()) {
					w.doubt("a test evaluates a variable's name")
				}
			}
		}
		return true
	})
}

func (w *walker) number(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok || !plainNumber(word) {
		w.doubt("a test evaluates what a variable holds")
	}
}
