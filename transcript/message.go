package transcript

import (
	"fmt"
	"strings"
)

// Message is one entry of a conversation in the shape of OpenAI's chat API.
type Message struct {
	Role       Role       `json:"role"`
	Content    string     `json:"content,omitempty"` // left out of a reply that only calls
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool message: the call that it answers
}

// ToolCall is a call within an assistant's message.
type ToolCall struct {
	ID       string   `json:"id"`   // the call's id
	Type     string   `json:"type"` // always function
	Function Function `json:"function"`
}

// Function is what a call calls.
type Function struct {
	Name      string `json:"name"`      // the tool's name
	Arguments string `json:"arguments"` // JSON in a text
}

// Role says who a message is from.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	System    Role = "system" // of what a model is sent
)

// UnmarshalText accepts the names of the roles that a client can speak in.
func (r *Role) UnmarshalText(text []byte) error {
	switch role := Role(text); role {
	case User, Assistant, Tool:
		*r = role
		return nil
	default:
		return fmt.Errorf("unknown role %q: use user, assistant or tool", text)
	}
}

// RequestApproval is the tool under which Messages shows requests. No
// model is told of it.
const RequestApproval = clientTools + "requestApproval"

// clientTools begins the names of tools that are between a client and the
// gateway, and none of a model's business.
const clientTools = "client."

const callIDPrefix = "approval_"

// CallID is the id of the call that asks for an approval, which an answer's
// tool message names.
func CallID(approvalID string) string { return callIDPrefix + approvalID }

// approvalOf is the approval that a tool message answers.
func approvalOf(callID string) (approvalID string, ok bool) {
	approvalID, ok = strings.CutPrefix(callID, callIDPrefix)
	return approvalID, ok && approvalID != ""
}

func function(id, name, arguments string) ToolCall {
	return ToolCall{ID: id, Type: "function", Function: Function{Name: name, Arguments: arguments}}
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
