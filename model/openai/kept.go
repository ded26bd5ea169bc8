package openai

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// kept is what stands in Reply.Kept.
type kept struct {
	remote.Origin `json:",inline"`
	Details       []tool.JSON `json:"reasoning_details,omitempty"`
	Reasoning     string      `json:"reasoning_content,omitempty"`
	Calls         []tool.JSON `json:"calls,omitempty"` // the extra_content of each call; null: none
}

// value is the JSON of k; empty if the server wants nothing back.
func (k kept) value() (tool.JSON, error) {
	extra := false
	for i, v := range k.Calls {
		if len(v) == 0 {
			k.Calls[i] = tool.JSON("null")
			continue
		}
		extra = true
	}
	if !extra {
		k.Calls = nil
	}
	if len(k.Details) == 0 && k.Reasoning == "" && !extra {
		return nil, nil
	}
	raw, err := json.Marshal(k, remote.Lenient(), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("openai: what the server wants back: %w", err)
	}
	return raw, nil
}

// readKept reads what a message has kept. What is malformed or of another origin is
// left out.
func readKept(v tool.JSON, here remote.Origin) kept {
	var k kept
	if len(v) == 0 || strictjson.Decode(v, &k) != nil || k.Origin != here {
		return kept{}
	}
	for _, d := range k.Details {
		if strictjson.Kind(d) != '{' {
			return kept{}
		}
	}
	return k
}

// extra is the extra_content of a call; empty where it has none.
func (k kept) extra(i int) tool.JSON {
	if i >= len(k.Calls) || strictjson.Kind(k.Calls[i]) != '{' {
		return nil
	}
	return k.Calls[i]
}

// details are the reasoning_details of a message, put together from the pieces of a
// stream.
type details []tool.JSON

// add takes a piece. One that continues the text before it is joined to it: servers
// want the details back as they would have sent them without a stream.
func (ds *details) add(v tool.JSON) {
	if strictjson.Kind(v) != '{' {
		return
	}
	if n := len(*ds); n > 0 {
		if joined, ok := join((*ds)[n-1], v); ok {
			(*ds)[n-1] = joined
			return
		}
	}
	*ds = append(*ds, bytes.Clone(v))
}

func join(before, v tool.JSON) (tool.JSON, bool) {
	var a, b map[string]tool.JSON
	if json.Unmarshal(before, &a, remote.Lenient()) != nil || json.Unmarshal(v, &b, remote.Lenient()) != nil {
		return nil, false
	}
	kind, _ := remote.Text(a["type"])
	name, ok := strings.CutPrefix(kind, "reasoning.")
	if !ok || name != "text" && name != "summary" || string(a["type"]) != string(b["type"]) || string(a["index"]) != string(b["index"]) {
		return nil, false
	}
	head, _ := remote.Text(a[name])
	tail, _ := remote.Text(b[name])
	text, err := json.Marshal(head + tail)
	if err != nil {
		return nil, false
	}
	for field, value := range b {
		if len(a[field]) == 0 || strictjson.Kind(a[field]) == 'n' {
			a[field] = value
		}
	}
	a[name] = text
	joined, err := json.Marshal(a, json.Deterministic(true))
	return joined, err == nil
}

// text is the readable part of the details.
func (ds details) text() string {
	var all strings.Builder
	for _, d := range ds {
		var fields map[string]tool.JSON
		if json.Unmarshal(d, &fields, remote.Lenient()) != nil {
			continue
		}
		for _, name := range []string{"text", "summary"} {
			text, _ := remote.Text(fields[name])
			all.WriteString(text)
		}
	}
	return all.String()
}
