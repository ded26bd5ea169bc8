package modeltest_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// post sends a body as a client with the key k would.
func post(t *testing.T, c *http.Client, url, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer k")
	r.Header.Set("Anthropic-Version", "2026-10-21")
	for name, value := range header {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// change is a body with one thing in it replaced.
type change struct{ what, old, now string }

// refuses checks that a server takes a body, and none of the changed ones.
func refuses(t *testing.T, w modeltest.Wire, path, body string, changes []change) {
	t.Helper()
	s := modeltest.NewServer(w)
	s.Key = "k"
	url, c := s.Start(t)
	if status, answer := post(t, c, url+path, body, nil); status != http.StatusOK {
		t.Fatalf("the valid one is refused: %s", answer)
	}
	for _, change := range changes {
		wrong := strings.Replace(body, change.old, change.now, 1)
		if wrong == body {
			t.Errorf("%s: changes nothing", change.what)
		}
		if status, answer := post(t, c, url+path, wrong, nil); status != http.StatusBadRequest {
			t.Errorf("%s: taken with %d %.60s", change.what, status, answer)
		}
	}
	for _, header := range []map[string]string{
		{"Authorization": ""}, {"Authorization": "Bearer other"}, {"Content-Type": "text/plain"}, {"X-Api-Key": "k"},
	} {
		if status, _ := post(t, c, url+path, body, header); status != http.StatusBadRequest {
			t.Errorf("taken with %v", header)
		}
	}
	if status, _ := post(t, c, url+path+"/x", body, nil); status != http.StatusBadRequest {
		t.Error("taken at another path")
	}
	faults := 0
	for _, r := range s.Requests() {
		if r.Fault != nil {
			faults++
		}
	}
	if faults != len(changes)+5 {
		t.Errorf("%d faults are told, of %d", faults, len(changes)+5)
	}
}

func TestTheServerOfChatCompletionsIsStrict(t *testing.T) {
	const body = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":5,
"tools":[{"type":"function","function":{"name":"shell","description":"d","parameters":{"type":"object","properties":{}}}},
{"type":"function","function":{"name":"other","parameters":{"type":"object","properties":{}}}}],
"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},
{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"shell","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"shell","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"a","content":"ra"},{"role":"tool","tool_call_id":"b","content":"rb"},
{"role":"user","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
{"role":"assistant","content":"said"},{"role":"user","content":"last"}]}`
	refuses(t, modeltest.ChatCompletions, "/chat/completions", body, []change{
		{"no model", `"model":"m"`, `"model":""`},
		{"an unknown field", `"stream":true`, `"stream":true,"top_k":1`},
		{"a field given twice", `"stream":true`, `"stream":true,"stream":true`},
		{"no stream", `"stream":true`, `"stream":false`},
		{"no usage", `"include_usage":true`, `"include_usage":false`},
		{"no limit", `"max_tokens":5`, `"max_tokens":0`},
		{"two limits", `"max_tokens":5`, `"max_tokens":5,"max_completion_tokens":5`},
		{"a tool's name", `"name":"other"`, `"name":"ui.show"`},
		{"a tool's name twice", `"name":"other"`, `"name":"shell"`},
		{"an empty description", `"description":"d"`, `"description":""`},
		{"a schema without properties", `{"type":"object","properties":{}}`, `{"type":"object"}`},
		{"a schema of something else", `{"type":"object","properties":{}}`, `{"type":"array","properties":{}}`},
		{"a late system message", `{"role":"user","content":"last"}`, `{"role":"system","content":"s"},{"role":"user","content":"last"}`},
		{"an unknown role", `"role":"system"`, `"role":"boss"`},
		{"an empty text of the user", `"content":"u"`, `"content":""`},
		{"no content", `{"role":"user","content":"u"}`, `{"role":"user"}`},
		{"an empty message", `"content":"said"`, `"content":null`},
		{"an empty text of the assistant", `"content":"said"`, `"content":" "`},
		{"an empty result", `"content":"ra"`, `"content":""`},
		{"an empty id", `"id":"a"`, `"id":""`},
		{"a long id", `"id":"a"`, `"id":"` + strings.Repeat("a", 41) + `"`},
		{"an id twice", `"id":"b"`, `"id":"a"`},
		{"a call's name", `"function":{"name":"shell","arguments"`, `"function":{"name":"öl","arguments"`},
		{"arguments that are no object", `"arguments":"{}"`, `"arguments":"[]"`},
		{"arguments that are no text", `"arguments":"{}"`, `"arguments":{}`},
		{"a missing result", `{"role":"tool","tool_call_id":"b","content":"rb"},`, ``},
		{"a result of nothing", `"tool_call_id":"b"`, `"tool_call_id":"c"`},
		{"a result twice", `"tool_call_id":"b"`, `"tool_call_id":"a"`},
		{"a user between results", `{"role":"tool","tool_call_id":"b"`, `{"role":"user","content":"x"},{"role":"tool","tool_call_id":"b"`},
		{"an image in a result", `"content":"ra"`, `"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]`},
		{"an image of another type", `data:image/png`, `data:image/svg+xml`},
		{"an image that is none", `AA==`, `A`},
		{"an unknown part", `{"type":"text","text":"t"}`, `{"type":"text","text":"t","x":1}`},
		{"thoughts", `"content":"said"`, `"content":"said","reasoning_content":"x"`},
		{"the last word to the assistant", `,{"role":"user","content":"last"}`, ``},
		{"calls of the user", `"role":"user","content":"u"`, `"role":"user","content":"u","tool_call_id":"a"`},
	})
}

func TestTheServerOfMessagesIsStrict(t *testing.T) {
	const body = `{"model":"m","stream":true,"max_tokens":5,"system":[{"type":"text","text":"s"}],
"tools":[{"name":"shell","description":"d","input_schema":{"type":"object"}},{"name":"other","input_schema":{"type":"object"}}],
"messages":[{"role":"user","content":[{"type":"text","text":"u"}]},
{"role":"assistant","content":[{"type":"text","text":"said"},{"type":"tool_use","id":"a","name":"shell","input":{}},{"type":"tool_use","id":"b","name":"shell","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"ra"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"rb"}],"is_error":true},{"type":"text","text":"more"}]},
{"role":"assistant","content":[{"type":"text","text":"end"}]},{"role":"user","content":[{"type":"text","text":"last"}]}]}`
	const image = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}`
	refuses(t, modeltest.Messages, "/v1/messages", body, []change{
		{"no model", `"model":"m"`, `"model":""`},
		{"no limit", `"max_tokens":5,`, ``},
		{"an unknown field", `"stream":true`, `"stream":true,"temperature":1`},
		{"no stream", `"stream":true`, `"stream":false`},
		{"an empty system prompt", `"text":"s"`, `"text":""`},
		{"a system prompt of something else", `{"type":"text","text":"s"}`, image},
		{"a tool's name", `"name":"other"`, `"name":"ui.show"`},
		{"a tool's name twice", `"name":"other"`, `"name":"shell"`},
		{"an empty description", `"description":"d"`, `"description":""`},
		{"a schema of something else", `{"type":"object"}`, `{}`},
		{"an empty text", `"text":"u"`, `"text":""`},
		{"a blank text", `"text":"u"`, `"text":"\n\u001f"`},
		{"a content that is empty", `[{"type":"text","text":"end"}]`, `[]`},
		{"a role out of turn", `{"role":"assistant","content":[{"type":"text","text":"end"}]},`, ``},
		{"an unknown role", `"role":"assistant"`, `"role":"system"`},
		{"an unknown block", `{"type":"text","text":"end"}`, `{"type":"note","text":"end"}`},
		{"an unknown field of a block", `{"type":"text","text":"end"}`, `{"type":"text","text":"end","id":"x"}`},
		{"a wrong id", `"id":"a"`, `"id":"a b"`},
		{"an id twice", `"id":"b"`, `"id":"a"`},
		{"a call's name", `"name":"shell","input"`, `"name":"ui.show","input"`},
		{"an input that is no object", `"input":{}`, `"input":"{}"`},
		{"no input", `,"input":{}`, ``},
		{"a result of nothing", `"tool_use_id":"b"`, `"tool_use_id":"c"`},
		{"a missing result", `{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"rb"}],"is_error":true},`, ``},
		{"a result twice", `"tool_use_id":"b"`, `"tool_use_id":"a"`},
		{"a text before results", `[{"type":"tool_result","tool_use_id":"a"`, `[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a"`},
		{"an error without a text", `"content":[{"type":"text","text":"rb"}],"is_error":true`, `"is_error":true`},
		{"an error with an image", `[{"type":"text","text":"rb"}]`, `[` + image + `]`},
		{"a call in a result", `{"type":"text","text":"ra"}`, `{"type":"tool_use","id":"z","name":"shell","input":{}}`},
		{"an empty text in a result", `"text":"ra"`, `"text":""`},
		{"an image of another type", `image/png`, `image/svg+xml`},
		{"an image that is none", `AA==`, `A`},
		{"a thought that nobody has signed", `{"type":"text","text":"said"}`, `{"type":"thinking","thinking":"x","signature":"y"}`},
		{"a hidden thought of elsewhere", `{"type":"text","text":"said"}`, `{"type":"redacted_thinking","data":"y"}`},
		{"a call of the user", `{"type":"text","text":"u"}`, `{"type":"tool_use","id":"z","name":"shell","input":{}}`},
		{"the last word to the assistant", `,{"role":"user","content":[{"type":"text","text":"last"}]}`, ``},
	})
	s := modeltest.NewServer(modeltest.Messages)
	s.Key = "k"
	url, c := s.Start(t)
	if status, _ := post(t, c, url+"/v1/messages", body, map[string]string{"Anthropic-Version": ""}); status != http.StatusBadRequest {
		t.Error("taken without a version")
	}
}

func TestAServerAnswersAsItIsToldAndThenAsAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewServer(modeltest.ChatCompletions, modeltest.Answer{Text: []string{"One", "two"}, End: modeltest.KeptAlive, After: "One", Every: time.Hour})
		s.Key, s.Always = "k", modeltest.Answer{Status: 503, Words: "closed", Header: map[string]string{"Retry-After": "1"}}
		url, c := s.Connect(t)
		const body = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"u"}]}`
		status, answer := post(t, c, url+"/chat/completions", body, nil)
		if status != 200 || strings.Count(answer, ": still there") != 4 || !strings.HasSuffix(answer, "data: [DONE]\n\n") || !bytes.Contains([]byte(answer), []byte("two")) {
			t.Errorf("%d %s", status, answer)
		}
		if status, answer := post(t, c, url+"/chat/completions", body, nil); status != 503 || !strings.Contains(answer, "closed") {
			t.Errorf("%d %s", status, answer)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}
