package mcpgate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// What is kept of a server's list of tools.
const (
	maxTools       = 5000
	maxSchema      = 32 << 10
	maxDescription = 2000
)

// definition is a tool as its server lists it.
type definition struct {
	description string
	schema      tool.JSON // nil: none, or none that can be shown
	hints       string    // what the server says of it, in words
	digest      string    // of all of it; empty: the server does not list it
	changed     bool      // since it was first listed
	twice       bool      // it is listed in more than one way
	unknown     bool      // the list could not be read
}

// catalog is what is known of a server's tools.
type catalog struct {
	mu      sync.Mutex
	changes int  // how often the server has said that its list is another one
	fresh   bool // the whole list is known, as it is after these changes
	tools   map[string]definition
	first   map[string]string // the digest with which a tool was first seen, or unlisted
}

// unlisted stands for the definition of a tool that was called before the server listed it.
const unlisted = "unlisted"

// stale notes that the server's list is another one.
func (c *catalog) stale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.fresh = false
}

// count is how often the list has changed.
func (c *catalog) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// take takes the whole list, which was read after so many changes.
func (c *catalog) take(listed []tool.JSON, changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if changes == c.changes {
		c.tools, c.fresh = map[string]definition{}, true
	}
	c.add(listed, changes)
}

// see takes a page that the client has asked for.
func (c *catalog) see(result tool.JSON, q *request) {
	listed := blocks(member(result, "tools"))
	if q.first && nextPage(result) == nil {
		c.take(listed, q.changes)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(listed, q.changes)
}

// add adds tools that were listed after so many changes. Of an older list only how a tool was first
// seen is noted.
func (c *catalog) add(listed []tool.JSON, changes int) {
	if c.tools == nil {
		c.tools = map[string]definition{}
	}
	for _, one := range listed {
		name, d := text(one, "name"), definitionOf(one)
		if c.remember(name, d.digest) && changes == c.changes {
			c.tools[name] = c.tools[name].and(d)
		}
	}
}

// and is a tool that is listed once more. One that is listed in two ways counts as changed: nobody
// knows which of them the server runs.
func (d definition) and(more definition) definition {
	if d.digest == "" || d.digest == more.digest {
		return more
	}
	sum := sha256.Sum256([]byte(d.digest + more.digest))
	more.digest, more.twice = hex.EncodeToString(sum[:]), true
	more.description = clip(more.description + "\n\nElsewhere in the list: " + d.description)
	return more
}

// remember notes how a tool was first seen, and reports whether there is room for it.
func (c *catalog) remember(name, digest string) bool {
	if c.first == nil {
		c.first = map[string]string{}
	}
	if c.first[name] == "" && len(c.first) < maxTools {
		c.first[name] = digest
	}
	return c.first[name] != ""
}

// of is a tool's definition, and whether the list is known. While it is not, the tool counts as one
// that has changed.
func (c *catalog) of(name string) (d definition, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.fresh {
		return definition{digest: fmt.Sprintf("unknown after %d changes", c.changes), changed: true, unknown: true}, false
	}
	d, listed := c.tools[name]
	switch first := c.first[name]; {
	case listed:
		d.changed = d.twice || first != d.digest
	case !c.remember(name, unlisted):
		d.changed = true
	default:
		d.changed = first != "" && first != unlisted // it is gone
	}
	return d, true
}

// nextPage is with what the next page of a list is to be asked for; nil: there is none.
func nextPage(result tool.JSON) tool.JSON {
	if cursor := member(result, "nextCursor"); strictjson.Kind(cursor) == '"' {
		return cursor
	}
	return nil
}

func definitionOf(listed tool.JSON) definition {
	d := definition{description: clip(text(listed, "description")), hints: hintsOf(member(listed, "annotations"))}
	if schema := member(listed, "inputSchema"); len(schema) <= maxSchema {
		if whole, err := strictjson.Object(schema); err == nil {
			if _, err := strictjson.CompileSchema(whole); err == nil {
				d.schema = whole
			}
		}
	}
	read := jsontext.Value(listed).Clone()
	_ = read.Canonicalize(leniently...) // one that can't be is compared as it was written
	sum := sha256.Sum256(read)
	d.digest = hex.EncodeToString(sum[:])
	return d
}

func clip(description string) string {
	if len(description) <= maxDescription {
		return description
	}
	return strings.ToValidUTF8(description[:maxDescription], "") + "…"
}

// hintsOf is what a server says of a tool. It is not believed, and only shown.
func hintsOf(annotations tool.JSON) string {
	var said []string
	for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if value := string(member(annotations, hint)); value == "true" || value == "false" {
			said = append(said, strings.TrimSuffix(hint, "Hint")+": "+value)
		}
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}
