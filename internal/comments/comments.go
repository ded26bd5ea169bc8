// Package comments has what the module's own doc comments say of its types, for the
// descriptions of the API. The Makefile collects them; a program built without it has
// none, and describes the same types without words.
package comments

import (
	"embed"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
)

// FileName is the name of the file below texts that collect writes.
const FileName = "comments.json"

//go:embed all:texts
var texts embed.FS

// Type is what is said of a type and, by their names in Go, of its fields.
type Type struct {
	Text   string            `json:"text,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
}

// all are the types by Key; none where they have not been collected.
var all = sync.OnceValue(func() map[string]Type {
	raw, err := texts.ReadFile("texts/" + FileName)
	var types map[string]Type
	if err != nil || json.Unmarshal(raw, &types) != nil {
		return nil
	}
	return types
})

// Collected reports whether the program was built with the comments.
func Collected() bool { return len(all()) > 0 }

// Of is what is said of a type, or of the one that it points to or lists.
func Of(t reflect.Type) Type {
	for t.Name() == "" && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return all()[Key(t.PkgPath(), t.Name())]
}

// Key is a type's name in the file.
func Key(pkgPath, name string) string { return pkgPath + "." + name }
