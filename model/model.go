// Package model says what a language model is to an agent: a Prompt goes in, a
// stream of Deltas and one Reply come out. A model never runs a tool and knows
// nothing of approvals. Each provider is a package below this one.
package model

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/tool"
)

// Role says who a message is from.
type Role string

// The roles that a model reads.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of the conversation.
type Message struct {
	Role    Role
	Text    string
	Calls   []Call // of an assistant message
	CallID  string // of a tool message: the call that it answers
	IsError bool   // of a tool message
}

// Call is a model's wish to run a tool. In a Reply, ID is the provider's own
// and may be empty or repeated; in a Prompt it is the one that we minted.
type Call struct {
	ID   string
	Name string
	Args jsontext.Value
}

// Prompt is what a model is asked to continue.
type Prompt struct {
	System   string
	Messages []Message
	Tools    []tool.Spec
}

// Delta is a piece of the reply's text, given as soon as it is there.
type Delta struct{ Text string }

// Reply is a whole answer: text, tool calls, or both.
type Reply struct {
	Text  string
	Calls []Call
}

// Model continues conversations. Generate calls onDelta, from its own
// goroutine and in order, for each piece of text; the pieces together are
// Reply.Text. It returns soon after ctx ends.
type Model interface {
	Generate(ctx context.Context, p Prompt, onDelta func(Delta)) (Reply, error)
}
