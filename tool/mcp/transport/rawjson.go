package transport

import (
	"bytes"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool"
)

// rawJSONKey is the name in _meta under which keepRawJSON leaves a text.
const rawJSONKey = "lineclear/raw-json"

// executionKey is that for what a tool says of how it is run, of which the library
// knows nothing.
const executionKey = "lineclear/execution"

// NeedsTask reports whether a tool can only be called as a task.
func NeedsTask(meta mcp.Meta) bool {
	text, _ := meta[executionKey].(string)
	var execution struct {
		TaskSupport string `json:"taskSupport"`
	}
	return json.Unmarshal([]byte(text), &execution, lenient) == nil && execution.TaskSupport == "required"
}

// RawJSON is a schema or a structured result as the server wrote it. Its _meta has
// it; where it does not, what the library has decoded is encoded again.
func RawJSON(meta mcp.Meta, decoded any) (tool.JSON, error) {
	text, _ := meta[rawJSONKey].(string)
	if raw := jsontext.Value(text); raw.IsValid(jsontext.AllowDuplicateNames(true)) {
		return tool.JSON(raw), nil
	}
	return json.Marshal(decoded, json.Deterministic(true))
}

type (
	message struct {
		Method string         `json:"method,omitzero"`
		Params jsontext.Value `json:"params,omitzero"`
		Result jsontext.Value `json:"result,omitzero"`
		Rest   jsontext.Value `json:",embed"`
	}
	listedTool struct {
		Meta      map[string]jsontext.Value `json:"_meta,omitzero"`
		Schema    jsontext.Value            `json:"inputSchema,omitzero"`
		Execution jsontext.Value            `json:"execution,omitzero"`
		Rest      jsontext.Value            `json:",embed"`
	}
	answer struct {
		Meta       map[string]jsontext.Value `json:"_meta,omitzero"`
		Tools      []*listedTool             `json:"tools,omitzero"`
		Structured jsontext.Value            `json:"structuredContent,omitzero"`
		Questions  map[string]*message       `json:"inputRequests,omitzero"`
		Rest       jsontext.Value            `json:",embed"`
	}
	question struct {
		Meta   map[string]jsontext.Value `json:"_meta,omitzero"`
		Schema jsontext.Value            `json:"requestedSchema,omitzero"`
		Rest   jsontext.Value            `json:",embed"`
	}
)

// concerned are the names in a message of which keepRawJSON may change something.
var concerned = regexp.MustCompile(`"(inputSchema|structuredContent|requestedSchema|content|isError|task|resultType)"`)

// keepRawJSON is a message of a server with the texts of its schemas and its
// structured result in _meta, and the content of a call's result made readable. One
// that is not as it should be stays as it is: the library says what is wrong with it.
func keepRawJSON(data []byte) []byte {
	if !concerned.Match(data) {
		return data
	}
	var m message
	if err := json.Unmarshal(data, &m, lenient); err != nil {
		return data
	}
	result := m.Result
	if m.Method == "" {
		m.Result = readable(result)
	}
	if !m.keep() && bytes.Equal(result, m.Result) {
		return data
	}
	kept, err := json.Marshal(m, lenient)
	if err != nil {
		return data
	}
	return kept
}

// keep reports whether it could be done.
func (m *message) keep() bool {
	if m.Method == "elicitation/create" {
		return rewrite(&m.Params, func(q *question) bool { return note(&q.Meta, rawJSONKey, q.Schema) })
	}
	if len(m.Result) == 0 {
		return false
	}
	return rewrite(&m.Result, func(a *answer) bool {
		ok := note(&a.Meta, rawJSONKey, a.Structured)
		for _, t := range a.Tools {
			ok = ok && t != nil && note(&t.Meta, rawJSONKey, t.Schema) && note(&t.Meta, executionKey, t.Execution)
		}
		for _, q := range a.Questions {
			if q != nil && q.Method == "elicitation/create" {
				ok = ok && q.keep()
			}
		}
		return ok
	})
}

// rewrite has a part of a message decoded, changed and rewritten.
func rewrite[T any](part *jsontext.Value, change func(*T) bool) bool {
	var v T
	if err := json.Unmarshal(*part, &v, lenient); err != nil || !change(&v) {
		return false
	}
	written, err := json.Marshal(v, lenient)
	if err != nil {
		return false
	}
	*part = written
	return true
}

// note writes a text into a _meta; where there is none it takes away what the
// server may have put there under our name.
func note(meta *map[string]jsontext.Value, key string, text jsontext.Value) bool {
	if len(text) == 0 {
		delete(*meta, key)
		return true
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return false
	}
	if *meta == nil {
		*meta = map[string]jsontext.Value{}
	}
	(*meta)[key] = quoted
	return true
}
