// Command collect writes what the doc comments of the module's types say, for package
// internal/comments to embed. It looks at types with JSON names and at types of words.
//
//	go run ./internal/comments/collect
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/comments"
)

const module = "github.com/lineclear/lineclear"

func main() {
	types := map[string]comments.Type{}
	if err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return read(name, types)
	}); err != nil {
		fail(err)
	}
	raw, err := json.Marshal(types, json.Deterministic(true), jsontext.WithIndent(" "))
	if err != nil {
		fail(err)
	}
	file := filepath.Join("internal", "comments", "texts", comments.FileName)
	if old, err := os.ReadFile(file); err == nil && string(old) == string(raw) {
		return // what is built from it is not built again
	}
	if err := os.WriteFile(file, raw, 0o644); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func read(name string, into map[string]comments.Type) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	within := path.Join(module, filepath.ToSlash(filepath.Dir(name)))
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, spec := range decl.Specs {
			s := spec.(*ast.TypeSpec)
			said := s.Doc
			if said == nil && !decl.Lparen.IsValid() {
				said = decl.Doc
			}
			if about, ok := of(s, said); ok {
				into[comments.Key(within, s.Name.Name)] = about
			}
		}
	}
	return nil
}

// of is what is said of a type; false where it does not go over the line.
func of(s *ast.TypeSpec, said *ast.CommentGroup) (comments.Type, bool) {
	about := comments.Type{Text: sentence(withoutName(said.Text(), s.Name.Name)), Fields: map[string]string{}}
	fields, ok := s.Type.(*ast.StructType)
	if !ok {
		word, named := s.Type.(*ast.Ident)
		return about, about.Text != "" && named && word.Name == "string"
	}
	named := false
	for _, f := range fields.Fields.List {
		named = named || f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`) || len(f.Names) == 0
		text := cmp.Or(f.Doc.Text(), f.Comment.Text())
		for _, name := range f.Names {
			if text != "" {
				about.Fields[name.Name] = sentence(withoutName(text, name.Name))
			}
		}
	}
	return about, named && (about.Text != "" || len(about.Fields) > 0)
}

// withoutName takes the name with which a Go comment begins from it.
func withoutName(text, name string) string {
	text = strings.TrimPrefix(text, name+" ")
	for _, verb := range []string{"is ", "are "} {
		if rest, ok := strings.CutPrefix(text, verb); ok {
			return rest
		}
	}
	return text
}

// sentence is the first paragraph, from a capital letter to a full stop.
func sentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if first, size := utf8.DecodeRuneInString(text); !strings.Contains(strings.SplitN(text, " ", 2)[0], "_") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
