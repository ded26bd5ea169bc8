package transcript

import (
	"fmt"
	"strings"

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
	Approved         tool.JSON `json:"approved"` // of the other form, of a tool called client.showApproval
	Scope            tool.JSON `json:"scope"`
	Message          tool.JSON `json:"message"`
	ToolName         tool.JSON `json:"toolName"`
	Args             tool.JSON `json:"toolArgs"`
	WorkingDirectory tool.JSON `json:"workingDirectory"`
}

// ParseToolAnswer reads a tool message with what it says of the call. Its
// content is {"decision", "scope", "message"}, where wanted with "toolName",
// "toolArgs" and "workingDirectory", or {"approved", "scope"}.
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
	a := ToolAnswer{ToolCallID: m.ToolCallID}
	if err := c.decision(&a); err != nil {
		return ToolAnswer{}, err
	}
	for _, field := range []struct {
		name string
		raw  tool.JSON
		into *string
	}{
		{"scope", c.Scope, &a.Scope}, {"message", c.Message, &a.Text},
		{"toolName", c.ToolName, &a.ToolName}, {"workingDirectory", c.WorkingDirectory, &a.WorkingDirectory},
	} {
		if err := text(field.name, field.raw, field.into); err != nil {
			return ToolAnswer{}, err
		}
	}
	if len(c.Scope) > 0 && a.Scope == "" {
		return ToolAnswer{}, unknownScope("")
	}
	if a.Args = c.Args; len(a.Args) > 0 && strictjson.Kind(a.Args) != '{' {
		return ToolAnswer{}, invalid("toolArgs: want an object")
	}
	if _, err := a.Answer(); err != nil {
		return ToolAnswer{}, err
	}
	return a, nil
}

// decision reads the one of the two forms that is there.
func (c answerContent) decision(a *ToolAnswer) error {
	if len(c.Approved) == 0 {
		return text("decision", c.Decision, &a.Decision)
	}
	switch {
	case len(c.Decision) > 0:
		return invalid("approved: given beside decision; use one of them")
	case len(c.Message) > 0:
		return invalid("message: goes with decision, not with approved")
	case len(c.ToolName) > 0 || len(c.Args) > 0 || len(c.WorkingDirectory) > 0:
		return invalid("toolName, toolArgs and workingDirectory: go with decision, not with approved")
	case strictjson.Kind(c.Approved) == 't':
		a.Decision = "approve"
	case strictjson.Kind(c.Approved) == 'f':
		a.Decision = "deny"
	default:
		return invalid("approved: want true or false, not %s", c.Approved)
	}
	return nil
}

func text(name string, v tool.JSON, into *string) error {
	switch {
	case len(v) == 0:
		return nil
	case strictjson.Kind(v) != '"':
		return invalid("%s: want a text, not %s", name, v)
	}
	if err := json.Unmarshal(v, into); err != nil {
		return invalid("%s: %w", name, err)
	}
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
	status, scope, err := approval.ParseWord(a.Decision)
	if err != nil {
		return approval.Answer{}, invalid("decision: unknown word %q; use approve, deny or cancel", a.Decision)
	}
	if a.Scope != "" {
		if scope, err = a.scope(status, scope); err != nil {
			return approval.Answer{}, err
		}
	}
	if scope == approval.Once {
		scope = "" // as if nothing was said
	}
	return approval.Answer{ApprovalID: id, Status: status, Scope: scope, Message: a.Text}, nil
}

// scope is the one that stands beside the decision, whose word may not say
// another one.
func (a ToolAnswer) scope(status approval.Status, ofWord approval.Scope) (approval.Scope, error) {
	var scope approval.Scope
	switch a.Scope {
	case "once":
		scope = approval.Once
	case "session", "always", "unlimited": // nothing is remembered beyond a session
		scope = approval.Session
	default:
		return "", unknownScope(a.Scope)
	}
	saysOnce := strings.Contains(strings.ToLower(a.Decision), "once")
	switch {
	case status != approval.Approved:
		return "", invalid("scope: belongs to an approval only")
	case ofWord != scope && (saysOnce || ofWord == approval.Session):
		return "", invalid("scope: %q contradicts the decision %q", a.Scope, a.Decision)
	}
	return scope, nil
}

// About refuses an answer that says it is about another call than the
// request's, with approval.ErrDigest.
func (a ToolAnswer) About(r approval.Request) error {
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

func unknownScope(word string) error {
	return invalid("scope: unknown scope %q; use once, session, always or unlimited", word)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{approval.ErrInvalid}, args...)...)
}
