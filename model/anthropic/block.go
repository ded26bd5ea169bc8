package anthropic

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// block is a part of a message, as far as it has arrived. text is a text, a thought,
// or the arguments of a call.
type block struct {
	index     int
	kind      string
	id, name  string
	text      strings.Builder
	input     tool.JSON // of a call: the arguments, if the block began with them
	signature string
	start     tool.JSON // of a thought: the block as it began
}

// startBlock adds a block as it begins.
func (a *answer) startBlock(index int, start tool.JSON) {
	var s struct {
		Type      string    `json:"type"`
		ID        string    `json:"id"`
		Name      string    `json:"name"`
		Text      string    `json:"text"`
		Thinking  string    `json:"thinking"`
		Signature string    `json:"signature"`
		Input     tool.JSON `json:"input"`
	}
	if strictjson.Kind(start) != '{' || json.Unmarshal(start, &s, remote.Lenient()) != nil {
		return
	}
	b := &block{index: index, kind: s.Type, id: s.ID, name: s.Name, input: bytes.Clone(s.Input), signature: s.Signature, start: bytes.Clone(start)}
	b.text.WriteString(s.Text)
	b.text.WriteString(s.Thinking)
	a.blocks = append(a.blocks, b)
	if b.kind == "text" {
		a.Say(s.Text)
	}
}

// extendBlock adds a piece to the block of that index.
func (a *answer) extendBlock(index int, d delta) {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		b := a.blocks[i]
		if b.index != index {
			continue
		}
		piece := d.Text + d.Thinking + d.PartialJSON // a delta has one of the three
		b.text.WriteString(piece)
		b.signature += d.Signature
		if b.kind == "text" {
			a.Say(piece)
		}
		return
	}
}

// arguments are as the model wrote them. They come in pieces, or whole at the start.
func (b *block) arguments() tool.JSON {
	switch {
	case strings.TrimSpace(b.text.String()) != "":
		return tool.JSON(b.text.String())
	case strictjson.Kind(b.input) == '{':
		return b.input
	}
	return tool.JSON("{}")
}

// thought is the block as it is sent back.
func (b *block) thought() (tool.JSON, error) {
	var fields map[string]tool.JSON
	if err := json.Unmarshal(b.start, &fields, remote.Lenient()); err != nil {
		return nil, fmt.Errorf("anthropic: a thought: %w", err)
	}
	if b.kind == "thinking" {
		for name, text := range map[string]string{"thinking": b.text.String(), "signature": b.signature} {
			raw, err := json.Marshal(text, remote.Lenient())
			if err != nil {
				return nil, fmt.Errorf("anthropic: a thought: %w", err)
			}
			fields[name] = raw
		}
	}
	raw, err := json.Marshal(fields, remote.Lenient(), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("anthropic: a thought: %w", err)
	}
	return raw, nil
}
