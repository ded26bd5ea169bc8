package modeltest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
)

// chat speaks chat completions.
type chat struct{}

func (chat) base() string { return "/v1" }
func (chat) path() string { return "/v1/chat/completions" }

// object is JSON that is being written.
type object map[string]any

func write(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // an Answer that can't be written is the test's fault
	}
	return string(raw)
}

// sign makes the signature of a thought, by which the server knows it again.
func sign(thought string) string {
	sum := sha256.Sum256([]byte("signed " + thought))
	return hex.EncodeToString(sum[:])
}

func chatChunk(delta object, reason any) string {
	return "data: " + write(object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "test",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": nil}},
	}) + "\n\n"
}

func (c chat) events(a Answer) []string {
	all := []string{chatChunk(object{"role": "assistant", "content": ""}, nil)}
	for _, piece := range a.Thoughts {
		all = append(all, chatChunk(object{"reasoning": piece, "reasoning_details": []object{
			{"type": "reasoning.text", "text": piece, "index": 0, "signature": nil},
		}}, nil))
	}
	if len(a.Thoughts) > 0 {
		all = append(all, chatChunk(object{"reasoning_details": []object{
			{"type": "reasoning.text", "index": 0, "signature": sign(strings.Join(a.Thoughts, ""))},
		}}, nil))
	}
	field := "content"
	if a.Stop == model.StopRefused {
		field = "refusal"
	}
	for _, piece := range a.Text {
		all = append(all, chatChunk(object{field: piece}, nil))
	}
	for i, call := range a.Calls {
		all = append(all, chatChunk(object{"tool_calls": []object{
			{"index": i, "id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": ""}},
		}}, nil))
		for _, piece := range call.Args {
			all = append(all, chatChunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil))
		}
	}
	all = append(all, chatChunk(object{}, c.reason(a)))
	if a.Usage != nil {
		all = append(all, "data: "+write(object{"choices": []object{}, "usage": c.usage(*a.Usage)})+"\n\n")
	}
	return append(all, "data: [DONE]\n\n")
}

func (chat) reason(a Answer) string {
	switch {
	case a.Stop == model.StopLength:
		return "length"
	case a.Stop == model.StopRefused:
		return "content_filter"
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (chat) usage(u model.Usage) object {
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.Cached},
	}
}

func (c chat) whole(a Answer) string {
	said := object{"role": "assistant", "content": strings.Join(a.Text, "")}
	var calls []object
	for _, call := range a.Calls {
		calls = append(calls, object{
			"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": strings.Join(call.Args, "")},
		})
	}
	if len(calls) > 0 {
		said["tool_calls"] = calls
	}
	all := object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "test",
		"choices": []object{{"index": 0, "message": said, "finish_reason": c.reason(a)}},
	}
	if a.End == Empty {
		all["choices"] = []object{}
	}
	if a.Usage != nil {
		all["usage"] = c.usage(*a.Usage)
	}
	return write(all)
}

func (chat) empty() []string {
	return []string{"data: {\"choices\":[]}\n\n", "data: [DONE]\n\n"}
}

func (chat) complaint(code, words string) string {
	return write(object{"error": object{"message": words, "type": code, "param": nil, "code": code}})
}

func (c chat) errorEvent(code, words string) string {
	return "data: " + c.complaint(code, words) + "\n\n"
}

func (chat) thoughts(body []byte) string {
	var b chatBody
	if json.Unmarshal(body, &b) != nil {
		return ""
	}
	found := ""
	for _, m := range b.Messages {
		if m.Role != "assistant" {
			continue
		}
		found = m.Reasoning
		for _, d := range m.Details {
			found += d.Text
		}
	}
	return found
}
