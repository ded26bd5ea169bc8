package httpapi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/wsapprover"
)

func TestTheListsOfWordsAreAllTheConstantsThatThereAre(t *testing.T) {
	t.Parallel()
	lists := httpapi.WordLists()
	found := map[string][]any{}
	for _, folder := range []string{"approval", "session", "auth", "policy", "tool", "transcript"} {
		constants(t, folder, found)
	}
	delete(lists, "approval.Word") // which has no constants
	for name, words := range lists {
		if diff := cmp.Diff(sorted(found[name]), sorted(words)); diff != "" {
			t.Errorf("%s (-constants +listed):\n%s", name, diff)
		}
	}
	_, _, journal := wsapprover.Schema()
	if diff := cmp.Diff(sorted(lists["session.Type"]), slices.Sorted(maps.Keys(journal))); diff != "" {
		t.Errorf("events of the journal (-constants +described):\n%s", diff)
	}
}

// constants adds the constants of a package that have a type of its own.
func constants(t *testing.T, folder string, found map[string][]any) {
	t.Helper()
	files, err := filepath.Glob("../" + folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil || len(spec.Values) != 1 {
				return true
			}
			typed, named := spec.Type.(*ast.Ident)
			value, literal := spec.Values[0].(*ast.BasicLit)
			if named && literal && value.Kind == token.STRING {
				word, _ := strconv.Unquote(value.Value)
				found[folder+"."+typed.Name] = append(found[folder+"."+typed.Name], word)
			}
			return true
		})
	}
}

func sorted(words []any) []string {
	var all []string
	for _, w := range words {
		all = append(all, fmt.Sprint(w))
	}
	return slices.Sorted(slices.Values(all))
}
