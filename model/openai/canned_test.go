package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/openai"
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
func (c *canned) ask(t testing.TB, o openai.Options, p model.Prompt) (model.Reply, error) {
	t.Helper()
	if o.Model == "" {
		o.Model = "test-1"
	}
	o.Retries, o.HTTPClient = -1, &http.Client{Transport: c}
	m, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Generate(t.Context(), p, nil)
}

// stream makes a body of events.
func stream(events ...string) string {
	return "data: " + strings.Join(append(events, "[DONE]"), "\n\ndata: ") + "\n\n"
}

func prompt(messages ...model.Message) model.Prompt {
	return model.Prompt{
		Messages: append([]model.Message{{Role: model.User, Text: "Go on."}}, messages...),
		Tools:    []tool.Spec{{Name: "ui.show"}, {Name: "shell"}},
	}
}

const stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func args(text string) jsontext.Value { return jsontext.Value(text) }
