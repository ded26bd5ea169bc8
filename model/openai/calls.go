package openai

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// callPiece is what a chunk adds to a tool call.
type callPiece struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments tool.JSON `json:"arguments"` // a string; some servers send an object
	} `json:"function"`
	Extra tool.JSON `json:"extra_content"`
}

// call is a tool call, as far as it has arrived.
type call struct {
	index    int
	id, name string
	args     strings.Builder
	extra    tool.JSON
}

// arguments are as the model wrote them. None become an empty object.
func (c *call) arguments() tool.JSON {
	if strings.TrimSpace(c.args.String()) == "" {
		return tool.JSON("{}")
	}
	return tool.JSON(c.args.String())
}

// calls puts calls together from their pieces.
type calls struct{ all []*call }

func (cs *calls) add(p callPiece) {
	c := cs.find(p)
	if c.id == "" {
		c.id = p.ID
	}
	if c.name == "" {
		c.name = p.Function.Name
	}
	if text, ok := remote.Text(p.Function.Arguments); ok {
		c.args.WriteString(text)
	} else if strictjson.Kind(p.Function.Arguments) == '{' {
		c.args.Write(p.Function.Arguments)
	}
	if strictjson.Kind(p.Extra) == '{' {
		c.extra = bytes.Clone(p.Extra)
	}
}

// find finds the call that a piece belongs to, by its index. Some servers give every
// call the same index, or none. There a new id begins the next call, and so does a name
// once the arguments are whole.
func (cs *calls) find(p callPiece) *call {
	for i := len(cs.all) - 1; i >= 0; i-- {
		c := cs.all[i]
		if p.Index != nil && *p.Index != c.index {
			continue
		}
		other := p.ID != "" && c.id != "" && p.ID != c.id
		again := p.Function.Name != "" && c.name != "" && p.ID == "" && jsontext.Value(tool.JSON(c.args.String())).IsValid()
		if !other && !again {
			return c
		}
		break
	}
	c := &call{index: len(cs.all)}
	if p.Index != nil {
		c.index = *p.Index
	}
	cs.all = append(cs.all, c)
	return c
}
