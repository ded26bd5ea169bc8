package lineclear_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const module = "github.com/lineclear/lineclear"

const (
	maxFileLines     = 400
	maxFunctionLines = 80
)

// floors reads the drawing in doc.go: a line that begins with a floor's number
// names that floor's packages, then after two spaces or more says what they are.
func floors(t *testing.T) map[string]int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	floor := map[string]int{}
	for line := range strings.Lines(f.Doc.Text()) {
		fields := strings.Fields(line)
		if len(fields) < 2 || len(fields[0]) != 1 || !unicode.IsDigit(rune(fields[0][0])) {
			continue
		}
		n, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range fields[1:] {
			if info, err := os.Stat(name); err != nil || !info.IsDir() {
				break // the words after the packages
			}
			floor[name] = n
		}
	}
	return floor
}

// source is one Go file of the module.
type source struct {
	path, dir string
	file      *ast.File
	set       *token.FileSet
	lines     int
	test      bool
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && exists(filepath.Join(path, "go.mod")):
			return filepath.SkipDir // another module
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{
			path: path, dir: filepath.Dir(path), file: file, set: set,
			lines: countLines(t, path), test: strings.HasSuffix(path, "_test.go"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func countLines(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		n++
	}
	return n
}

func imports(s source) []string {
	var paths []string
	for _, i := range s.file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestImportsGoDownTheFloorsOfTheDrawing(t *testing.T) {
	floor := floors(t)
	if len(floor) < 15 {
		t.Fatalf("doc.go draws only %d packages: %v", len(floor), floor)
	}
	for _, s := range sources(t) {
		if s.dir == "." {
			continue
		}
		from, drawn := floor[s.dir]
		if !drawn {
			t.Errorf("%s: package %s is not in the drawing in doc.go", s.path, s.dir)
			continue
		}
		if s.test {
			continue
		}
		for _, path := range imports(s) {
			name, ours := strings.CutPrefix(path, module+"/")
			if to, known := floor[name]; ours && (!known || to >= from) {
				t.Errorf("%s: %s (floor %d) imports %s (floor %d); only lower floors may be imported", s.path, s.dir, from, name, to)
			}
		}
	}
}

func TestEveryPackageOfTheDrawingIsThere(t *testing.T) {
	there := map[string]bool{}
	for _, s := range sources(t) {
		there[s.dir] = true
	}
	for name := range floors(t) {
		if !there[name] {
			t.Errorf("doc.go draws %s, which has no Go files", name)
		}
	}
}

func TestOneplaceKnowsWhatIsUnderneath(t *testing.T) {
	for path, homes := range map[string][]string{
		"github.com/asaskevich/EventBus": {"bus"},
		module + "/config":               {"cli", "gateway"},
		"modernc.org/sqlite":             {"store/sqlite", "internal/bench"},
		"github.com/gorilla/websocket":   {"wsapprover", "internal/bench"},
		"encoding/json":                  {"tool"}, // for the name RawMessage alone; strictjson and go-json-experiment decode
		"github.com/pressly/goose/v3":    {"store/sqlite", "store/postgres"},
		"github.com/jackc/pgx/v5":        {"store/postgres"},
		"github.com/nats-io/nats.go":     {"cluster"},
		"github.com/spf13/cobra":         {"cli"},

		"github.com/prometheus/client_golang/prometheus": {"internal/metrics"},
	} {
		for _, s := range sources(t) {
			if !s.test && slices.Contains(imports(s), path) && !slices.Contains(homes, s.dir) {
				t.Errorf("%s imports %s, which only %v may", s.path, path, homes)
			}
		}
	}
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if s.lines > maxFileLines {
			t.Errorf("%s has %d lines; a file is one thing, of at most %d", s.path, s.lines, maxFileLines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, of at most %d", s.path, f.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

func TestEveryPackageSaysWhatItPromises(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if !s.test {
			documented[s.dir] = documented[s.dir] || s.file.Doc != nil
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s: %s has no doc comment", s.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
						t.Errorf("%s: %s has no doc comment", s.path, ts.Name.Name)
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether a function belongs to what others can see;
// a method of an unexported type is documented by its interface.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}

// A table or a compiled pattern at the top of a package is no state: state is what
// somebody writes to.
func TestNobodyWritesToAPackagesVariables(t *testing.T) {
	declared := map[string]map[string]bool{} // by folder
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if s.test || !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if declared[s.dir] == nil {
						declared[s.dir] = map[string]bool{}
					}
					declared[s.dir][name.Name] = true
				}
			}
		}
	}
	for _, s := range sources(t) {
		if s.test || s.dir == "internal/failpoint" { // which counts, in programs for tests
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			var written []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					written = n.Lhs
				}
			case *ast.IncDecStmt:
				written = []ast.Expr{n.X}
			}
			for _, e := range written {
				name := rootOf(e)
				if name == nil || name.Name == "_" {
					continue
				}
				if name.Obj == nil && declared[s.dir][name.Name] || name.Obj != nil && atTop(s.file, name.Obj) {
					t.Errorf("%s: writes to the package's variable %s", s.set.Position(name.Pos()), name.Name)
				}
			}
			return true
		})
	}
}

// rootOf is the variable that an assignment to an expression changes.
func rootOf(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.IndexExpr:
		return rootOf(e.X)
	case *ast.SelectorExpr:
		return rootOf(e.X)
	}
	return nil
}

// atTop reports whether an object is declared at the top of a file.
func atTop(file *ast.File, o *ast.Object) bool {
	return o.Kind == ast.Var && file.Scope.Lookup(o.Name) == o
}
