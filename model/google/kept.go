package google

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// kept is what stands in Reply.Kept: the parts of the message in their order.
type kept struct {
	remote.Origin `json:",inline"`
	Parts         []keptPart `json:"parts"`
}

// keptPart stands for one part: a thought as it came, the next call of the message, or
// the next Text bytes of its text. Its signature may be empty.
type keptPart struct {
	Thought   *string `json:"thought,omitzero"`
	Call      bool    `json:"call,omitzero"`
	Text      int     `json:"text,omitzero"`
	Signature string  `json:"signature,omitzero"`
}

// value is the JSON of k; empty if nothing is signed. Thoughts without a signature are
// for people only.
func (k kept) value() (tool.JSON, error) {
	k.Parts = slices.DeleteFunc(k.Parts, func(p keptPart) bool { return p.Thought != nil && p.Signature == "" })
	if !slices.ContainsFunc(k.Parts, func(p keptPart) bool { return p.Signature != "" }) {
		return nil, nil
	}
	raw, err := json.Marshal(k, remote.Lenient(), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("google: signatures: %w", err)
	}
	return raw, nil
}

// readKept reads what a message has kept. What is malformed, of another origin, or does
// not fit the message's text and calls is left out.
func readKept(said model.Message, here remote.Origin) []keptPart {
	var k kept
	if len(said.Kept) == 0 || strictjson.Decode(said.Kept, &k) != nil || k.Origin != here {
		return nil
	}
	pieces := make([]remote.Piece, len(k.Parts))
	for i, p := range k.Parts {
		if p.Thought != nil && p.Signature == "" {
			return nil
		}
		pieces[i] = remote.Piece{Thought: p.Thought != nil, Call: p.Call, Text: p.Text}
	}
	if !remote.Whole(said, pieces) {
		return nil
	}
	return k.Parts
}
