// Package model says what a language model is to an agent: a Prompt goes in, a
// stream of Deltas and one Reply come out. A model never runs a tool and knows
// nothing of approvals. Each provider is a package below this one; modeltest is
// the contract that all of them pass.
package model

import (
	"context"

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
	Calls   []Call       // of an assistant message
	Kept    tool.JSON    // of an assistant message: the Kept of its Reply
	CallID  string       // of a tool message: the call that it answers
	IsError bool         // of a tool message
	Images  []tool.Image // of a tool message
}

// Call is a model's wish to run a tool. In a Reply, ID is the provider's own
// and may be empty or repeated; in a Prompt it is one of ours, which is unique. Args
// of a Reply are as the model wrote them, and may be no JSON at all.
type Call struct {
	ID   string
	Name string
	Args tool.JSON
}

// Prompt is what a model is asked to continue. It begins with a message of the
// user, and the results of a reply's calls follow it at once, in their order.
type Prompt struct {
	System   string
	Messages []Message
	Tools    []tool.Spec
}

// Delta is a piece of the reply's text, given as soon as it is there.
type Delta struct{ Text string }

// Reply is a whole answer: text, tool calls, or both.
type Reply struct {
	Text      string
	Reasoning string    // what the model tells of its thoughts; for people
	Calls     []Call    // in the model's order
	Kept      tool.JSON // what the provider wants back with this message, in its own form; empty: nothing
	Stop      Stop
	Usage     Usage
}

// Stop says why a reply ended.
type Stop string

// The reasons. The zero value is the usual one: all is said, or tools are called.
const (
	StopDone    Stop = ""
	StopLength  Stop = "length"  // the reply's own limit of tokens: it is cut off
	StopRefused Stop = "refused" // the provider's filter, or the model itself
)

// Usage is what a reply has cost, in tokens.
type Usage struct {
	Input  int64 `json:"input,omitzero"`  // all that was read, Cached included
	Cached int64 `json:"cached,omitzero"` // of Input: what the provider had read before
	Output int64 `json:"output,omitzero"` // all that was written, thoughts included
}

// Model continues conversations. Generate calls onDelta, from its own
// goroutine and in order, for each piece of text; the pieces together are
// Reply.Text. It returns soon after ctx ends. With an error the Reply has the
// Usage, as far as it is known. What a provider refuses or can't
// do is one of the errors of this package.
type Model interface {
	Generate(ctx context.Context, p Prompt, onDelta func(Delta)) (Reply, error)
}

// Checker is implemented by models that can find out, without a conversation,
// whether they can be used.
type Checker interface {
	// Check says what it has found, in words, or why the model can't be used.
	Check(ctx context.Context) (found string, err error)
}
