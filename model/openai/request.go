package openai

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// nothing stands where a text would be empty, which some servers refuse.
const nothing = "(no text)"

type body struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	Tools               []toolDef `json:"tools,omitempty"`
	Stream              bool      `json:"stream"`
	StreamOptions       streamed  `json:"stream_options"`
	MaxTokens           int       `json:"max_tokens,omitzero"`
	MaxCompletionTokens int       `json:"max_completion_tokens,omitzero"`
}

type streamed struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string           `json:"role"`
	Content    any              `json:"content,omitzero"` // a text, or parts
	ToolCalls  []toolCall       `json:"tool_calls,omitempty"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
	Details    []jsontext.Value `json:"reasoning_details,omitempty"`
	Reasoning  string           `json:"reasoning_content,omitempty"`
}

type toolCall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function calledFunction `json:"function"`
	Extra    jsontext.Value `json:"extra_content,omitempty"`
}

type calledFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type toolDef struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  jsontext.Value `json:"parameters"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// request is the body that a prompt is sent as.
func (m *Model) request(p model.Prompt) ([]byte, error) {
	b := body{Model: m.options.Model, Messages: m.messages(p), Stream: true, StreamOptions: streamed{IncludeUsage: true}}
	for _, t := range p.Tools {
		b.Tools = append(b.Tools, toolDef{Type: "function", Function: function{
			Name: model.WireName(t.Name), Description: t.Description, Parameters: schema(t.Schema),
		}})
	}
	if m.options.BaseURL == "" {
		b.MaxCompletionTokens = m.options.MaxTokens // OpenAI's thinking models take no other
	} else {
		b.MaxTokens = m.options.MaxTokens
	}
	raw, err := json.Marshal(b, lenient())
	if err != nil || len(m.parameters) == 0 {
		return raw, wrap(err)
	}
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, wrap(err)
	}
	maps.Copy(fields, m.parameters)
	maps.DeleteFunc(fields, func(_ string, v jsontext.Value) bool { return v.Kind() == 'n' })
	raw, err = json.Marshal(fields, json.Deterministic(true))
	return raw, wrap(err)
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("openai: write the request: %w", err)
	}
	return nil
}

func (m *Model) messages(p model.Prompt) []message {
	var all []message
	if !blank(p.System) {
		all = append(all, message{Role: "system", Content: p.System})
	}
	turn := 0 // where the user's last message stands: what follows is a loop of tools
	for i, said := range p.Messages {
		if said.Role == model.User {
			turn = i
		}
	}
	var shown []part // the images of the results so far
	for i, said := range p.Messages {
		if said.Role != model.ToolRole {
			all, shown = show(all, shown), nil
		}
		switch said.Role {
		case model.User:
			all = append(all, message{Role: "user", Content: text(said.Text)})
		case model.Assistant:
			if !blank(said.Text) || len(said.Calls) > 0 {
				all = append(all, m.assistant(said, i > turn))
			}
		case model.ToolRole:
			all = append(all, message{Role: "tool", ToolCallID: said.CallID, Content: result(said)})
			shown = append(shown, images(said)...)
		}
	}
	return show(all, shown)
}

// show adds the images of results as a message of the user.
func show(all []message, shown []part) []message {
	if len(shown) == 0 {
		return all
	}
	return append(all, message{Role: "user", Content: shown})
}

func (m *Model) assistant(said model.Message, inLoop bool) message {
	k := readKept(said.Kept, m.origin)
	a := message{Role: "assistant", Details: k.Details}
	if inLoop {
		a.Reasoning = k.Reasoning
	}
	if !blank(said.Text) {
		a.Content = said.Text
	}
	for i, c := range said.Calls {
		a.ToolCalls = append(a.ToolCalls, toolCall{
			ID: c.ID, Type: "function", Extra: k.extra(i),
			Function: calledFunction{Name: model.WireName(c.Name), Arguments: arguments(c.Args)},
		})
	}
	return a
}

// arguments are sent as they are if they are an object. Many servers read them,
// and refuse a history in which a model once wrote something else: that is sent
// as a text in an object.
func arguments(args jsontext.Value) string {
	if blank(string(args)) {
		return "{}"
	}
	if _, err := strictjson.Object(args); err == nil {
		return string(args)
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": string(args)}, lenient())
	if err != nil {
		return "{}"
	}
	return string(wrapped)
}

func result(said model.Message) string {
	if said.IsError {
		return "Error: " + text(said.Text)
	}
	return text(said.Text)
}

func images(said model.Message) []part {
	if len(said.Images) == 0 {
		return nil
	}
	parts := []part{{Type: "text", Text: fmt.Sprintf("Images in the result of the call %s:", said.CallID)}}
	for _, image := range said.Images {
		if !takes(image) {
			parts = append(parts, part{Type: "text", Text: fmt.Sprintf("(an image of the type %q, which can't be shown)", image.MIME)})
			continue
		}
		url := "data:" + image.MIME + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
		parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{URL: url}})
	}
	return parts
}

// takes reports whether providers read an image of this type.
func takes(image tool.Image) bool {
	return len(image.Data) > 0 && slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, image.MIME)
}

// schema is a tool's schema with what servers ask for: that it is an object's,
// and has properties. What is none becomes that of any object.
func schema(v jsontext.Value) jsontext.Value {
	anything := jsontext.Value(`{"type":"object","properties":{}}`)
	object, err := strictjson.Object(v)
	if err != nil {
		return anything
	}
	var fields map[string]jsontext.Value
	if json.Unmarshal(object, &fields) != nil {
		return anything
	}
	if string(fields["type"]) == `"object"` && fields["properties"].Kind() == '{' {
		return object
	}
	fields["type"] = jsontext.Value(`"object"`)
	if fields["properties"].Kind() != '{' {
		fields["properties"] = jsontext.Value(`{}`)
	}
	whole, err := json.Marshal(fields, json.Deterministic(true))
	if err != nil {
		return anything
	}
	return whole
}

func text(s string) string {
	if blank(s) {
		return nothing
	}
	return s
}

// blank reports whether a text has only spaces, and what servers written in
// Python take for them.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) })
}
