package canary

var chatUsage = object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}

func wholeChat(say reply) object {
	message, reason := chatMessage(say)
	out := chatBody(say, "chat.completion", object{"message": message, "finish_reason": reason})
	out["usage"] = chatUsage
	return out
}

func chatEvents(say reply) []event {
	message, reason := chatMessage(say)
	last := chatBody(say, "chat.completion.chunk", object{"delta": object{}, "finish_reason": reason})
	last["usage"] = chatUsage
	return []event{
		{data: chatBody(say, "chat.completion.chunk", object{"delta": message, "finish_reason": nil})},
		{data: last},
		{},
	}
}

func chatMessage(say reply) (message object, reason string) {
	if say.id == "" {
		return object{"role": "assistant", "content": say.text}, "stop"
	}
	call := object{"index": 0, "id": say.id, "type": "function", "function": object{
		"name": say.call.Tool, "arguments": string(say.call.Args),
	}}
	return object{"role": "assistant", "content": nil, "tool_calls": []object{call}}, "tool_calls"
}

func chatBody(say reply, kind string, choice object) object {
	choice["index"] = 0
	return object{"id": say.name("chatcmpl-"), "object": kind, "created": 0, "model": say.model, "choices": []object{choice}}
}
