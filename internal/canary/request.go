package canary

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request is what matters of a request, whatever its wire.
type request struct {
	marked  bool // a person's message has the Prompt
	results []result
	tools   []string
	model   string
	stream  bool
	text    string // all of it
}

type result struct{ id, text string }

// body is a request on any of the wires: each has some of the names.
type body struct {
	Model    string         `json:"model"`
	Stream   bool           `json:"stream"`
	Messages []message      `json:"messages"`
	Input    jsontext.Value `json:"input"` // a text, or messages
	Contents []message      `json:"contents"`
	Tools    []struct {
		Name      string  `json:"name"`
		Function  named   `json:"function"`
		Functions []named `json:"functionDeclarations"`
	} `json:"tools"`
}

type named struct {
	Name string `json:"name"`
}

type message struct {
	Type    string         `json:"type"`
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"` // a text, or blocks
	Parts   []block        `json:"parts"`

	ChatID     string         `json:"tool_call_id"`
	ResponseID string         `json:"call_id"`
	Output     jsontext.Value `json:"output"`
}

type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	UseID   string         `json:"tool_use_id"`
	Content jsontext.Value `json:"content"`

	Response *struct {
		ID       string         `json:"id"` // may be left out
		Response jsontext.Value `json:"response"`
	} `json:"functionResponse"`
}

func readRequest(data []byte) (request, error) {
	in, err := decode[body](data)
	if err != nil {
		return request{}, err
	}
	r := request{model: in.Model, stream: in.Stream}
	for _, t := range in.Tools {
		for _, f := range append(t.Functions, t.Function, named{t.Name}) {
			if f.Name != "" {
				r.tools = append(r.tools, f.Name)
			}
		}
	}
	all := append(in.Messages, in.Contents...)
	switch in.Input.Kind() {
	case '"':
		all = append(all, message{Role: "user", Content: in.Input})
	case '[':
		items, err := decode[[]message](in.Input)
		if err != nil {
			return request{}, err
		}
		all = append(all, items...)
	}
	for _, m := range all {
		r.add(m)
	}
	return r, nil
}

func (r *request) add(m message) {
	switch {
	case m.Role == "tool":
		r.result(m.ChatID, m.Content)
	case m.Type == "function_call_output":
		r.result(m.ResponseID, m.Output)
	case m.Role != "user":
		return
	case m.Content.Kind() == '"':
		r.user(words(m.Content))
	case m.Content.Kind() == '[':
		m.Parts, _ = decode[[]block](m.Content) // blocks of another kind say nothing
	}
	for _, b := range m.Parts {
		switch {
		case b.Type == "tool_result":
			r.result(b.UseID, b.Content)
		case b.Response != nil:
			r.result(b.Response.ID, b.Response.Response)
		default:
			r.user(b.Text)
		}
	}
}

func (r *request) user(text string) { r.marked = r.marked || strings.Contains(text, Prompt) }

// result is known by its id, or by its place where the wire has no ids.
func (r *request) result(id string, output jsontext.Value) {
	id = cmp.Or(id, fmt.Sprintf("the result at %d", len(r.results)))
	r.results = append(r.results, result{id, words(output)})
}

// words is the text of a value: the value itself, or what stands in the blocks of a list or in an object.
func words(raw jsontext.Value) string {
	var found []string
	switch raw.Kind() {
	case '"':
		text, _ := decode[string](raw)
		return text
	case '[':
		blocks, _ := decode[[]jsontext.Value](raw)
		for _, b := range blocks {
			found = append(found, words(b))
		}
	case '{':
		b, _ := decode[map[string]jsontext.Value](raw)
		for _, name := range []string{"text", "content", "output", "error"} {
			if text := words(b[name]); text != "" {
				found = append(found, text)
			}
		}
	}
	return strings.Join(found, "\n")
}

func decode[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}
