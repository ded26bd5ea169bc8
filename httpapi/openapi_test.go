package httpapi_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/comments"
)

// described is the API of a gateway, with the frames of its WebSocket.
func describedAPI() *httpapi.Server {
	return &httpapi.Server{Backend: httpapi.Backend{Frames: frames()}}
}

func TestEveryFieldOfTheAPIIsDescribed(t *testing.T) {
	t.Parallel()
	if !comments.Collected() {
		t.Skip("the comments have not been collected: make internal/comments/texts/comments.json")
	}
	schemas, _, _ := describedAPI().Schemas()
	fields := 0
	for name, schema := range schemas {
		if schema.Description == "" {
			t.Errorf("%s has no doc comment", name)
		}
		for property, of := range schema.Properties {
			fields++
			if of.Description == "" && of.Ref == "" {
				t.Errorf("%s of %s has no comment", property, name)
			}
		}
	}
	if fields < 500 {
		t.Errorf("only %d fields were looked at", fields)
	}
	t.Logf("%d fields are described", fields)
}

func TestEveryRouteHasItsOwnName(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for path, item := range describedAPI().OpenAPI().Paths {
		for method, op := range operationsOf(item) {
			at := method + " " + path
			if other, twice := seen[op.OperationID]; twice || strings.Contains(op.OperationID, "By") {
				t.Errorf("%s is called %q, as is %q: name it in operations.go", at, op.OperationID, other)
			}
			seen[op.OperationID] = at
			if len(op.Tags) != 1 {
				t.Errorf("%s is of the areas %v", at, op.Tags)
			}
		}
	}
}

func operationsOf(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete}
	maps.DeleteFunc(all, func(_ string, op *huma.Operation) bool { return op == nil })
	return all
}

func TestAnAnswerMayGrowAndARequestIsReadStrictly(t *testing.T) {
	t.Parallel()
	api := describedAPI().OpenAPI()
	schemas := api.Components.Schemas
	bodies := 0
	for path, item := range api.Paths {
		for method, op := range operationsOf(item) {
			if op.RequestBody != nil {
				each(schemas, op.RequestBody.Content["application/json"].Schema, func(name string, s *huma.Schema) {
					if bodies++; s.AdditionalProperties != false {
						t.Errorf("%s %s takes %s with further names", method, path, name)
					}
				})
			}
			for status, response := range op.Responses {
				for _, content := range response.Content {
					each(schemas, content.Schema, func(name string, s *huma.Schema) {
						if bodies++; s.AdditionalProperties == false {
							t.Errorf("%s of %s %s: %s can't grow", status, method, path, name)
						}
						if s.Nullable {
							t.Errorf("%s may be null", name)
						}
					})
				}
			}
		}
	}
	if bodies < 500 {
		t.Errorf("only %d schemas were looked at", bodies)
	}
}

// each visits a schema and all below it, each name once.
func each(all huma.Registry, schema *huma.Schema, visit func(name string, s *huma.Schema)) {
	seen := map[string]bool{}
	var walk func(s *huma.Schema)
	walk = func(s *huma.Schema) {
		if s == nil {
			return
		}
		if name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]; name != "" {
			if seen[name] {
				return
			}
			seen[name] = true
			s = all.Map()[name]
			visit(name, s)
		}
		walk(s.Items)
		for _, of := range s.Properties {
			walk(of)
		}
		if of, ok := s.AdditionalProperties.(*huma.Schema); ok {
			walk(of)
		}
	}
	walk(schema)
}

func TestAnAnswerToARequestTakesOtherWordsThanItTells(t *testing.T) {
	t.Parallel()
	schemas, _, _ := describedAPI().Schemas()
	for name, want := range map[string]string{"AnswerBody": "approved denied cancelled", "Answer": "approved denied cancelled", "Response": "pending approved denied cancelled"} {
		var words []string
		for _, w := range schemas[name].Properties["status"].Enum {
			words = append(words, w.(string))
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if slices.Contains(schemas["AnswerBody"].Required, "approvalId") || !slices.Contains(schemas["Answer"].Required, "approvalId") {
		t.Error("an answer names the approval in a frame, and not in a body")
	}
}

func TestTheProtocolsDocSaysWhatToDoAboutEveryProblem(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "### Problems")
	table, _, _ = strings.Cut(table, "\n### ")
	schemas, _, _ := describedAPI().Schemas()
	codes := schemas["Problem"].Properties["code"].Enum
	for _, code := range codes {
		if !strings.Contains(table, "`"+code.(string)+"`") {
			t.Errorf("it lacks %s", code)
		}
	}
	for _, m := range regexp.MustCompile("`([a-z_]+)`[^|]*\\| [0-9]").FindAllStringSubmatch(table, -1) {
		if !slices.Contains(codes, any(m[1])) {
			t.Errorf("there is no code %s", m[1])
		}
	}
	if len(codes) < 20 {
		t.Errorf("only %d codes are described", len(codes))
	}
}
