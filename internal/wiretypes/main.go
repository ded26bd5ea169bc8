// Command wiretypes writes what goes over the line: the types in TypeScript, and,
// into files of these names, the descriptions openapi.json and asyncapi.json.
//
//	go run ./internal/wiretypes sdk/typescript/src/generated.ts
package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/wsapprover"
)

func main() {
	server, client, journal := wsapprover.Schema()
	frames := httpapi.Frames{Server: server, Client: client, Journal: journal, Protocol: wsapprover.Protocol, Failures: wsapprover.Codes()}
	api := &httpapi.Server{Backend: httpapi.Backend{Frames: frames}}
	for _, path := range os.Args[1:] {
		text, err := describe(api, filepath.Base(path))
		if err == nil {
			err = write(path, text)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// describe is what belongs into a file of that name.
func describe(api *httpapi.Server, name string) ([]byte, error) {
	switch name {
	case "openapi.json":
		return api.OpenAPI().MarshalJSON()
	case "asyncapi.json":
		return api.AsyncAPI()
	}
	var text bytes.Buffer
	typescript(&text, api)
	return text.Bytes(), nil
}

// write leaves a file alone that is the same, so that what is built from it is not built again.
func write(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}

func typescript(w io.Writer, api *httpapi.Server) {
	schemas, told, taken := api.Schemas()
	fmt.Fprintf(w, "// Made by internal/wiretypes from the gateway's own types.\n\nexport const PROTOCOL = %q;\n", api.Frames.Protocol)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		fmt.Fprintf(w, "\nexport interface %s %s\n", name, object(schemas[name]))
	}
	table := func(name string, of map[string]reflect.Type, schema func(reflect.Type) *huma.Schema) {
		fmt.Fprintf(w, "\nexport interface %s {\n", name)
		for _, event := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprintf(w, "  %q: %s;\n", event, typed(schema(of[event])))
		}
		fmt.Fprint(w, "}\n")
	}
	table("ServerFrames", api.Frames.Server, told)
	table("ClientFrames", api.Frames.Client, taken)
	table("JournalEvents", api.Frames.Journal, told)
}

func object(schema *huma.Schema) string {
	text := "{\n"
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		mark := "?"
		if slices.Contains(schema.Required, name) {
			mark = ""
		}
		text += fmt.Sprintf("  %s%s: %s;\n", name, mark, typed(schema.Properties[name]))
	}
	return text + "}"
}

// typed is a schema as TypeScript has it. What could be anything has to be looked at.
func typed(schema *huma.Schema) string {
	text := "unknown"
	of, isMap := schema.AdditionalProperties.(*huma.Schema)
	switch {
	case schema.Ref != "":
		text = schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]
	case len(schema.Enum) > 0:
		words := make([]string, len(schema.Enum))
		for i, word := range schema.Enum {
			words[i] = fmt.Sprintf("%q", word)
		}
		text = strings.Join(words, " | ")
	case schema.Type == huma.TypeArray:
		text = "(" + typed(schema.Items) + ")[]"
	case isMap:
		text = "Record<string, " + typed(of) + ">"
	case schema.Type == huma.TypeInteger:
		text = "number"
	case schema.Type != "" && schema.Type != huma.TypeObject:
		text = schema.Type
	}
	if schema.Nullable {
		text += " | null"
	}
	return text
}
