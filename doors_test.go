package lineclear_test

import (
	"go/ast"
	"slices"
	"testing"
)

// TestADoorShowsNothingButViews checks that the packages of doors name no unmasked type:
// only the views of package door. A door is a package that names door.Door.
func TestADoorShowsNothingButViews(t *testing.T) {
	raw := map[string][]string{
		"approval": {"Approval", "Response", "Grant", "Requests", "Responses"},
		"session":  {"Session", "Event"},
	}
	views := []string{"Request", "Response", "Approval", "OwnAnswer", "Claimed", "Revealed", "Session", "Event", "Grant"}
	// A handler is given the unmasked request; the API description names types.
	exempt := []string{"wsapprover/handler.go", "httpapi/dictionary.go"}
	all, seen := sources(t), 0
	doors := doorsOf(all)
	for _, s := range all {
		if s.test || !slices.Contains(doors, s.dir) || slices.Contains(exempt, s.path) {
			continue
		}
		seen++
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if n.Sel.Name == "Masked" || ok && slices.Contains(raw[x.Name], n.Sel.Name) && !named(s.file, n) {
					t.Errorf("%s: %s: a door shows views, which package door makes", s.set.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.CompositeLit:
				made, ok := n.Type.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := made.X.(*ast.Ident); ok && x.Name == "door" && slices.Contains(views, made.Sel.Name) && len(n.Elts) > 0 {
					t.Errorf("%s: door.%s: only package door makes a view", s.set.Position(n.Pos()), made.Sel.Name)
				}
			}
			return true
		})
	}
	if seen < 20 {
		t.Fatalf("only %d files of doors were looked at", seen)
	}
}

// doorsOf lists the folders of doors.
func doorsOf(all []source) []string {
	var doors []string
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && !s.test && sel.Sel.Name == "Door" {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "door" {
					doors = append(doors, s.dir)
				}
			}
			return true
		})
	}
	return doors
}

// named reports whether the selector is a topic whose name or subscription is meant.
func named(f *ast.File, topic *ast.SelectorExpr) bool {
	if topic.Sel.Name != "Requests" && topic.Sel.Name != "Responses" {
		return false
	}
	unpacked := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.X == topic && s.Sel.Name == "From" {
			unpacked = true
		}
		return true
	})
	return !unpacked
}
