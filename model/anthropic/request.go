package anthropic

import (
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

// nothing stands where there has to be a text, and is none.
const nothing = "(no text)"

type body struct {
	Model     string      `json:"model"`
	MaxTokens int         `json:"max_tokens"`
	System    []textBlock `json:"system,omitempty"`
	Messages  []turn      `json:"messages"`
	Tools     []toolDef   `json:"tools,omitempty"`
	Stream    bool        `json:"stream"`
}

// turn is a message. Its content has the types of this file that end in Block,
// and thoughts as they came.
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
	Type  string         `json:"type"`
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
}

type resultBlock struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   []any  `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitzero"`
}

type toolDef struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	InputSchema jsontext.Value `json:"input_schema"`
}

// request is the body that a prompt is sent as.
func (m *Model) request(p model.Prompt) ([]byte, error) {
	b := body{Model: m.options.Model, MaxTokens: m.options.MaxTokens, Messages: m.turns(p.Messages), Stream: true}
	if !blank(p.System) {
		b.System = []textBlock{text(p.System)}
	}
	for _, t := range p.Tools {
		b.Tools = append(b.Tools, toolDef{Name: model.WireName(t.Name), Description: t.Description, InputSchema: schema(t.Schema)})
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
		return fmt.Errorf("anthropic: write the request: %w", err)
	}
	return nil
}

// turns makes messages whose roles take turns. Results of tools are part of the
// user's, before anything else in it.
func (m *Model) turns(said []model.Message) []turn {
	var all []turn
	var later []any // what follows the results of a turn
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
			add("user", orNothing(s.Text))
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

// assistant is a message of the model in the order in which it was said, or, if
// that is not known, the text before the calls.
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
			blocks = append(blocks, callBlock{Type: "tool_use", ID: c.ID, Name: model.WireName(c.Name), Input: input(c.Args)})
			calls, speaks = calls[1:], true
		default:
			if piece := rest[:o.Text]; !blank(piece) {
				blocks = append(blocks, text(piece))
				speaks = true
			}
			rest = rest[o.Text:]
		}
	}
	if !speaks {
		return nil // thoughts alone are no message
	}
	return blocks
}

// input is a call's arguments, which have to be an object: what a model once
// wrote instead is sent as a text in one.
func input(args jsontext.Value) jsontext.Value {
	if blank(string(args)) {
		return jsontext.Value("{}")
	}
	if object, err := strictjson.Object(args); err == nil {
		return object
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": string(args)}, lenient())
	if err != nil {
		return jsontext.Value("{}")
	}
	return wrapped
}

// result is a tool's result. One that is an error has to have a text, and may
// have nothing else: its images are the rest, which follows the results.
func result(said model.Message) (block resultBlock, rest []any) {
	block = resultBlock{Type: "tool_result", ToolUseID: said.CallID, IsError: said.IsError}
	if said.IsError {
		block.Content = []any{orNothing(said.Text)}
		if len(said.Images) > 0 {
			rest = append([]any{text(fmt.Sprintf("Images in the result of the call %s:", said.CallID))}, images(said.Images)...)
		}
		return block, rest
	}
	if !blank(said.Text) {
		block.Content = []any{text(said.Text)}
	}
	block.Content = append(block.Content, images(said.Images)...)
	return block, nil
}

func images(all []tool.Image) []any {
	var blocks []any
	for _, image := range all {
		if len(image.Data) == 0 || !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, image.MIME) {
			blocks = append(blocks, text(fmt.Sprintf("(an image of the type %q, which can't be shown)", image.MIME)))
			continue
		}
		blocks = append(blocks, imageBlock{Type: "image", Source: source{Type: "base64", MediaType: image.MIME, Data: image.Data}})
	}
	return blocks
}

// schema is a tool's schema, which has to say that it is an object's. What is
// none becomes that of any object.
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
	if string(fields["type"]) == `"object"` {
		return object
	}
	fields["type"] = jsontext.Value(`"object"`)
	whole, err := json.Marshal(fields, json.Deterministic(true))
	if err != nil {
		return anything
	}
	return whole
}

func text(s string) textBlock { return textBlock{Type: "text", Text: s} }

func orNothing(s string) textBlock {
	if blank(s) {
		return text(nothing)
	}
	return text(s)
}

// blank reports whether a text has only spaces, and what the API takes for them:
// such a text is refused.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) })
}
