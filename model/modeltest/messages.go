package modeltest

import (
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
)

// messages speaks the Messages API.
type messages struct{}

func (messages) base() string { return "" }
func (messages) path() string { return "/v1/messages" }

func messageEvent(kind string, fields object) string {
	fields["type"] = kind
	return "event: " + kind + "\ndata: " + write(fields) + "\n\n"
}

func (m messages) events(a Answer) []string {
	all := []string{
		messageEvent("message_start", object{"message": m.message(a, []object{}, nil)}),
		messageEvent("ping", object{}),
	}
	for i, b := range m.blocks(a) {
		all = append(all, messageEvent("content_block_start", object{"index": i, "content_block": b.start}))
		for _, d := range b.deltas {
			all = append(all, messageEvent("content_block_delta", object{"index": i, "delta": d}))
		}
		all = append(all, messageEvent("content_block_stop", object{"index": i}))
	}
	end := object{"delta": object{"stop_reason": m.reason(a), "stop_sequence": nil}}
	if a.Usage != nil {
		end["usage"] = object{"output_tokens": a.Usage.Output}
	}
	return append(all, messageEvent("message_delta", end), messageEvent("message_stop", object{}))
}

// messageBlock is a block in the forms that it has in a stream and in a whole
// message.
type messageBlock struct {
	start, whole object
	deltas       []object
}

func (messages) blocks(a Answer) []messageBlock {
	var all []messageBlock
	if len(a.Thoughts) > 0 {
		thought := strings.Join(a.Thoughts, "")
		b := messageBlock{
			start: object{"type": "thinking", "thinking": "", "signature": ""},
			whole: object{"type": "thinking", "thinking": thought, "signature": sign(thought)},
		}
		for _, piece := range a.Thoughts {
			b.deltas = append(b.deltas, object{"type": "thinking_delta", "thinking": piece})
		}
		all = append(all, messageBlock{start: b.start, whole: b.whole, deltas: append(b.deltas, object{"type": "signature_delta", "signature": sign(thought)})})
	}
	if a.Hidden {
		b := object{"type": "redacted_thinking", "data": sign("hidden")}
		all = append(all, messageBlock{start: b, whole: b})
	}
	if len(a.Text) > 0 {
		b := messageBlock{start: object{"type": "text", "text": ""}, whole: object{"type": "text", "text": strings.Join(a.Text, "")}}
		for _, piece := range a.Text {
			b.deltas = append(b.deltas, object{"type": "text_delta", "text": piece})
		}
		all = append(all, b)
	}
	for _, call := range a.Calls {
		b := messageBlock{start: object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": object{}}}
		b.whole = object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": object{}}
		if args := strings.Join(call.Args, ""); args != "" {
			b.whole["input"] = rawJSON(args)
		}
		for _, piece := range call.Args {
			b.deltas = append(b.deltas, object{"type": "input_json_delta", "partial_json": piece})
		}
		all = append(all, b)
	}
	return all
}

func (messages) message(a Answer, content []object, reason any) object {
	said := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "test", "content": content,
		"stop_reason": reason, "stop_sequence": nil,
	}
	if a.Usage != nil {
		said["usage"] = object{
			"input_tokens": a.Usage.Input - a.Usage.Cached - a.Usage.Input/10, "cache_creation_input_tokens": a.Usage.Input / 10,
			"cache_read_input_tokens": a.Usage.Cached, "output_tokens": 1,
		}
	}
	return said
}

func (messages) reason(a Answer) string {
	switch {
	case a.Stop == model.StopLength:
		return "max_tokens"
	case a.Stop == model.StopRefused:
		return "refusal"
	case len(a.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (m messages) whole(a Answer) string {
	if a.End == Empty {
		return `{"type":"nothing"}`
	}
	content := []object{}
	for _, b := range m.blocks(a) {
		content = append(content, b.whole)
	}
	said := m.message(a, content, m.reason(a))
	if a.Usage != nil {
		said["usage"].(object)["output_tokens"] = a.Usage.Output
	}
	return write(said)
}

func (messages) empty() []string { return []string{messageEvent("ping", object{})} }

func (messages) complaint(code, words string) string {
	return write(object{"type": "error", "error": object{"type": code, "message": words}, "request_id": "req_1"})
}

func (m messages) errorEvent(code, words string) string {
	return "event: error\ndata: " + m.complaint(code, words) + "\n\n"
}

func (messages) thoughts(body []byte) string {
	var b messagesBody
	if json.Unmarshal(body, &b) != nil {
		return ""
	}
	found := ""
	for _, m := range b.Messages {
		if m.Role != "assistant" {
			continue
		}
		found = ""
		for _, block := range m.Content {
			if block.Type == "thinking" {
				found += *block.Thinking
			}
		}
	}
	return found
}
