package transport

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/internal/mask"
)

// lenient is how a server's message is read where the library is to say what is
// wrong with it.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// called is the result of a call, of which each part may be of any shape.
type called struct {
	Content    jsontext.Value `json:"content,omitzero"`
	Structured jsontext.Value `json:"structuredContent,omitzero"`
	IsError    jsontext.Value `json:"isError,omitzero"`
	Meta       jsontext.Value `json:"_meta,omitzero"`
	ResultType jsontext.Value `json:"resultType,omitzero"`
	Task       jsontext.Value `json:"task,omitzero"`
}

// isTask reports whether it is no result yet: the server has begun a task.
func (c *called) isTask() bool {
	return len(c.Content) == 0 && (string(c.ResultType) == `"task"` || c.Task.Kind() == '{')
}

// taskBegun stands for the result of a task.
const taskBegun = `{"content":[{"type":"text","text":"[The server runs this call as a task, whose result can't be had here. What it does is not known.]"}]}`

// readable is the result of a call that the library can read: what it can't read
// of the content is replaced by a text that says what is left out. Other results,
// and those that the library can read as they are, stay as they are. A call that
// asks for answers has no content, and has not run.
func readable(result jsontext.Value) jsontext.Value {
	var c called
	err := json.Unmarshal(result, &c, lenient)
	switch {
	case err == nil && c.isTask():
		return jsontext.Value(taskBegun)
	case err != nil || len(c.Content)+len(c.Structured)+len(c.IsError) == 0:
		return result
	}
	if canRead(result) {
		return result
	}
	c.Task = nil
	if c.IsError.Kind() == 'n' || c.IsError.Kind() == 'f' {
		c.IsError = nil
	} else if len(c.IsError) > 0 {
		c.IsError = jsontext.Value("true") // what is no plain false may be an error
	}
	if c.Meta.Kind() != '{' {
		c.Meta = nil
	}
	if c.ResultType.Kind() != '"' {
		c.ResultType = nil
	}
	blocks := []jsontext.Value{}
	for _, block := range blocksOf(c.Content) {
		blocks = append(blocks, readableBlock(block))
	}
	if c.Content, err = json.Marshal(blocks, lenient); err != nil {
		return result
	}
	written, err := json.Marshal(c, lenient)
	if err != nil {
		return result
	}
	return written
}

// blocksOf are the blocks of a content; what is no list is one.
func blocksOf(content jsontext.Value) []jsontext.Value {
	var blocks []jsontext.Value
	if kind := content.Kind(); len(content) == 0 || kind == 'n' {
		return nil
	} else if kind != '[' || json.Unmarshal(content, &blocks, lenient) != nil {
		return []jsontext.Value{content}
	}
	return blocks
}

// readableBlock is a block that the library can read: itself, itself without what
// says something about it, or a text that stands for it.
func readableBlock(block jsontext.Value) jsontext.Value {
	if canReadBlock(block) {
		return block
	}
	var text string
	if block.Kind() == '"' && json.Unmarshal(block, &text, lenient) == nil {
		return textBlock(text)
	}
	var parts map[string]jsontext.Value
	if block.Kind() != '{' || json.Unmarshal(block, &parts, lenient) != nil {
		return textBlock("[content left out: it is no object]")
	}
	for _, about := range []string{"annotations", "_meta", "icons", "size", "title", "description"} {
		delete(parts, about)
	}
	if plain, err := json.Marshal(parts, lenient); err == nil && canReadBlock(plain) {
		return plain
	}
	var kind string
	if json.Unmarshal(parts["type"], &kind, lenient) != nil || kind == "" {
		return textBlock("[content left out: it does not say of which type it is]")
	}
	if canReadBlock(jsontext.Value(fmt.Sprintf(`{"type":%s}`, parts["type"]))) {
		return textBlock(fmt.Sprintf("[content left out: a block of type %s that makes no sense]", kind))
	}
	if len(kind) > maxKind {
		return textBlock("[content left out: its type is not known here]")
	}
	return textBlock(fmt.Sprintf("[content left out: its type %q is not known here]", mask.Hidden(kind)))
}

// maxKind is how long the type of a block may be, in bytes, to be told.
const maxKind = 64

func textBlock(text string) jsontext.Value {
	block, err := json.Marshal(map[string]string{"type": "text", "text": text}, lenient)
	if err != nil {
		return jsontext.Value(`{"type":"text","text":"[content left out]"}`)
	}
	return block
}

func canReadBlock(block jsontext.Value) bool {
	return canRead(jsontext.Value(`{"content":[` + string(block) + `]}`))
}

// canRead reports whether the library can.
func canRead(result jsontext.Value) bool {
	_, err := SafeCall(func() (struct{}, error) { return struct{}{}, new(mcp.CallToolResult).UnmarshalJSON(result) })
	return err == nil
}

// IsUnreadable reports whether an error of the library's says of an answer that it
// came, and is none that it can read. Its type is that of encoding/json.
func IsUnreadable(err error) bool { return strings.Contains(err.Error(), "json: cannot unmarshal") }
