package policy

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// fence is a sandbox in which the call may run without being read.
type fence struct {
	title ground
	grant *approval.Grant // nil: it comes from a rule
	tool.Fence
}

// fenceOf returns a rule's fence with absolute paths.
func (c *call) fenceOf(title string, f tool.Fence) *fence {
	made := &fence{title: inSandbox(title), Fence: tool.Fence{Network: f.Network}}
	for _, path := range f.Read {
		made.Read = append(made.Read, c.absolute(path))
	}
	for _, path := range f.Writes {
		made.Writes = append(made.Writes, c.absolute(path))
	}
	return made
}

func (c *call) absolute(path string) string {
	place, _ := c.folder(path) // known, since the call is fenceable
	return place.lexical
}

// fenceable reports whether the tool can run the call in a sandbox, and the call does not ask to leave it.
func (c *call) fenceable() bool {
	return c.Spec.Command.Sandbox != "" && c.args[c.Spec.Command.Sandbox] == nil && c.home != "" && c.directory != ""
}

// leaves reports whether the call asks to run outside the sandbox.
func (c *call) leaves() bool {
	return c.Spec.Command.Sandbox != "" && c.args[c.Spec.Command.Sandbox] != nil
}

// findFence finds the first allow rule with a sandbox that applies to the call.
func (f *matches) findFence(c *call) {
	if !c.fenceable() {
		return
	}
	for _, r := range c.rules.Rules {
		if r.rule.Sandbox != nil && Covers(r.rule.Tool, c.Request.ToolName) && r.holds(c) {
			f.fence = c.fenceOf(r.title(), *r.rule.Sandbox)
			f.raise(r)
			return
		}
	}
}

// prevents reports whether the fence makes a rule's doubt harmless: none of its paths is visible or,
// for a rule about commands, the fence can't write or use the network.
func (l *fence) prevents(c *call, r *Compiled) bool {
	if l == nil || len(r.args) > 0 || r.when != nil {
		return false
	}
	if len(r.rule.Paths) == 0 {
		return len(r.patterns) > 0 && len(l.Writes) == 0 && !l.Network
	}
	shown := slices.Concat([]string{c.directory}, l.Read, l.Writes, sandbox.System())
	for _, text := range r.rule.Paths {
		folder, ok := c.folder(text)
		if !ok {
			return false
		}
		among := shown
		if secretIn(c.directory, folder.lexical) {
			among = shown[1:] // hidden in the working directory
		}
		if slices.ContainsFunc(among, func(path string) bool { return c.places.at(path).overlaps(folder) }) {
			return false
		}
	}
	return true
}

// edit returns the JSON merge patch that makes the call run in the fence.
func (l *fence) edit(c *call) (tool.JSON, error) {
	data, err := json.Marshal(map[string]any{c.Spec.Command.Sandbox: l.Fence})
	if err != nil {
		return nil, err
	}
	edit, err := strictjson.Canonicalize(data)
	return edit.Value(), err
}
