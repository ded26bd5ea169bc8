package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// checkExpansions notes what a shell may expand and the parser may have missed, since
// the two can differ in where quotes start and end. It scans the raw text for $( ${
// <( >( outside plain single quotes: each has to be the start of a node that the
// parser found. Syntax that shells are known to read differently makes the line
// unknown: backquotes, $'…', $"…" and ${…} with more than a name in it.
func (w *walker) checkExpansions(file *syntax.File) {
	found := w.expansions(file)
	for at := 0; at < len(w.code); at++ {
		if end, ok := found.quoted[at]; ok {
			at = end - 1
			continue
		}
		opener := openerAt(w.code[at:])
		switch {
		case opener == "":
		case opener == "`":
			w.doubt("has a backquote outside plain single quotes")
		case opener == "${" && !plainExpansion(w.code[at:]):
			w.doubt("has a ${…} with more than a name in it")
		case !found.opened[at]:
			w.doubt("has a %s that looks like text and that a shell may expand", opener)
		}
	}
}

// openerAt returns the opener at the start of a text, across continued lines, or "".
func openerAt(text string) string {
	switch text[0] {
	case '`':
		return "`"
	case '$', '<', '>':
	default:
		return ""
	}
	rest := text[1:]
	for strings.HasPrefix(rest, "\\\n") {
		rest = rest[2:]
	}
	if strings.HasPrefix(rest, "(") || text[0] == '$' && strings.HasPrefix(rest, "{") {
		return text[:1] + rest[:1]
	}
	return ""
}

// plainExpansion reports whether a text starts with ${name} or ${#name}.
func plainExpansion(text string) bool {
	inner, closed := strings.CutPrefix(text, "${")
	if closed {
		inner, _, closed = strings.Cut(inner, "}")
	}
	name := strings.TrimPrefix(inner, "#")
	return closed && (syntax.ValidName(name) || name != "" && strings.Trim(name, "0123456789") == "")
}

// expansions are what the parser found in a text, by offset.
type expansions struct {
	opened map[int]bool
	quoted map[int]int // top-level plain single quotes, with their ends
}

func (w *walker) expansions(file *syntax.File) expansions {
	found := expansions{opened: map[int]bool{}, quoted: map[int]int{}}
	bodies := map[syntax.Node]bool{} // of here-documents
	var within []bool                // for each enclosing node, whether quotes may mean something else in it
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			within = within[:len(within)-1]
			return true
		}
		odd := len(within) > 0 && within[len(within)-1]
		switch n := n.(type) {
		case *syntax.SglQuoted:
			if n.Dollar {
				w.doubt("has a text in $'…'")
			} else if !odd {
				found.quoted[int(n.Pos().Offset())] = int(n.End().Offset())
			}
		case *syntax.DblQuoted:
			if n.Dollar {
				w.doubt(`has a text in $"…"`)
			}
		case *syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ProcSubst:
			found.opened[int(n.Pos().Offset())] = true
		case *syntax.Redirect:
			if n.Hdoc != nil {
				bodies[n.Hdoc] = true
			}
		}
		within = append(within, odd || bodies[n] || !quotesArePlain(n))
		return true
	})
	return found
}

// quotesArePlain reports whether every shell reads single quotes directly in a node
// as quotes.
func quotesArePlain(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.File, *syntax.Stmt, *syntax.CallExpr, *syntax.Assign, *syntax.DeclClause, *syntax.Word, *syntax.Redirect,
		*syntax.BinaryCmd, *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause,
		*syntax.WordIter, *syntax.CaseClause, *syntax.CaseItem, *syntax.FuncDecl, *syntax.TimeClause:
		return true
	}
	return false
}
