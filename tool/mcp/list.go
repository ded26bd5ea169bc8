package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// maxTools is how many tools of a server are taken, maxPages how many pages of its
// list are read, and maxList how many bytes all of it may have.
const (
	maxTools = 1000
	maxPages = 1000
	maxList  = 4 << 20
)

// catalog is the list of tools as it was last read.
type catalog struct {
	mu      sync.Mutex
	changes int // how often the server has said that its list is another one
	read    int // what changes was when tools was read
	known   bool
	tools   []tool.Tool
	names   []string // the server's own, also of tools that are not taken
}

func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
}

// now returns the list where it is known, and what the changes are now.
func (c *catalog) now() ([]tool.Tool, int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools, c.changes, c.known && c.read == c.changes
}

func (c *catalog) keep(tools []tool.Tool, names []string, changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known || changes >= c.read {
		c.known, c.tools, c.names, c.read = true, tools, names, changes
	}
}

func (c *catalog) listed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.names)
}

// tools lists the server's tools, from memory unless the list has changed.
func (c *connection) tools(ctx context.Context) ([]tool.Tool, error) {
	tools, changes, known := c.catalog.now()
	if known {
		return slices.Clone(tools), nil
	}
	within, cancel := context.WithTimeout(ctx, c.server.config.StartTimeout)
	defer cancel()
	listed, err := c.list(within)
	if err != nil {
		e := &Error{Server: c.server.config.Name, Detail: "its tools can't be listed: " + c.errorText(err), Err: err}
		if ctx.Err() == nil && within.Err() != nil {
			e.Detail = fmt.Sprintf("it did not list its tools within %s", c.server.config.StartTimeout)
			e.Remedy = "give it more time, or see why it is slow"
		}
		return nil, e
	}
	c.proven.Store(true)
	tools = c.taken(listed)
	names := namesOf(listed)
	for _, pattern := range Unmatched(slices.Concat(c.server.config.Only, c.server.config.Except), names) {
		c.log.say("warning", fmt.Sprintf("%q of only or except matches no tool of the server", pattern))
	}
	c.catalog.keep(tools, names, changes)
	return slices.Clone(tools), nil
}

func (c *connection) list(ctx context.Context) ([]*mcp.Tool, error) {
	about := c.session.InitializeResult()
	if about != nil && about.Capabilities != nil && about.Capabilities.Tools == nil {
		return nil, nil
	}
	var all []*mcp.Tool
	left := maxList
	cursor := ""
	for range maxPages {
		page, err := transport.SafeCall(func() (*mcp.ListToolsResult, error) {
			return c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			if left -= size(t); left < 0 {
				c.log.say("warning", fmt.Sprintf("the list of tools has more than %d bytes: the rest is left out", maxList))
				return all, nil
			}
			all = append(all, t)
		}
		if page.NextCursor == "" || page.NextCursor == cursor || len(all) > maxTools {
			return all, nil
		}
		cursor = page.NextCursor
	}
	return all, nil
}

// size is how many bytes of a list a tool is, with all that is not taken of it.
func size(t *mcp.Tool) int {
	data, err := json.Marshal(t)
	if err != nil {
		return maxList + 1
	}
	return len(data)
}

var errTask = errors.New("it runs only as a task (execution.taskSupport), which can't be done here")

// taken makes tools of those on the list that can be taken, and says which can't.
func (c *connection) taken(listed []*mcp.Tool) []tool.Tool {
	seen := map[string]bool{}
	tools := make([]tool.Tool, 0, len(listed))
	for _, t := range listed {
		if !c.server.config.Takes(t.Name) {
			continue
		}
		spec, err := c.server.spec(t)
		switch {
		case err != nil:
		case transport.NeedsTask(t.Meta):
			err = errTask
		case seen[t.Name]:
			err = fmt.Errorf("the list has it twice")
		case len(tools) == maxTools:
			c.log.say("warning", fmt.Sprintf("more than %d tools: the rest is left out", maxTools))
			return tools
		}
		if err != nil {
			c.log.say("warning", fmt.Sprintf("the tool %q is left out: %v", head64(t.Name), err))
			continue
		}
		seen[t.Name] = true
		tools = append(tools, &remote{server: c.server, name: t.Name, spec: spec})
	}
	return tools
}

func namesOf(listed []*mcp.Tool) []string {
	names := make([]string, len(listed))
	for i, t := range listed {
		names[i] = clean(t.Name, 64)
	}
	return names
}

func head64(s string) string {
	s, _ = head(s, 64)
	return s
}

// spec says what a tool of the server's is. Names are kept plain, so that rules
// and people can't be misled by them.
func (s *Server) spec(t *mcp.Tool) (tool.Spec, error) {
	if !mask.IsToolName(t.Name) {
		return tool.Spec{}, fmt.Errorf("its name is not made of 1 to 128 letters, digits and _ . / : -")
	}
	schema, err := schemaOf(t)
	if err != nil {
		return tool.Spec{}, fmt.Errorf("its schema makes no sense: %w", err)
	}
	hints := tool.Hints{Destructive: true, OpenWorld: true, Trusted: s.config.Trusted}
	about := t.Description
	if a := t.Annotations; a != nil {
		hints.ReadOnly = a.ReadOnlyHint
		// What changes nothing destroys nothing; the hint has no meaning there.
		hints.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
		hints.OpenWorld = a.OpenWorldHint == nil || *a.OpenWorldHint
		if about == "" {
			about = a.Title
		}
	}
	if t.Title != "" && t.Description == "" {
		about = t.Title
	}
	spec := tool.Spec{
		Name:        s.config.Name + "__" + t.Name,
		Description: clean(about, maxDescription),
		Schema:      schema,
		Hints:       hints,
	}
	if known, ok := s.config.Arguments[t.Name]; ok {
		spec = spec.With(known)
	}
	return spec, nil
}
