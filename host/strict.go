package host

import (
	"path/filepath"
	"slices"
)

// strict holds the arguments that make a program ask as often as it can.
type strict struct {
	args    []string
	unasked string // what it does without asking, in words
}

// asking makes all of opencode's tools ask. It is set for every program, since a wrapper may
// start opencode.
const asking = `OPENCODE_PERMISSION={"*":"ask","read":"ask","edit":"ask","glob":"ask","grep":"ask","list":"ask","bash":"ask","task":"ask","skill":"ask",` +
	`"lsp":"ask","todowrite":"ask","webfetch":"ask","websearch":"ask","codesearch":"ask","external_directory":"ask","doom_loop":"ask"}`

var stricts = map[string]strict{
	"claude":   {unasked: "runs the hooks and status lines, and starts the MCP servers, of its own settings"},
	"codex":    {unasked: "runs the commands that its own rules allow, and uses tools that it takes for reading, such as a web search or an MCP tool that says so of itself"},
	"opencode": {unasked: "does what its plugins do, and what its settings allow to an agent by name"},
	"copilot":  {unasked: "reads files in its folder, and does what its settings allow"},
	"gemini":   {args: []string{"--approval-mode", "default"}, unasked: "reads files in its folder, and does what its settings allow; it tells no arguments of what it asks"},
	"qwen":     {args: []string{"--approval-mode", "default"}, unasked: "reads files in its folder, and does what its settings allow"},
}

// strictly adds the arguments that make the program ask as often as it can.
func (h Host) strictly() Host {
	s := stricts[filepath.Base(h.Command[0])]
	h.Command = slices.Concat(h.Command, s.args)
	return h
}

// Unasked says what the agent does without asking, in words.
func (h Host) Unasked() string {
	if s, known := stricts[filepath.Base(h.Command[0])]; known {
		return s.unasked
	}
	return "does what its settings allow"
}
