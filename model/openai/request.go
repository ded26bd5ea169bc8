package openai

import (
	"encoding/base64"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

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
	Role       string      `json:"role"`
	Content    any         `json:"content,omitzero"` // a text, or parts
	ToolCalls  []toolCall  `json:"tool_calls,omitempty"`
	ToolCallID string      `json:"tool_call_id,omitempty"`
	Details    []tool.JSON `json:"reasoning_details,omitempty"`
	Reasoning  string      `json:"reasoning_content,omitempty"`
}

type toolCall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function calledFunction `json:"function"`
	Extra    tool.JSON      `json:"extra_content,omitempty"`
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
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Parameters  tool.JSON `json:"parameters"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// request is the body in which a prompt is sent.
func (m *Model) request(p model.Prompt) body {
	b := body{Model: m.server.Options.Model, Messages: m.messages(p), Stream: true, StreamOptions: streamed{IncludeUsage: true}}
	for _, t := range p.Tools {
		b.Tools = append(b.Tools, toolDef{Type: "function", Function: function{
			Name: model.WireName(t.Name), Description: t.Description, Parameters: remote.Schema(t.Schema),
		}})
	}
	if m.itself {
		b.MaxCompletionTokens = m.server.Options.MaxTokens // OpenAI's reasoning models accept no other
	} else {
		b.MaxTokens = m.server.Options.MaxTokens
	}
	return b
}

func (m *Model) messages(p model.Prompt) []message {
	var all []message
	if !remote.Blank(p.System) {
		all = append(all, message{Role: "system", Content: p.System})
	}
	turn := 0 // the index of the user's last message; after it, tools are called
	for i, said := range p.Messages {
		if said.Role == model.User {
			turn = i
		}
	}
	var shown []part // images of results, which follow the last of them
	for i, said := range p.Messages {
		if said.Role != model.ToolRole {
			all, shown = addImages(all, shown), nil
		}
		switch said.Role {
		case model.User:
			all = append(all, message{Role: "user", Content: remote.OrNote(said.Text)})
		case model.Assistant:
			if !remote.Blank(said.Text) || len(said.Calls) > 0 {
				all = append(all, m.assistant(said, i > turn))
			}
		case model.ToolRole:
			all = append(all, message{Role: "tool", ToolCallID: said.CallID, Content: remote.Result(said)})
			shown = append(shown, images(said)...)
		}
	}
	return addImages(all, shown)
}

// addImages adds images of results as a message of the user.
func addImages(all []message, shown []part) []message {
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
	if !remote.Blank(said.Text) {
		a.Content = said.Text
	}
	for i, c := range said.Calls {
		a.ToolCalls = append(a.ToolCalls, toolCall{
			ID: c.ID, Type: "function", Extra: k.extra(i),
			Function: calledFunction{Name: model.WireName(c.Name), Arguments: string(remote.Arguments(c.Args))},
		})
	}
	return a
}

func images(said model.Message) []part {
	if len(said.Images) == 0 {
		return nil
	}
	parts := []part{{Type: "text", Text: remote.ImagesTitle(said.CallID)}}
	for _, image := range said.Images {
		if ok, mark := remote.CanShow(image); !ok {
			parts = append(parts, part{Type: "text", Text: mark})
			continue
		}
		url := "data:" + image.MIME + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
		parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{URL: url}})
	}
	return parts
}
