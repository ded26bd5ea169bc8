package lineclear_test

import (
	"errors"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/tool"
)

// prefixOf is what stands before the first colon of the text that an error is made of.
func prefixOf(call *ast.CallExpr) string {
	makes, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || makes.Sel.Name != "New" && makes.Sel.Name != "Errorf" {
		return ""
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(literal.Value)
	prefix, _, _ := strings.Cut(text, ": ")
	return prefix
}

func TestEveryNameOfAPackageIsTakenOffWhatAModelReads(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.dir, "cmd") || s.dir == "cli" || s.dir == "gateway" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if prefix := prefixOf(call); prefix == path.Base(s.dir) {
				seen++
				if got := tool.Words(errors.New(prefix + ": why")); got != "why" {
					t.Errorf("%s: %s is not in the table of tool.Words", s.set.Position(n.Pos()), prefix)
				}
			}
			return true
		})
	}
	if seen < 100 {
		t.Fatalf("only %d errors were looked at", seen)
	}
}

// TestAFailedResultSaysErrorsInWords checks that no result for a model is made of an
// error as it is.
func TestAFailedResultSaysErrorsInWords(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || selector(call.Fun) != "Failed" || !isName(call.Fun.(*ast.SelectorExpr).X, "tool") {
				return true
			}
			seen++
			ast.Inspect(call, func(n ast.Node) bool {
				inner, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				asItIs := selector(inner.Fun) == "Error" || selector(inner.Fun) == "Sprintf" && slices.ContainsFunc(inner.Args, isError)
				if asItIs {
					t.Errorf("%s: an error reaches the model as it is: use tool.Words", s.set.Position(inner.Pos()))
				}
				return selector(inner.Fun) == "Failed" || selector(inner.Fun) == "Sprintf"
			})
			return true
		})
	}
	if seen < 20 {
		t.Fatalf("only %d results were looked at", seen)
	}
}

// isError reports whether a value is an error by its name, or a cause.
func isError(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return isName(e, "err") || ok && selector(call.Fun) == "Cause"
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
