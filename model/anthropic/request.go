package anthropic

import (
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

type body struct {
	Model     string      `json:"model"`
	MaxTokens int         `json:"max_tokens"`
	System    []textBlock `json:"system,omitempty"`
	Messages  []turn      `json:"messages"`
	Tools     []toolDef   `json:"tools,omitempty"`
	Stream    bool        `json:"stream"`
}

// turn is a message. Its content are the types of this file that end in Block, and
// thoughts as they came.
type turn struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type imageBlock struct {
	Type   string `json:"type"`
	Source source `json:"source"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

type callBlock struct {
	Type  string    `json:"type"`
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input tool.JSON `json:"input"`
}

type resultBlock struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   []any  `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitzero"`
}

type toolDef struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	InputSchema tool.JSON `json:"input_schema"`
}

// request is the body in which a prompt is sent.
func (m *Model) request(p model.Prompt) body {
	b := body{Model: m.server.Options.Model, MaxTokens: m.server.Options.MaxTokens, Messages: m.turns(p.Messages), Stream: true}
	if !remote.Blank(p.System) {
		b.System = []textBlock{text(p.System)}
	}
	for _, t := range p.Tools {
		b.Tools = append(b.Tools, toolDef{Name: model.WireName(t.Name), Description: t.Description, InputSchema: remote.Schema(t.Schema)})
	}
	return b
}

// turns makes messages whose roles alternate. Results of tools stand in a message of
// the user, before anything else.
func (m *Model) turns(said []model.Message) []turn {
	var all []turn
	var later []any // images that follow the results
	add := func(role string, blocks ...any) {
		if len(blocks) == 0 {
			return
		}
		if n := len(all); n > 0 && all[n-1].Role == role {
			all[n-1].Content = append(all[n-1].Content, blocks...)
			return
		}
		all = append(all, turn{Role: role, Content: blocks})
	}
	for _, s := range said {
		if s.Role != model.ToolRole {
			add("user", later...)
			later = nil
		}
		switch s.Role {
		case model.User:
			add("user", text(remote.OrNote(s.Text)))
		case model.Assistant:
			add("assistant", m.assistant(s)...)
		case model.ToolRole:
			result, rest := result(s)
			add("user", result)
			later = append(later, rest...)
		}
	}
	add("user", later...)
	return all
}

// assistant is a message of the model in the order in which it came. If that is not
// known, the text stands before the calls.
func (m *Model) assistant(said model.Message) []any {
	order := readKept(said, m.origin)
	if order == nil {
		order = []keptBlock{{Text: len(said.Text)}}
		for range said.Calls {
			order = append(order, keptBlock{Call: true})
		}
	}
	var blocks []any
	rest, calls := said.Text, said.Calls
	speaks := false
	for _, o := range order {
		switch {
		case len(o.Thought) > 0:
			blocks = append(blocks, o.Thought)
		case o.Call:
			c := calls[0]
			blocks = append(blocks, callBlock{Type: "tool_use", ID: c.ID, Name: model.WireName(c.Name), Input: remote.Arguments(c.Args)})
			calls, speaks = calls[1:], true
		default:
			if piece := rest[:o.Text]; !remote.Blank(piece) {
				blocks = append(blocks, text(piece))
				speaks = true
			}
			rest = rest[o.Text:]
		}
	}
	if !speaks {
		return nil // servers refuse a message of thoughts alone
	}
	return blocks
}

// result is a tool's result. An error must have a text and nothing else, so its images
// are returned as rest, to follow the results.
func result(said model.Message) (block resultBlock, rest []any) {
	block = resultBlock{Type: "tool_result", ToolUseID: said.CallID, IsError: said.IsError}
	if said.IsError {
		block.Content = []any{text(remote.OrNote(said.Text))}
		if len(said.Images) > 0 {
			rest = append([]any{text(remote.ImagesTitle(said.CallID))}, images(said.Images)...)
		}
		return block, rest
	}
	if !remote.Blank(said.Text) {
		block.Content = []any{text(said.Text)}
	}
	block.Content = append(block.Content, images(said.Images)...)
	return block, nil
}

func images(all []tool.Image) []any {
	var blocks []any
	for _, image := range all {
		if ok, mark := remote.CanShow(image); !ok {
			blocks = append(blocks, text(mark))
			continue
		}
		blocks = append(blocks, imageBlock{Type: "image", Source: source{Type: "base64", MediaType: image.MIME, Data: image.Data}})
	}
	return blocks
}

func text(s string) textBlock { return textBlock{Type: "text", Text: s} }
