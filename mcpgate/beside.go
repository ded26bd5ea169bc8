package mcpgate

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/tool"
)

// besides collects what a call brings beside its name and arguments.
type besides struct {
	shown []string
	bound []string
}

// add adds a member under the names that lead to it. bound: a decision holds for it alone.
func (b *besides) add(value jsontext.Value, bound bool, path ...string) {
	_ = value.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) // it has been read
	for i, name := range path {
		path[i] = strconv.Quote(name)
	}
	line := strings.Join(path, ".") + ": " + string(value)
	b.shown = append(b.shown, line)
	if bound {
		b.bound = append(b.bound, line)
	}
}

// texts are what is shown and what is bound, a line each. Names are quoted and values have no line
// breaks, so different members are different texts.
func (b *besides) texts() (shown, bound string) {
	slices.Sort(b.shown)
	slices.Sort(b.bound)
	return strings.Join(b.shown, "\n"), strings.Join(b.bound, "\n")
}

// addMeta adds what _meta has beside the words of the protocol itself, and returns the token of the
// call's progress; nil: none.
func (b *besides) addMeta(meta jsontext.Value) (token tool.JSON, err error) {
	if meta.Kind() == 'n' {
		return nil, nil
	}
	if meta.Kind() != '{' {
		return nil, errors.New("params._meta: want an object")
	}
	for name, value := range object(meta) {
		kind := value.Kind()
		switch {
		case name == "progressToken" && (kind == '"' || kind == '0'):
			token = tool.JSON(value)
		case name == "progressToken" && kind != 'n':
			return nil, errors.New("params._meta.progressToken: want a text or a number")
		case name == "progressToken" || slices.Contains(protocolKeys, name):
		default:
			b.add(value, kind != '"' || !slices.Contains(traceKeys, name), "_meta", name)
		}
	}
	return token, nil
}

// protocolKeys are what a newer client says of itself in each request.
var protocolKeys = []string{versionKey, clientKey, "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/logLevel"}

// traceKeys are texts by which a call is found in traces. They are another in each call, so a
// decision holds whatever they are.
var traceKeys = []string{"traceparent", "tracestate", "baggage"}
