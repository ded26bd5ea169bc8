package anthropic

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model/remote"
)

// block is a part of a message, as far as it has arrived. text is a text, a thought,
// or the arguments of a call.
type block struct {
	index     int
	kind      string
	id, name  string
	text      strings.Builder
	input     jsontext.Value // of a call: the arguments, if the block began with them
	signature string
	start     jsontext.Value // of a thought: the block as it began
}

// startBlock adds a block as it begins.
func (a *answer) startBlock(index int, start jsontext.Value) {
	var s struct {
		Type      string         `json:"type"`
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Text      string         `json:"text"`
		Thinking  string         `json:"thinking"`
		Signature string         `json:"signature"`
		Input     jsontext.Value `json:"input"`
	}
	if start.Kind() != '{' || json.Unmarshal(start, &s, remote.Lenient()) != nil {
		return
	}
	b := &block{index: index, kind: s.Type, id: s.ID, name: s.Name, input: s.Input.Clone(), signature: s.Signature, start: start.Clone()}
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
func (b *block) arguments() jsontext.Value {
	switch {
	case strings.TrimSpace(b.text.String()) != "":
		return jsontext.Value(b.text.String())
	case b.input.Kind() == '{':
		return b.input
	}
	return jsontext.Value("{}")
}

// thought is the block as it is sent back.
func (b *block) thought() (jsontext.Value, error) {
	var fields map[string]jsontext.Value
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
