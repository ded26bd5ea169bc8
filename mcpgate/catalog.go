package mcpgate

import (
	"crypto/sha256"
	"encoding/hex"
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
}

// catalog is what is known of a server's tools.
type catalog struct {
	mu    sync.Mutex
	fresh bool
	tools map[string]definition
	first map[string]string // the digest with which a tool was first listed
}

// stale notes that the server's list is another one.
func (c *catalog) stale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh = false
}

// take takes a page of the list. more says what the next page is to be asked with.
func (c *catalog) take(result tool.JSON, first bool) (more tool.JSON) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first || c.tools == nil {
		c.tools = map[string]definition{}
	}
	if c.first == nil {
		c.first = map[string]string{}
	}
	for _, listed := range blocks(member(result, "tools")) {
		name := text(listed, "name")
		if len(c.first) >= maxTools && c.first[name] == "" {
			continue
		}
		d := definitionOf(listed)
		if c.first[name] == "" {
			c.first[name] = d.digest
		}
		d.changed = c.first[name] != d.digest
		c.tools[name] = d
	}
	more = member(result, "nextCursor")
	if strictjson.Kind(more) != '"' {
		more = nil
	}
	c.fresh = c.fresh || more == nil
	return more
}

// of is a tool's definition, and whether the list is known.
func (c *catalog) of(name string) (definition, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.tools[name]
	if d.digest == "" && c.first[name] != "" {
		d.changed = true // it is gone
	}
	return d, c.fresh
}

func definitionOf(listed tool.JSON) definition {
	d := definition{description: text(listed, "description"), hints: hintsOf(member(listed, "annotations"))}
	if len(d.description) > maxDescription {
		d.description = strings.ToValidUTF8(d.description[:maxDescription], "") + "…"
	}
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
