package transcript

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ToolAnswer is an answer as the tool message of a call of RequestApproval. It
// may say what it is about, as some clients do: that is never used, only
// compared with the request that waits, by About.
type ToolAnswer struct {
	ToolCallID string `json:"-"`        // see CallID
	AgentID    string `json:"-"`        // of the agent that asks, where it is said
	Decision   string `json:"decision"` // approve, deny, cancel, or another word that approval.ParseWord reads
	Scope      string `json:"scope,omitempty"`
	Text       string `json:"message,omitempty"` // for the model

	ToolName         string    `json:"toolName,omitempty"`
	Args             tool.JSON `json:"toolArgs,omitzero"`
	WorkingDirectory string    `json:"workingDirectory,omitempty"`
}

// Message builds the tool message. An answer that could not be read again is
// an error.
func (a ToolAnswer) Message() (Message, error) {
	if _, err := a.Answer(); err != nil {
		return Message{}, err
	}
	content, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return Message{}, fmt.Errorf("transcript: answer: %w", err)
	}
	m := Message{Role: Tool, ToolCallID: a.ToolCallID, Content: string(content)}
	_, err = ParseToolAnswer(m)
	return m, err
}

// ReadToolAnswer reads a tool message as an answer. Its errors name the field,
// and are approval.ErrInvalid.
func ReadToolAnswer(m Message) (approval.Answer, error) {
	a, err := ParseToolAnswer(m)
	if err != nil {
		return approval.Answer{}, err
	}
	return a.Answer()
}

// answerContent is what the content may have. Raw values tell what was left
// out from what is null.
type answerContent struct {
	Decision         tool.JSON `json:"decision"`
	Status           tool.JSON `json:"status"`
	Response         tool.JSON `json:"response"`
	Approved         tool.JSON `json:"approved"` // of a tool called client.showApproval
	Scope            tool.JSON `json:"scope"`
	RememberChoice   tool.JSON `json:"rememberChoice"`
	Data             tool.JSON `json:"data"`
	Message          tool.JSON `json:"message"`
	ToolName         tool.JSON `json:"toolName"`
	Args             tool.JSON `json:"toolArgs"`
	WorkingDirectory tool.JSON `json:"workingDirectory"`
}

// ParseToolAnswer reads a tool message with what it says of the call. Its
// content is {"decision", "scope", "message"} or another of the forms that
// approval.OtherWords reads, where wanted with "toolName", "toolArgs" and
// "workingDirectory". The decision is then in a word that ParseWord reads.
func ParseToolAnswer(m Message) (ToolAnswer, error) {
	switch _, ok := approvalOf(m.ToolCallID); {
	case m.Role != Tool:
		return ToolAnswer{}, invalid("role: want tool, not %q", m.Role)
	case len(m.ToolCalls) > 0:
		return ToolAnswer{}, invalid("tool_calls: a tool message has none")
	case !ok:
		return ToolAnswer{}, invalid("tool_call_id: want %s, not %q", CallID("ID"), m.ToolCallID)
	case blank(m.Content):
		return ToolAnswer{}, invalid(`content: empty; want {"decision": "approve"}, or deny or cancel`)
	}
	object, err := strictjson.Object([]byte(m.Content))
	if err != nil {
		return ToolAnswer{}, invalid("content: %w", err)
	}
	var c answerContent
	if err := strictjson.Decode(object, &c); err != nil {
		return ToolAnswer{}, invalid("content: %w", err)
	}
	a := ToolAnswer{ToolCallID: m.ToolCallID, Args: c.Args}
	for _, field := range []struct {
		name string
		raw  tool.JSON
		into *string
	}{
		{"message", c.Message, &a.Text}, {"toolName", c.ToolName, &a.ToolName}, {"workingDirectory", c.WorkingDirectory, &a.WorkingDirectory},
	} {
		if err := text(field.name, field.raw, field.into); err != nil {
			return ToolAnswer{}, err
		}
	}
	if len(a.Args) > 0 && strictjson.Kind(a.Args) != '{' {
		return ToolAnswer{}, invalid("toolArgs: want an object")
	}
	if err := c.words(&a); err != nil {
		return ToolAnswer{}, err
	}
	_, err = a.Answer()
	return a, err
}

// words reads the answer itself, in whichever form it is there.
func (c answerContent) words(a *ToolAnswer) error {
	var w approval.OtherWords
	var status, scope string
	err := cmp.Or(text("decision", c.Decision, &w.Decision), text("status", c.Status, &status), text("response", c.Response, &w.Response),
		text("scope", c.Scope, &scope), flag("approved", c.Approved, &w.Approved), flag("rememberChoice", c.RememberChoice, &w.RememberChoice))
	if err != nil {
		return err
	}
	if len(c.Data) > 0 {
		if strictjson.Kind(c.Data) != '{' {
			return invalid("data: want an object, not %s", c.Data)
		}
		if err := strictjson.Decode(c.Data, &w.Data); err != nil {
			return invalid("data: %w", err)
		}
	}
	var said approval.Status
	if status != "" {
		if err := said.UnmarshalText([]byte(status)); err != nil {
			return invalid("status: %w", err)
		}
	}
	means, wide, err := w.Read(said, scope)
	if err != nil {
		return err
	}
	if a.Decision, a.Scope = string(w.Decision), scope; a.Decision == "" {
		a.Decision = string(means)
	}
	if a.Scope == "" {
		a.Scope = string(wide)
	}
	return nil
}

func text[T ~string](name string, v tool.JSON, into *T) error {
	switch {
	case len(v) == 0:
		return nil
	case strictjson.Kind(v) != '"' || string(v) == `""`:
		return invalid("%s: want a text, not %s", name, v)
	}
	if err := json.Unmarshal(v, into); err != nil {
		return invalid("%s: %w", name, err)
	}
	return nil
}

func flag(name string, v tool.JSON, into **bool) error {
	if len(v) == 0 {
		return nil
	}
	yes := strictjson.Kind(v) == 't'
	if !yes && strictjson.Kind(v) != 'f' {
		return invalid("%s: want true or false, not %s", name, v)
	}
	*into = &yes
	return nil
}

// Answer is what the message says, for the approval that it names.
func (a ToolAnswer) Answer() (approval.Answer, error) {
	id, ok := approvalOf(a.ToolCallID)
	if !ok {
		return approval.Answer{}, invalid("tool_call_id: want %s, not %q", CallID("ID"), a.ToolCallID)
	}
	if a.Decision == "" {
		return approval.Answer{}, invalid("decision: missing; use approve, deny or cancel")
	}
	status, scope, err := approval.OtherWords{Decision: approval.Word(a.Decision)}.Read("", a.Scope)
	if err != nil {
		return approval.Answer{}, err
	}
	return approval.Answer{ApprovalID: id, Status: status, Scope: scope, Message: a.Text}, nil
}

// About refuses an answer that says it is about another call than the
// request's, with approval.ErrDigest.
func (a ToolAnswer) About(r approval.Request) error {
	if a.AgentID != "" && a.AgentID != r.AgentID {
		return fmt.Errorf("%w: agentId: %q does not ask this", approval.ErrDigest, a.AgentID)
	}
	if a.ToolName != "" && a.ToolName != r.ToolName {
		return fmt.Errorf("%w: toolName: %q is not what waits", approval.ErrDigest, a.ToolName)
	}
	if a.WorkingDirectory != "" && a.WorkingDirectory != r.WorkingDirectory {
		return fmt.Errorf("%w: workingDirectory: %q is not what waits", approval.ErrDigest, a.WorkingDirectory)
	}
	if len(a.Args) == 0 {
		return nil
	}
	said, err := strictjson.Canonicalize(a.Args)
	if err != nil {
		return invalid("toolArgs: %w", err)
	}
	waits, err := strictjson.Canonicalize(originalCall(r).Arguments)
	if err != nil || said != waits {
		return fmt.Errorf("%w: toolArgs: not those that wait", approval.ErrDigest)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{approval.ErrInvalid}, args...)...)
}
