package anthropic

import (
	"fmt"
	"slices"

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
	pieces := make([]remote.Piece, len(k.Blocks))
	for i, b := range k.Blocks {
		if len(b.Thought) > 0 && !isThought(b.Thought) {
			return nil
		}
		pieces[i] = remote.Piece{Thought: len(b.Thought) > 0, Call: b.Call, Text: b.Text}
	}
	if !remote.Whole(said, pieces) {
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
