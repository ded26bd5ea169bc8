package hook

import (
	"maps"
	"slices"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Agent is a coding agent that calls a hook before a tool, and after it.
type Agent struct {
	Name    string
	NoEdits bool // it can't be given other arguments
	Host    bool // its host asks, and not its hook
	answer  func(Call, Outcome) any
}

// Outcome is what came of asking about a call.
type Outcome struct {
	Approved bool
	Reason   string    // in words, for the model
	Changed  tool.JSON // the arguments to run with, if an approver has changed them
}

var agents = map[string]Agent{
	"claude-code": {answer: claude},
	"qwen":        {answer: claude, NoEdits: true}, // 0.24.4 runs the call unchanged
	"codex":       {answer: codex},
	"gemini":      {answer: gemini},
	"copilot":     {answer: copilot},
	"cursor":      {answer: cursor, NoEdits: true},
}

// Of is the agent of a name.
func Of(name string) (a Agent, ok bool) {
	a, ok = agents[name]
	a.Name = name
	return a, ok
}

// Names are those of all agents, sorted.
func Names() []string { return slices.Sorted(maps.Keys(agents)) }

type specific struct {
	Event    string    `json:"hookEventName"`
	Decision string    `json:"permissionDecision,omitempty"`
	Reason   string    `json:"permissionDecisionReason,omitempty"`
	Changed  tool.JSON `json:"updatedInput,omitzero"`
}

// claude is the answer of Claude Code's PreToolUse, which Qwen Code has as well.
func claude(c Call, o Outcome) any {
	return struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{c.Event, verdict(o, "allow", "deny"), o.Reason, o.Changed}}
}

// retry is the answer about a call that Claude Code itself has refused.
func retry(c Call, o Outcome) any {
	type again struct {
		Event string `json:"hookEventName"`
		Retry bool   `json:"retry"`
	}
	return struct {
		Specific again `json:"hookSpecificOutput"`
	}{again{c.Event, o.Approved}}
}

// codex takes an allow only together with other arguments; without, it wants nothing.
func codex(c Call, o Outcome) any {
	if o.Approved && len(o.Changed) == 0 {
		return struct{}{}
	}
	if o.Approved {
		o.Reason = ""
	}
	return claude(c, o)
}

func gemini(c Call, o Outcome) any {
	type changed struct {
		Event string    `json:"hookEventName"`
		Input tool.JSON `json:"tool_input"`
	}
	var specific *changed
	if len(o.Changed) > 0 {
		specific = &changed{c.Event, o.Changed}
	}
	return struct {
		Decision string   `json:"decision"`
		Reason   string   `json:"reason,omitempty"`
		Specific *changed `json:"hookSpecificOutput,omitempty"`
	}{verdict(o, "allow", "deny"), o.Reason, specific}
}

func copilot(_ Call, o Outcome) any {
	return struct {
		Decision string    `json:"permissionDecision"`
		Reason   string    `json:"permissionDecisionReason,omitempty"`
		Changed  tool.JSON `json:"modifiedArgs,omitzero"`
	}{verdict(o, "allow", "deny"), o.Reason, o.Changed}
}

// cursor has the messages under their newer and their older names.
func cursor(_ Call, o Outcome) any {
	return struct {
		Permission   string `json:"permission"`
		UserMessage  string `json:"user_message,omitempty"`
		AgentMessage string `json:"agent_message,omitempty"`
		UserOlder    string `json:"userMessage,omitempty"`
		AgentOlder   string `json:"agentMessage,omitempty"`
	}{verdict(o, "allow", "deny"), o.Reason, o.Reason, o.Reason, o.Reason}
}

func verdict(o Outcome, yes, no string) string {
	if o.Approved {
		return yes
	}
	return no
}

// Approved is the outcome of a call that somebody has approved, with the arguments that it
// may run with.
func Approved(c Call, cleared tool.JSON, by string) (Outcome, error) {
	asked, err := strictjson.Canonicalize(c.Args)
	if err != nil {
		return Outcome{}, err
	}
	may, err := strictjson.Canonicalize(cleared)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Approved: true, Reason: "approved by " + by}
	if asked != may {
		o.Changed = cleared
	}
	return o, nil
}
