package canary

func wholeMessage(say reply) object {
	block, reason := object{"type": "text", "text": say.text}, "end_turn"
	if say.id != "" {
		block, reason = object{"type": "tool_use", "id": say.id, "name": say.call.Tool, "input": say.call.Args}, "tool_use"
	}
	return messageBody(say, reason, block)
}

func messageEvents(say reply) []event {
	begun, reason := object{"type": "text", "text": ""}, "end_turn"
	delta := object{"type": "text_delta", "text": say.text}
	if say.id != "" {
		begun, reason = object{"type": "tool_use", "id": say.id, "name": say.call.Tool, "input": object{}}, "tool_use"
		delta = object{"type": "input_json_delta", "partial_json": string(say.call.Args)}
	}
	all := []event{
		{"message_start", object{"message": messageBody(say, nil)}},
		{"content_block_start", object{"index": 0, "content_block": begun}},
		{"content_block_delta", object{"index": 0, "delta": delta}},
		{"content_block_stop", object{"index": 0}},
		{"message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}}},
		{"message_stop", object{}},
	}
	for _, e := range all {
		e.data["type"] = e.name
	}
	return all
}

func messageBody(say reply, reason any, content ...object) object {
	if content == nil {
		content = []object{}
	}
	return object{
		"id": say.name("msg_"), "type": "message", "role": "assistant", "model": say.model, "content": content,
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1},
	}
}
