package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHiddenCharactersOfASchemaDoNotReachTheModel(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{ // no want: left out
		{"none", `{ "type":"object",  "description":"plain\u0041" }`, `{ "type":"object",  "description":"plain\u0041" }`},
		{"a description", `{"type":"object","description":"a\u202eb"}`, `{"type":"object","description":"a⟨U+202E⟩b"}`},
		{"tags", `{"type":"object","properties":{"a":{"type":"number","maximum":1.50,"description":"x\udb40\udc41"}}}`, `{"type":"object","properties":{"a":{"type":"number","maximum":1.50,"description":"x⟨U+E0041⟩"}}}`},
		{"a title", `{"type":"object","$defs":{"a":{"title":"\u200b"}}}`, `{"type":"object","$defs":{"a":{"title":"⟨U+200B⟩"}}}`},
		{"a comment in a list", `{"type":"object","allOf":[{"$comment":"\u200b"}]}`, `{"type":"object","allOf":[{"$comment":"⟨U+200B⟩"}]}`},
		{"a property named description", `{"type":"object","properties":{"description":{"description":"\u200b"}}}`, `{"type":"object","properties":{"description":{"description":"⟨U+200B⟩"}}}`},
		{"a property named enum", `{"type":"object","properties":{"enum":{"description":"\u200b"}}}`, `{"type":"object","properties":{"enum":{"description":"⟨U+200B⟩"}}}`},
		{"an enum", `{"type":"object","properties":{"a":{"enum":["x\u200b"]}}}`, ""},
		{"a const", `{"type":"object","properties":{"a":{"const":{"description":"x\u200b"}}}}`, ""},
		{"a default", `{"type":"object","properties":{"a":{"default":"x\u200b"}}}`, ""},
		{"an example", `{"type":"object","properties":{"a":{"examples":["x\u200b"]}}}`, ""},
		{"a pattern", `{"type":"object","properties":{"a":{"pattern":"x\u200b"}}}`, ""},
		{"a name", `{"type":"object","properties":{"a\u200b":{}}}`, ""},
		{"a word of its own", `{"type":"object","x-note":"x\u200b"}`, ""},
		{"a list of descriptions", `{"type":"object","x":{"description":["x\u200b"]}}`, ""},
	}
	var listed []string
	for i, tt := range tests {
		listed = append(listed, fmt.Sprintf(`{"name":"t%d","inputSchema":%s}`, i, tt.schema))
	}
	raw := newRaw()
	raw.tools = func(string) string { return `{"tools":[` + strings.Join(listed, ",") + `]}` }
	said := newJournal()
	tools, err := newServer(t, served(t, raw), said.options()).Tools(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, each := range tools {
		got[each.Spec().Name] = string(each.Spec().Schema)
	}
	for i, tt := range tests {
		if diff := cmp.Diff(tt.want, got[fmt.Sprintf("bank__t%d", i)]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if tt.want == "" && !said.has(fmt.Sprintf(`the tool "t%d" is left out: its schema makes no sense: it has hidden characters`, i)) {
			t.Errorf("%s: nothing is said of it", tt.name)
		}
	}
}

func TestAToolWhoseSchemaFansOutIsLeftOut(t *testing.T) {
	t.Parallel()
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%[2]d"},{"$ref":"#/$defs/a%[2]d"}]}`, i, i+1))
	}
	raw := newRaw()
	raw.tools = func(string) string {
		return `{"tools":[{"name":"t","inputSchema":{"type":"object","$defs":{` + strings.Join(defs, ",") + `,"a40":{}},"$ref":"#/$defs/a0"}}]}`
	}
	said := newJournal()
	tools, err := newServer(t, served(t, raw), said.options()).Tools(t.Context(), "one")
	if err != nil || len(tools) != 0 || !said.has("takes too many steps to check a value") {
		t.Errorf("%d tools, %v, %v", len(tools), err, said.entries)
	}
}
