package anthropic_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/anthropic"
	"github.com/lineclear/lineclear/tool"
)

// canned answers every request with one body, and keeps the newest request.
type canned struct {
	status int
	answer string
	sent   string
	url    string
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.sent, c.url = string(raw), r.URL.String()
	status := c.status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.answer)), Request: r}, nil
}

// ask sends a prompt to a model whose server answers so.
func (c *canned) ask(t testing.TB, o anthropic.Options, p model.Prompt) (model.Reply, error) {
	t.Helper()
	if o.Model == "" {
		o.Model = "test-1"
	}
	o.Retries, o.HTTPClient = -1, &http.Client{Transport: c}
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Generate(t.Context(), p, nil)
}

// stream makes a body of events between the first and the last.
func stream(events ...string) string {
	all := append([]string{`{"type":"message_start","message":{"type":"message","role":"assistant","content":[]}}`}, events...)
	all = append(all, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)
	return "event: x\ndata: " + strings.Join(all, "\n\nevent: x\ndata: ") + "\n\n"
}

// block makes the events of one block.
func block(index, start string, deltas ...string) string {
	all := []string{`{"type":"content_block_start","index":` + index + `,"content_block":` + start + `}`}
	for _, d := range deltas {
		all = append(all, `{"type":"content_block_delta","index":`+index+`,"delta":`+d+`}`)
	}
	return strings.Join(append(all, `{"type":"content_block_stop","index":`+index+`}`), "\n\nevent: x\ndata: ")
}

func prompt(messages ...model.Message) model.Prompt {
	return model.Prompt{
		Messages: append([]model.Message{{Role: model.User, Text: "Go on."}}, messages...),
		Tools:    []tool.Spec{{Name: "ui.show"}, {Name: "shell"}},
	}
}

func args(text string) jsontext.Value { return jsontext.Value(text) }
