package mcpgate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// toolCall is the params of a tools/call.
type toolCall struct {
	id    tool.JSON // of the request
	name  string
	args  strictjson.Canonical
	token tool.JSON // of its progress; nil: none
	trace string    // the traceparent of its _meta
	whole tool.JSON

	// beside is what the server is given beside the name and the arguments, a line each: what it
	// wanted in an earlier round, a task, metadata of others. People are shown it.
	beside string
	// bound are the lines of that for which a decision holds alone.
	bound string
}

// readCall reads the params of a tools/call. What another reader could read otherwise is an
// error: a name that is given twice, at any depth, or in another case.
func readCall(params tool.JSON) (toolCall, error) {
	whole, err := strictjson.Object(strictjson.OrEmptyObject(params))
	if err != nil {
		return toolCall{}, fmt.Errorf("params: %w", err)
	}
	c := toolCall{whole: whole}
	args := tool.JSON("{}")
	var more besides
	for name, value := range object(whole) {
		switch {
		case name == "name":
			if err := json.Unmarshal(value, &c.name); err != nil || c.name == "" {
				return c, errors.New("params.name: want the name of a tool")
			}
		case name == "arguments" && value.Kind() == 'n': // so some clients say that there are none
		case name == "arguments":
			args = tool.JSON(value)
		case strings.EqualFold(name, "name") || strings.EqualFold(name, "arguments"):
			return c, fmt.Errorf("params.%s: names are case-sensitive", name)
		case name == "_meta":
			if c.token, err = more.addMeta(value); err != nil {
				return c, err
			}
			c.trace = trace.Clean(text(value, "traceparent"))
		default:
			more.add(value, true, name)
		}
	}
	c.beside, c.bound = more.texts()
	if c.name == "" {
		return c, errors.New("params.name: missing")
	}
	if strictjson.Kind(args) != '{' {
		return c, errors.New("params.arguments: want an object")
	}
	if c.args, err = strictjson.Canonicalize(args); err != nil {
		return c, fmt.Errorf("params.arguments: %w", err)
	}
	return c, nil
}

// digest identifies what the call would do.
func (c toolCall) digest() string {
	sum := sha256.Sum256([]byte(c.name + "\x00" + c.args.String() + "\x00" + c.bound))
	return hex.EncodeToString(sum[:])
}

// with is the params with the arguments that were cleared, printed again.
func (c toolCall) with(args strictjson.Canonical) (tool.JSON, error) {
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out)
	fail := e.WriteToken(jsontext.BeginObject)
	put := func(name string, value []byte) {
		fail = errors.Join(fail, e.WriteToken(jsontext.String(name)), e.WriteValue(value))
	}
	for name, value := range object(c.whole) {
		if name != "arguments" {
			put(name, value)
		}
	}
	put("arguments", args.Value())
	fail = errors.Join(fail, e.WriteToken(jsontext.EndObject))
	if fail != nil {
		return nil, fail
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
