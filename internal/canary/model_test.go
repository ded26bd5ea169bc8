package canary_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/internal/canary"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T, calls ...canary.Call) *canary.Model {
	t.Helper()
	m, err := canary.Serve(calls...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func post(t *testing.T, m *canary.Model, path, body string) string {
	t.Helper()
	resp, err := client.Post(m.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", path, resp.Status, data)
	}
	return string(data)
}

// under are the texts that stand under a name, at any depth of a JSON value or of a stream of them.
func under(t *testing.T, name, body string) []string {
	t.Helper()
	var found []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for n, inner := range v {
				if text, ok := inner.(string); ok && n == name {
					found = append(found, text)
				}
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	for line := range strings.Lines(body) {
		data, streamed := strings.CutPrefix(line, "data: ")
		if strings.HasPrefix(data, "event: ") || strings.TrimSpace(data) == "" || strings.HasPrefix(data, "[DONE]") {
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatalf("streamed: %v: %v in %s", streamed, err, data)
		}
		walk(v)
	}
	return found
}

// conversation is how an agent speaks with a model, cut to what matters. STREAM and ID are filled in.
type conversation struct {
	path, streamed string // its path if it streams, where that is another
	asks, reports  string
	id, name, args string // where the call stands
	text           string // where the text stands; in a stream under another name
}

var conversations = map[string]conversation{
	"chat completions": {
		path: "/v1/chat/completions",
		asks: `{"model":"gpt-4.1","messages":[{"role":"system","content":"You are an agent."},{"role":"user","content":[{"type":"text","text":"Today.\n\nPlease run the canary."}]}],
			"tools":[{"type":"function","function":{"name":"bash","parameters":{}}}],"stream":STREAM,"stream_options":{"include_usage":true}}`,
		reports: `{"model":"gpt-4.1","messages":[{"role":"user","content":"Please run the canary."},
			{"role":"assistant","content":null,"tool_calls":[{"id":"ID","type":"function","function":{"name":"bash","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"ID","content":"it ran"}],"tools":[{"type":"function","function":{"name":"bash"}}],"stream":STREAM}`,
		id: "id", name: "name", args: "arguments", text: "content",
	},
	"responses": {
		path: "/responses",
		asks: `{"model":"gpt-5","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"Careful."}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"Please run the canary."}]}],
			"tools":[{"type":"custom","name":"apply_patch"},{"type":"function","name":"bash"},{"type":"web_search"}],"stream":STREAM}`,
		reports: `{"model":"gpt-5","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Please run the canary."}]},
			{"type":"function_call","call_id":"ID","name":"bash","arguments":"{}"},
			{"type":"function_call_output","call_id":"ID","output":"it ran"}],"tools":[{"type":"function","name":"bash"}],"stream":STREAM}`,
		id: "call_id", name: "name", args: "arguments", text: "text",
	},
	"messages": {
		path: "/v1/messages",
		asks: `{"model":"sonnet","system":[{"type":"text","text":"You are an agent."}],"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder/>"},
			{"type":"text","text":"Please run the canary.","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"bash","input_schema":{}}],"stream":STREAM}`,
		reports: `{"model":"sonnet","messages":[{"role":"user","content":"Please run the canary."},
			{"role":"assistant","content":[{"type":"tool_use","id":"ID","name":"bash","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":[{"type":"text","text":"it ran"}],"is_error":true},
			{"type":"text","text":"<system-reminder/>"}]}],"tools":[{"name":"bash"}],"stream":STREAM}`,
		id: "id", name: "name", args: "partial_json", text: "text",
	},
	"Gemini": {
		path: "/v1beta/models/gemini-2.5-flash:generateContent", streamed: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		asks: `{"contents":[{"role":"user","parts":[{"text":"<session_context>"},{"text":"Please run the canary."}]}],
			"tools":[{"functionDeclarations":[{"name":"glob"},{"name":"bash"}]}]}`,
		reports: `{"contents":[{"role":"user","parts":[{"text":"Please run the canary."}]},
			{"role":"model","parts":[{"functionCall":{"id":"ID","name":"bash","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"id":"ID","name":"bash","response":{"output":"it ran"}}}]}],"tools":[{"functionDeclarations":[{"name":"bash"}]}]}`,
		id: "id", name: "name", args: "command", text: "text",
	},
}

func (c conversation) send(t *testing.T, m *canary.Model, body, id string, stream bool) string {
	t.Helper()
	path := c.path
	if stream && c.streamed != "" {
		path = c.streamed
	}
	body = strings.ReplaceAll(strings.ReplaceAll(body, "ID", id), "STREAM", map[bool]string{true: "true", false: "false"}[stream])
	return post(t, m, path, body)
}

func TestAModelMakesItsCallOnEveryWireAndKeepsWhatComesBack(t *testing.T) {
	for name, c := range conversations {
		for _, stream := range []bool{false, true} {
			m := serve(t, canary.Call{Tool: "bash", Args: []byte(`{"command":"ls"}`)})
			asked := c.send(t, m, c.asks, "", stream)
			ids := under(t, c.id, asked)
			at := slices.IndexFunc(ids, func(id string) bool { return strings.HasPrefix(id, "call_0") || strings.HasPrefix(id, "toolu_0") })
			if at < 0 || !slices.Contains(under(t, c.name, asked), "bash") || !strings.Contains(asked, "ls") {
				t.Fatalf("%s, streamed %v: no call in %s", name, stream, asked)
			}
			if told := under(t, c.args, asked); stream && !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, "ls") }) {
				t.Errorf("%s: the stream has no arguments: %s", name, asked)
			}
			reported := c.send(t, m, c.reports, ids[at], stream)
			if !slices.Contains(append(under(t, c.text, reported), under(t, "delta", reported)...), "done") {
				t.Errorf("%s, streamed %v: no words after the result: %s", name, stream, reported)
			}
			c.send(t, m, c.reports, ids[at], stream) // once more, as after a broken connection
			if diff := cmp.Diff([]string{"it ran"}, m.Results()); diff != "" {
				t.Errorf("%s, streamed %v: results: %s", name, stream, diff)
			}
			if m.Asked() != 3 || len(m.Missing()) != 0 {
				t.Errorf("%s: asked %d times, missing %q", name, m.Asked(), m.Missing())
			}
		}
	}
}

func TestAModelMakesOneCallAfterAnother(t *testing.T) {
	bash := func(line string) canary.Call {
		return canary.Call{Tool: "bash", Args: []byte(`{"command":"` + line + `"}`)}
	}
	m, c := serve(t, bash("first"), bash("second")), conversations["messages"]
	first := c.send(t, m, c.asks, "", false)
	second := c.send(t, m, c.reports, under(t, "id", first)[0], false)
	if !strings.Contains(first, "first") || !strings.Contains(second, "second") {
		t.Errorf("not in order: %s then %s", first, second)
	}
}

func TestAModelSaysAWordToWhatIsNotTheCanary(t *testing.T) {
	m := serve(t, canary.Call{Tool: "bash", Args: []byte(`{}`)})
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"Hello"}],"tools":[{"name":"bash"}]}`,
		`{"messages":[{"role":"user","content":"A title for: Please run the canary."}]}`,
		`{"messages":[{"role":"assistant","content":"Please run the canary."}],"tools":[{"name":"bash"}]}`,
	} {
		if got := under(t, "text", post(t, m, "/v1/messages?beta=true", body)); !slices.Contains(got, "done") {
			t.Errorf("%s: %q", body, got)
		}
	}
	if m.Asked() != 0 {
		t.Errorf("%d of them were taken for the canary", m.Asked())
	}
}

func TestAModelCallsOnlyWhatIsOffered(t *testing.T) {
	m := serve(t, canary.Call{Tool: "Bash", Args: []byte(`{}`)})
	c := conversations["messages"]
	want := []string{`the tool Bash is not offered, only ["bash"]`}
	if diff := cmp.Diff(want, under(t, "text", c.send(t, m, c.asks, "", false))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, m.Missing()); diff != "" {
		t.Error(diff)
	}
}

func TestAModelListsItselfAndCountsAndRefusesTheRest(t *testing.T) {
	m := serve(t)
	if got := under(t, "id", post(t, m, "/v1/models", "")); !slices.Contains(got, "canary") {
		t.Errorf("models: %q", got)
	}
	for path, want := range map[string]string{
		"/v1/messages/count_tokens":         `{"input_tokens":1}`,
		"/v1beta/models/gemini:countTokens": `{"totalTokens":1}`,
	} {
		if got := post(t, m, path, "{}"); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	for path, want := range map[string]int{"/login": http.StatusNotFound, "/v1/responses": http.StatusBadRequest} {
		resp, err := client.Post(m.URL()+path, "application/json", strings.NewReader("?"))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}
