// Command wiretypes writes the types of what goes over the line, in
// TypeScript: those of the API's description and of the WebSocket's frames.
//
//	go run ./internal/wiretypes sdk/typescript/src/generated.ts
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/wsapprover"
)

func main() {
	var text strings.Builder
	write(&text)
	if old, err := os.ReadFile(os.Args[1]); err == nil && string(old) == text.String() {
		return // what is built from it is not built again
	}
	if err := os.WriteFile(os.Args[1], []byte(text.String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(w io.Writer) {
	server, client, journal := wsapprover.Schema()
	var types []reflect.Type
	for _, names := range []map[string]reflect.Type{server, client, journal} {
		types = slices.AppendSeq(types, maps.Values(names))
	}
	schemas := new(httpapi.Server).OpenAPI(types...).Components.Schemas
	fmt.Fprintf(w, "// Made by internal/wiretypes from the gateway's own types.\n\nexport const PROTOCOL = %q;\n", wsapprover.Protocol)
	for _, name := range slices.Sorted(maps.Keys(schemas.Map())) {
		fmt.Fprintf(w, "\nexport interface %s %s\n", name, object(schemas.Map()[name]))
	}
	table := func(name string, of map[string]reflect.Type) {
		fmt.Fprintf(w, "\nexport interface %s {\n", name)
		for _, event := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprintf(w, "  %q: %s;\n", event, typed(schemas.Schema(of[event], true, "")))
		}
		fmt.Fprint(w, "}\n")
	}
	table("ServerFrames", server)
	table("ClientFrames", client)
	table("JournalEvents", journal)
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
