package mcpgate

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/tool"
)

// Codes of JSON-RPC 2.0, of MCP, and ours.
const (
	badRequest   = -32600
	badParams    = -32602
	refusedByUs  = -32000
	userRejected = -1
)

// errMessage is returned for a message that two readers could take for two things.
var errMessage = errors.New("mcpgate: not a single JSON-RPC message")

// message is one of JSON-RPC 2.0, as it was written.
type message struct {
	raw    []byte
	id     tool.JSON // of a request or a response
	method string    // of a request or a notification
	params tool.JSON
	result tool.JSON
	failed bool // it has an error
}

func (m message) isRequest() bool  { return m.method != "" && m.id != nil }
func (m message) isResponse() bool { return m.method == "" }

// isNew reports whether a request is one of MCP 2026-07-28 or later, which has no session.
func (m message) isNew() bool { return text(m.params, "_meta", versionKey) != "" }

const (
	versionKey = "io.modelcontextprotocol/protocolVersion"
	clientKey  = "io.modelcontextprotocol/clientInfo"
)

// members are those of a message. Other members are passed on and not looked at.
var members = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// leniently is how values are read that pass as they are: each side reads them itself.
var leniently = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// read reads a message. A member that is given twice, or under a name in another case, is
// an error: the receiver might read another message than we do.
func read(raw []byte) (message, error) {
	m := message{raw: raw}
	seen := map[string]bool{}
	for name, value := range object(raw) {
		switch {
		case value == nil:
			return m, fmt.Errorf("%w: %s", errMessage, name)
		case seen[name]:
			return m, fmt.Errorf("%w: %s is given twice", errMessage, name)
		}
		seen[name] = true
		if err := m.take(name, value); err != nil {
			return m, err
		}
	}
	answered := seen["result"]
	if m.method == "" && m.id != nil && answered == m.failed || m.method != "" && (answered || m.failed) {
		return m, fmt.Errorf("%w: want a method, a result or an error", errMessage)
	}
	if m.method == "" && m.id == nil && !(seen["id"] && m.failed && !answered) { // an error may answer what could not be read
		return m, fmt.Errorf("%w: it has no method and no id", errMessage)
	}
	return m, nil
}

func (m *message) take(name string, value jsontext.Value) error {
	switch name {
	case "id":
		if kind := value.Kind(); kind != '"' && kind != '0' {
			if kind == 'n' {
				return nil // an error that answers no request
			}
			return fmt.Errorf("%w: id: want a number or a text", errMessage)
		}
		m.id = tool.JSON(value)
	case "method":
		if json.Unmarshal(value, &m.method) != nil || m.method == "" {
			return fmt.Errorf("%w: method: want a text", errMessage)
		}
	case "params":
		m.params = tool.JSON(value)
	case "result":
		m.result = tool.JSON(value)
	case "error":
		m.failed = true
	default:
		for _, member := range members {
			if member != name && strings.EqualFold(member, name) {
				return fmt.Errorf("%w: %s: names are case-sensitive", errMessage, name)
			}
		}
	}
	return nil
}

// object iterates over the members of an object, as often as they are there. What can't be
// read ends it with a nil value and what is wrong.
func object(raw []byte) func(yield func(name string, value jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(raw), leniently...)
		if d.PeekKind() != '{' {
			yield("want one JSON object", nil)
			return
		}
		_, err := d.ReadToken()
		for err == nil && d.PeekKind() == '"' {
			var name jsontext.Token
			if name, err = d.ReadToken(); err != nil {
				break
			}
			text := name.String() // the next read reuses the token's memory
			var value jsontext.Value
			if value, err = d.ReadValue(); err == nil && !yield(text, value.Clone()) {
				return
			}
		}
		if err == nil {
			_, err = d.ReadToken()
		}
		if err == nil && len(bytes.TrimSpace(d.UnreadBuffer())) > 0 {
			err = errors.New("more follows it")
		}
		if err != nil {
			yield(err.Error(), nil)
		}
	}
}

// member is one member of an object; nil where there is none.
func member(raw []byte, path ...string) tool.JSON {
	for _, name := range path {
		var found tool.JSON
		for n, value := range object(raw) {
			if n == name && value != nil {
				found = tool.JSON(value)
			}
		}
		if found == nil {
			return nil
		}
		raw = found
	}
	return raw
}

// text is a member that is a text; empty where it is none.
func text(raw []byte, path ...string) (s string) {
	if found := member(raw, path...); found != nil {
		_ = json.Unmarshal(found, &s, leniently...) // then it is none
	}
	return s
}

// key names an id by its value, however that is written.
func key(id tool.JSON) string { return jsonrpc.Key(id) }

// written is what this package makes itself of a message.
type written struct {
	Version string    `json:"jsonrpc"`
	ID      tool.JSON `json:"id,omitzero"`
	Method  string    `json:"method,omitempty"`
	Params  any       `json:"params,omitempty"`
	Result  any       `json:"result,omitempty"`
	Error   *failure  `json:"error,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (w written) bytes() []byte {
	w.Version = "2.0"
	raw, err := json.Marshal(w, append([]json.Options{json.Deterministic(true)}, leniently[0], leniently[1])...)
	if err != nil { // of texts, and of JSON that has been read
		panic(err)
	}
	return raw
}

func errorTo(id tool.JSON, code int, format string, args ...any) []byte {
	return written{ID: id, Error: &failure{Code: code, Message: fmt.Sprintf(format, args...)}}.bytes()
}

// refusal is the answer to a call that has not run, in words for the model.
func refusal(to message, words string) []byte {
	result := map[string]any{"content": []any{map[string]string{"type": "text", "text": words}}, "isError": true}
	if to.isNew() {
		result["resultType"] = "complete"
	}
	return written{ID: to.id, Result: result}.bytes()
}

// blocks are the items of an array; none where it is not one.
func blocks(raw tool.JSON) (list []tool.JSON) {
	_ = json.Unmarshal(raw, &list, leniently...) // then there are none
	return list
}
