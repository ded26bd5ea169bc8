package openai_test

import (
	"strings"
	"testing"
)

func TestWhatServersRefuseIsSeen(t *testing.T) {
	const body = `{"tools":[{"function":{"name":"shell","parameters":{"type":"object","properties":{}}}},{"function":{"name":"other","parameters":{"type":"object","properties":{}}}}],
"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},
{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"shell","arguments":"{}"}},{"id":"b","function":{"name":"shell","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"a","content":"ra"},{"role":"tool","tool_call_id":"b","content":"rb"},
{"role":"user","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
{"role":"assistant","content":"said"},{"role":"user","content":"last"}]}`
	if err := wellFormed([]byte(body)); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string][2]string{
		"a tool's name":                    {`"name":"other"`, `"name":"ui.show"`},
		"a tool's name twice":              {`"name":"other"`, `"name":"shell"`},
		"a schema without properties":      {`{"type":"object","properties":{}}`, `{"type":"object"}`},
		"a late system message":            {`"role":"user","content":"last"`, `"role":"system","content":"last"`},
		"a blank text of the user":         {`"content":"u"`, `"content":"\u001f"`},
		"no content":                       {`{"role":"user","content":"u"}`, `{"role":"user"}`},
		"an empty text of the assistant":   {`"content":"said"`, `"content":""`},
		"an empty result":                  {`"content":"ra"`, `"content":""`},
		"an empty id":                      {`"id":"a"`, `"id":""`},
		"an id twice":                      {`"id":"b"`, `"id":"a"`},
		"a call's name":                    {`"name":"shell","arguments"`, `"name":"öl","arguments"`},
		"arguments that are no object":     {`"arguments":"{}"`, `"arguments":"[]"`},
		"arguments that are no text":       {`"arguments":"{}"`, `"arguments":{}`},
		"a missing result":                 {`{"role":"tool","tool_call_id":"b","content":"rb"},`, ``},
		"a result of nothing":              {`"tool_call_id":"b"`, `"tool_call_id":"c"`},
		"results out of order":             {`"tool_call_id":"a"`, `"tool_call_id":"b"`},
		"an image in a result":             {`"content":"ra"`, `"content":[{"image_url":{"url":"data:image/png;base64,AA=="}}]`},
		"an image of another type":         {`data:image/png`, `data:image/svg+xml`},
		"an image that is not valid":       {`AA==`, `A`},
		"the last word to the assistant":   {`,{"role":"user","content":"last"}`, ``},
		"calls of the user":                {`"role":"assistant","tool_calls"`, `"role":"user","tool_calls"`},
		"what is no JSON":                  {`{`, ``},
		"parts without anything in them":   {`[{"type":"text","text":"t"}`, `[{"type":"text","text":""}`},
		"a message after the last results": {`{"role":"tool","tool_call_id":"b"`, `{"role":"user","content":"x"},{"role":"tool","tool_call_id":"b"`},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body || wellFormed([]byte(changed)) == nil {
			t.Errorf("%s is not seen: %s", what, changed)
		}
	}
}
