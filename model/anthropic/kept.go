package anthropic

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// kept is what stands in Reply.Kept: the blocks of the message in their order.
type kept struct {
	remote.Origin `json:",inline"`
	Blocks        []keptBlock `json:"blocks"`
}

// keptBlock stands for one block: a thought as it came, the next Text bytes of the
// message's text, or its next call.
type keptBlock struct {
	Thought tool.JSON `json:"thought,omitempty"`
	Text    int       `json:"text,omitzero"`
	Call    bool      `json:"call,omitzero"`
}

// value is the JSON of k; empty if there are no thoughts.
func (k kept) value() (tool.JSON, error) {
	if !slices.ContainsFunc(k.Blocks, func(b keptBlock) bool { return len(b.Thought) > 0 }) {
		return nil, nil
	}
	raw, err := json.Marshal(k, remote.Lenient(), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("anthropic: thoughts: %w", err)
	}
	return raw, nil
}

// readKept reads what a message has kept. What is malformed, of another origin, or does
// not fit the message's text and calls is left out.
func readKept(said model.Message, here remote.Origin) []keptBlock {
	var k kept
	if len(said.Kept) == 0 || strictjson.Decode(said.Kept, &k) != nil || k.Origin != here {
		return nil
	}
	text, calls := 0, 0
	for _, b := range k.Blocks {
		switch {
		case len(b.Thought) > 0:
			if b.Text != 0 || b.Call || !isThought(b.Thought) {
				return nil
			}
		case b.Call:
			calls++
		default:
			if b.Text < 0 || b.Text > len(said.Text)-text {
				return nil
			}
			if text += b.Text; text < len(said.Text) && !utf8.RuneStart(said.Text[text]) {
				return nil
			}
		}
	}
	if text != len(said.Text) || calls != len(said.Calls) {
		return nil
	}
	return k.Blocks
}

// isThought reports whether a block is a whole thought. Servers refuse one without
// its signature.
func isThought(v tool.JSON) bool {
	var b struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
		Data      string `json:"data"`
	}
	if strictjson.Kind(v) != '{' || json.Unmarshal(v, &b) != nil {
		return false
	}
	return b.Type == "thinking" && b.Signature != "" || b.Type == "redacted_thinking" && b.Data != ""
}
