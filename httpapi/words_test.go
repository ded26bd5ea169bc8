package httpapi_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

func TestTheListsOfWordsAreAllTheConstantsThatThereAre(t *testing.T) {
	t.Parallel()
	lists := httpapi.WordLists()
	found := map[string][]any{}
	for _, folder := range []string{"approval", "session", "auth", "policy"} {
		constants(t, folder, found)
	}
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

func TestWhatGoesOverTheLineFitsItsDescription(t *testing.T) {
	t.Parallel()
	server, client, journal := wsapprover.Schema()
	check := describedTypes(t, server, client, journal)
	for folder, types := range map[string]map[string]reflect.Type{"frames": server, "client": client} {
		seen := map[string]bool{}
		paths, _ := filepath.Glob("../wsapprover/testdata/" + folder + "/*.json")
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Event string    `json:"event"`
				Data  tool.JSON `json:"data"`
			}
			if err := json.Unmarshal(raw, &f); err != nil {
				t.Fatal(err)
			}
			seen[f.Event] = true
			if f.Data == nil { // an empty object is left out
				f.Data = tool.JSON("{}")
			}
			check(path, types[f.Event], f.Data)
			if f.Event == "sessionEvent" {
				var e struct {
					Type string    `json:"type"`
					Data tool.JSON `json:"data"`
				}
				if err := json.Unmarshal(f.Data, &e); err != nil {
					t.Fatal(err)
				}
				check(path, journal[e.Type], e.Data)
			}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(seen))); diff != "" {
			t.Errorf("%s (-described +golden files):\n%s", folder, diff)
		}
	}
}

// describedTypes returns what holds a value against the description of its type.
func describedTypes(t *testing.T, types ...map[string]reflect.Type) func(what string, of reflect.Type, raw []byte) {
	t.Helper()
	var all []reflect.Type
	for _, names := range types {
		all = slices.AppendSeq(all, maps.Values(names))
	}
	doc := new(httpapi.Server).OpenAPI(all...)
	text, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("http://gate.example/", whole); err != nil {
		t.Fatal(err)
	}
	return func(what string, of reflect.Type, raw []byte) {
		t.Helper()
		if of == nil {
			t.Errorf("%s is not described", what)
			return
		}
		ref := doc.Components.Schemas.Schema(of, true, "").Ref
		schema, err := compiler.Compile("http://gate.example/" + ref)
		if err != nil {
			t.Fatalf("%s: %s: %v", what, ref, err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
