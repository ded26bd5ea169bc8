package anthropic_test

import (
	"strings"
	"testing"
)

func TestWhatServersRefuseIsSeen(t *testing.T) {
	const body = `{"tools":[{"name":"shell","input_schema":{"type":"object","properties":{}}},{"name":"other","input_schema":{"type":"object","properties":{}}}],
"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"u"}]},
{"role":"assistant","content":[{"type":"text","text":"said"},{"type":"tool_use","id":"a","name":"shell","input":{}},{"type":"tool_use","id":"b","name":"shell","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"ra"},{"type":"image","source":{"media_type":"image/png","data":"AA=="}}]},
{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"rb"}],"is_error":true},{"type":"text","text":"more"}]},
{"role":"assistant","content":[{"type":"text","text":"end"}]},{"role":"user","content":[{"type":"text","text":"last"}]}]}`
	if err := wellFormed([]byte(body)); err != nil {
		t.Fatal(err)
	}
	const image = `{"type":"image","source":{"media_type":"image/png","data":"AA=="}}`
	for what, change := range map[string][2]string{
		"a tool's name":                  {`"name":"other"`, `"name":"ui.show"`},
		"a tool's name twice":            {`"name":"other"`, `"name":"shell"`},
		"a schema of something else":     {`"input_schema":{"type":"object","properties":{}}`, `"input_schema":{}`},
		"a blank system prompt":          {`"text":"s"`, `"text":"\u001f"`},
		"an empty text":                  {`"text":"u"`, `"text":""`},
		"a content that is empty":        {`[{"type":"text","text":"end"}]`, `[]`},
		"a role out of turn":             {`{"role":"assistant","content":[{"type":"text","text":"end"}]},`, ``},
		"an unknown role":                {`"role":"assistant"`, `"role":"system"`},
		"an unknown block":               {`{"type":"text","text":"end"}`, `{"type":"note","text":"end"}`},
		"an empty id":                    {`"id":"a"`, `"id":""`},
		"an id twice":                    {`"id":"b"`, `"id":"a"`},
		"a call's name":                  {`"name":"shell","input":`, `"name":"ui.show","input":`},
		"an input that is no object":     {`"input":{}`, `"input":"{}"`},
		"no input":                       {`,"input":{}`, ``},
		"a result of nothing":            {`"tool_use_id":"b"`, `"tool_use_id":"c"`},
		"a missing result":               {`{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"rb"}],"is_error":true},`, ``},
		"no result at all":               {`{"type":"text","text":"end"}`, `{"type":"tool_use","id":"z","name":"shell","input":{}}`},
		"a result twice":                 {`"tool_use_id":"b"`, `"tool_use_id":"a"`},
		"a text before results":          {`[{"type":"tool_result","tool_use_id":"a"`, `[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a"`},
		"an error without a text":        {`"content":[{"type":"text","text":"rb"}],"is_error":true`, `"is_error":true`},
		"an error with an image":         {`[{"type":"text","text":"rb"}]`, `[` + image + `]`},
		"a call in a result":             {`{"type":"text","text":"ra"}`, `{"type":"tool_use","id":"z","name":"shell","input":{}}`},
		"an image of another type":       {`image/png`, `image/svg+xml`},
		"a call of the user":             {`{"type":"text","text":"u"}`, `{"type":"tool_use","id":"z","name":"shell","input":{}}`},
		"the last word to the assistant": {`,{"role":"user","content":[{"type":"text","text":"last"}]}`, ``},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body || wellFormed([]byte(changed)) == nil {
			t.Errorf("%s is not seen: %s", what, changed)
		}
	}
}
