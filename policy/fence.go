package policy

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// fence is a sandbox in which the call may run, whatever it is.
type fence struct {
	title string
	grant *approval.Grant // by which it is one; nil: by a rule
	tool.Fence
}

// fenceOf is the fence of a rule, with its paths absolute.
func (c *call) fenceOf(title string, f tool.Fence) *fence {
	made := &fence{title: title + ", in a sandbox", Fence: tool.Fence{Network: f.Network}}
	for _, path := range f.Read {
		made.Read = append(made.Read, c.absolute(path))
	}
	for _, path := range f.Writes {
		made.Writes = append(made.Writes, c.absolute(path))
	}
	return made
}

func (c *call) absolute(path string) string {
	place, _ := c.folder(path) // the call is not fenceable where that is not known
	return place.lexical
}

// fenceable reports whether the call can be put in a sandbox, and does not ask for none.
func (c *call) fenceable() bool {
	return c.Spec.Command.Sandbox != "" && c.args[c.Spec.Command.Sandbox] == nil && c.home != "" && c.directory != ""
}

// leaves reports whether the call asks to run in no sandbox.
func (c *call) leaves() bool {
	return c.Spec.Command.Sandbox != "" && c.args[c.Spec.Command.Sandbox] != nil
}

// findFence finds the first allow rule with a sandbox that the call can run in.
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

// prevents reports whether what a rule forbids can't be done within the fence: none of its
// paths is there, or nothing can be changed at all.
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
			among = shown[1:] // which is hidden unless it is named
		}
		if slices.ContainsFunc(among, func(path string) bool { return c.places.at(path).overlaps(folder) }) {
			return false
		}
	}
	return true
}

// edit gives the argument that has the call run in the fence, as a JSON merge patch.
func (l *fence) edit(c *call) (tool.JSON, error) {
	data, err := json.Marshal(map[string]any{c.Spec.Command.Sandbox: l.Fence})
	if err != nil {
		return nil, err
	}
	edit, err := strictjson.Canonicalize(data)
	return edit.Value(), err
}
