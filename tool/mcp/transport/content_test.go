package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

// received is a result of a call as the library reads it, once it has come over a
// stream or whole.
func received(t *testing.T, kind, result string) (*sdk.CallToolResult, error) {
	t.Helper()
	text := `{"jsonrpc":"2.0","id":"1","result":` + result + `}`
	if kind == "text/event-stream" {
		text = "data: " + text + "\n\n"
	}
	_, conn, _ := site(t, func(*http.Request) *http.Response { return reply(http.StatusOK, kind, text) })
	if err := conn.Write(t.Context(), request(t, "tools/call")); err != nil {
		return nil, err
	}
	m, err := conn.Read(t.Context())
	if err != nil {
		return nil, err
	}
	got := new(sdk.CallToolResult)
	return got, got.UnmarshalJSON(m.(*jsonrpc.Response).Result)
}

// textsOf are the texts of a content; other blocks are told by their type.
func textsOf(r *sdk.CallToolResult) []string {
	all := []string{}
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			all = append(all, text.Text)
			continue
		}
		all = append(all, fmt.Sprintf("%T", c))
	}
	return all
}

func TestABlockThatMakesNoSenseCostsItselfAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ block, want string }{
		"of a type that is not known":         {`{"type":"video","data":"AAAA"}`, `[content left out: its type "video" is not known here]`},
		"of a type that hides something":      {`{"type":"vi\u202edeo"}`, `[content left out: its type "vi⟨U+202E⟩deo" is not known here]`},
		"of a type that is very long":         {`{"type":"` + strings.Repeat("x", 65) + `"}`, `[content left out: its type is not known here]`},
		"of no type":                          {`{"text":"x"}`, `[content left out: it does not say of which type it is]`},
		"whose type is no text":               {`{"type":{"a":[1]}}`, `[content left out: it does not say of which type it is]`},
		"null":                                {`null`, `[content left out: it is no object]`},
		"a number":                            {`1`, `[content left out: it is no object]`},
		"a list":                              {`[1]`, `[content left out: it is no object]`},
		"a text alone":                        {`"words"`, `words`},
		"a text that is not valid":            {`{"type":"text","text":["x",{"y":1}]}`, `[content left out: a block of type text that makes no sense]`},
		"an image whose data are no base64":   {`{"type":"image","mimeType":"image/png","data":"%%"}`, `[content left out: a block of type image that makes no sense]`},
		"a resource that is not valid":        {`{"type":"resource","resource":"file:///x"}`, `[content left out: a block of type resource that makes no sense]`},
		"annotations that make no sense":      {`{"type":"text","text":"kept","annotations":{"priority":"high","audience":"user"}}`, `kept`},
		"a _meta that makes none":             {`{"type":"text","text":"kept","_meta":[1]}`, `kept`},
		"a size that makes none":              {`{"type":"resource_link","uri":"file:///x","name":"x","size":"1 kB"}`, `*mcp.ResourceLink`},
		"blocks within a block, of a bad one": {`{"type":"tool_result","toolUseId":"x","content":[{"type":"video"}]}`, `[content left out: a block of type tool_result that makes no sense]`},
		"nested without an end":               {`{"type":"text","text":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`, `[content left out: a block of type text that makes no sense]`},
	} {
		for _, kind := range []string{"application/json", "text/event-stream"} {
			got, err := received(t, kind, `{"content":[{"type":"text","text":"first"},`+tt.block+`,{"type":"text","text":"last"}],"structuredContent":{"z":1.50}}`)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if diff := cmp.Diff([]string{"first", tt.want, "last"}, textsOf(got)); diff != "" || got.IsError {
				t.Errorf("%s, error %v (-want +got):\n%s", name, got.IsError, diff)
			}
		}
	}
}

func TestAResultWhosePartsMakeNoSenseIsReadAsFarAsItDoes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		result  string
		isError bool
		want    []string
	}{
		"content that is one block":      {`{"content":{"type":"text","text":"x"}}`, false, []string{"x"}},
		"content that is a text":         {`{"content":"x"}`, false, []string{"x"}},
		"content that is a number":       {`{"content":1}`, false, []string{"[content left out: it is no object]"}},
		"content that is null":           {`{"content":null}`, false, []string{}},
		"an error that is a text":        {`{"content":[{"type":"text","text":"x"}],"isError":"yes"}`, true, []string{"x"}},
		"an error that is null":          {`{"content":"x","isError":null}`, false, []string{"x"}},
		"a _meta that is a list":         {`{"content":[{"type":"text","text":"x"}],"_meta":[1]}`, false, []string{"x"}},
		"a result type that is a number": {`{"content":[{"type":"text","text":"x"}],"resultType":1}`, false, []string{"x"}},
		"questions that make no sense":   {`{"content":[{"type":"text","text":"x"}],"inputRequests":[1],"requestState":{}}`, false, []string{"x"}},
	} {
		got, err := received(t, "application/json", tt.result)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, textsOf(got)); diff != "" || got.IsError != tt.isError {
			t.Errorf("%s, error %v (-want +got):\n%s", name, got.IsError, diff)
		}
	}
}

// anyJSON is any value, with the names and types that blocks have.
func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.SampledFrom([]any{nil, true, false, 0, -1, 1e300, 9007199254740993, "", "text", "image", "audio", "resource", "resource_link", "tool_use", "tool_result", "AAAA", "%%"}),
		rapid.Map(rapid.String(), func(s string) any { return s }),
	)
	if depth == 0 {
		return leaf
	}
	name := rapid.OneOf(rapid.SampledFrom([]string{
		"type", "text", "data", "mimeType", "resource", "uri", "name", "blob", "content", "annotations", "priority", "audience", "_meta", "icons", "size", "input", "toolUseId", "isError",
	}), rapid.String())
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 3), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(name, anyJSON(depth-1), 0, 6), func(v map[string]any) any { return v }))
}

func TestNoBlockCostsAnother(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		block, err := json.Marshal(anyJSON(3).Draw(r, "block"), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			r.Fatal(err)
		}
		holdsAround(t, r.Fatalf, string(block))
	})
}

func FuzzNoBlockCostsAnother(f *testing.F) {
	for _, block := range []string{`{"type":"video"}`, `{"type":"text","text":1}`, `null`, `[]`, `"x"`, `{"type":"tool_result","content":[null]}`, `{"type":"text","type":"image","text":"x"}`} {
		f.Add(block)
	}
	f.Fuzz(func(t *testing.T, block string) {
		if v := jsontext.Value(block); !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || strings.ContainsAny(block, "\r\n") || !utf8.ValidString(block) {
			t.Skip("it is no JSON, which is for the library to say")
		}
		holdsAround(t, t.Fatalf, block)
	})
}

// holdsAround fails unless the blocks around one are read.
func holdsAround(t *testing.T, fail func(string, ...any), block string) {
	got, err := received(t, "application/json", `{"content":[{"type":"text","text":"first"},`+block+`,{"type":"text","text":"last"}]}`)
	if err != nil {
		fail("%s: %v", block, err)
	}
	texts := textsOf(got)
	if len(texts) != 3 || texts[0] != "first" || texts[2] != "last" || got.IsError {
		fail("%s: read are %q, error %v", block, texts, got.IsError)
	}
}
