package hook

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// MaxInput bounds what an agent may write to its hook, in bytes.
const MaxInput = 4 << 20

// Call is what a hook is told about.
type Call struct {
	Event     string // the agent's name for it, such as PreToolUse
	After     bool   // the call has run, and Result is what came of it
	Session   string // the agent's own, which is the run's name
	ID        string // the agent's own of the call; empty: it has none
	Tool      string
	Args      tool.JSON
	Directory string
	SubAgent  string // which of its sub-agents makes the call, such as Explore (a1); empty: itself
	Words     string // what to ask instead of showing the arguments, which are not known
	Refused   string // why the agent itself has refused the call; a person can let it try again
	Result    tool.Result
}

// input has the fields of all agents; each agent writes only its own.
type input struct {
	Event    string    `json:"hook_event_name"`
	Session  string    `json:"session_id"`
	Tool     string    `json:"tool_name"`
	Args     tool.JSON `json:"tool_input"`
	CallID   string    `json:"tool_use_id"`
	Cwd      string    `json:"cwd"`
	SubAgent string    `json:"agent_type"`
	SubID    string    `json:"agent_id"`
	Reason   string    `json:"reason"`
	Response tool.JSON `json:"tool_response"`

	// Copilot's
	SessionID  string    `json:"sessionId"`
	ToolName   string    `json:"toolName"`
	ToolArgs   tool.JSON `json:"toolArgs"`
	ToolResult tool.JSON `json:"toolResult"`

	// Cursor's
	Conversation string   `json:"conversation_id"`
	Command      *string  `json:"command"`
	Roots        []string `json:"workspace_roots"`
}

// denied is the event of a call that Claude Code itself has refused.
const denied = "PermissionDenied"

// events are those that a hook can be set on: true for those after a call.
var events = map[string]bool{
	"PreToolUse": false, "PostToolUse": true, "PostToolUseFailure": true, // Claude Code, Codex, Qwen Code
	denied:       false,                    // Claude Code
	"BeforeTool": false, "AfterTool": true, // Gemini CLI
	"preToolUse": false, "postToolUse": true, // Copilot CLI, Cursor
	"beforeShellExecution": false, "beforeMCPExecution": false, // Cursor
}

// Read reads what an agent has written to its hook.
func (a Agent) Read(raw []byte) (Call, error) {
	var in input
	if err := json.Unmarshal(raw, &in); err != nil {
		return Call{}, fmt.Errorf("hook: what %s wrote can't be read: %w", a.Name, err)
	}
	if in.Event == "" && a.Name == "copilot" { // which does not name it
		in.Event = "preToolUse"
		if len(in.ToolResult) > 0 {
			in.Event = "postToolUse"
		}
	}
	after, known := events[in.Event]
	if !known {
		return Call{}, fmt.Errorf("hook: %q is no event that a hook for %s can answer: set it on the one before a tool call", in.Event, a.Name)
	}
	c := Call{
		Event: in.Event, After: after, Session: cmp.Or(in.Session, in.SessionID, in.Conversation), ID: in.CallID,
		Tool: cmp.Or(in.Tool, in.ToolName), Directory: in.Cwd,
	}
	if in.SubID != "" {
		c.SubAgent = label(fmt.Sprintf("%s (%s)", cmp.Or(in.SubAgent, "sub-agent"), in.SubID))
	}
	if in.Event == denied {
		c.Refused = cmp.Or(in.Reason, "it does not say why")
	}
	c.Args = in.Args
	if len(c.Args) == 0 {
		c.Args = in.ToolArgs
	}
	if in.Command != nil && c.Tool == "" { // Cursor's, of a shell
		c.Tool = "Shell"
		c.Args, _ = json.Marshal(map[string]string{"command": *in.Command}) // two texts
	}
	if c.Directory == "" && len(in.Roots) > 0 {
		c.Directory = in.Roots[0]
	}
	if c.Tool == "" {
		return c, fmt.Errorf("hook: what %s wrote names no tool", a.Name)
	}
	var err error
	if c.Args, err = object(c.Args); err != nil {
		return c, fmt.Errorf("hook: the arguments of %s: %w", c.Tool, err)
	}
	if after {
		c.Result = ResultOf(cmp.Or(string(in.Response), string(in.ToolResult)), in.Event == "PostToolUseFailure")
	}
	return c, nil
}

// label is a text as the gateway takes names.
func label(text string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ._@-:/+()", r)) {
			return r
		}
		return '_'
	}, text)
}

// object is JSON of an object, which some agents write as a text.
func object(args tool.JSON) (tool.JSON, error) {
	if strictjson.Kind(args) == '"' {
		var text string
		if err := json.Unmarshal(args, &text); err != nil {
			return nil, err
		}
		args = tool.JSON(text)
	}
	if len(args) == 0 {
		return nil, errors.New("missing")
	}
	if _, err := strictjson.Object(args); err != nil {
		return nil, err
	}
	return args, nil
}

// longestResult is how much of a result is reported, in bytes.
const longestResult = 32 << 10

// ResultOf is the result that an agent tells as JSON or as a text in JSON.
func ResultOf(raw string, failed bool) tool.Result {
	text := raw
	if strictjson.Kind(tool.JSON(raw)) == '"' {
		_ = json.Unmarshal([]byte(raw), &text) // then the JSON itself is the text
	}
	if len(text) > longestResult {
		text = strings.ToValidUTF8(text[:longestResult], "") + "…"
	}
	return tool.Result{Text: text, IsError: failed}
}

// Answer is what the agent is to read on stdout, in one write, before a call. After one it
// reads nothing.
func (a Agent) Answer(c Call, o Outcome) ([]byte, error) {
	if !o.Approved && o.Reason == "" {
		o.Reason = "not approved" // a denial without one is none to some agents
	}
	answer := a.answer
	if c.Refused != "" {
		answer = retry
	}
	raw, err := json.Marshal(answer(c, o), json.Deterministic(true))
	return append(raw, '\n'), err
}
