package canary

func wholeResponse(say reply) object {
	return responseBody(say, "completed", responseItem(say, "completed"))
}

func responseEvents(say reply) []event {
	done := responseItem(say, "completed")
	all := []event{
		{"response.created", object{"response": responseBody(say, "in_progress")}},
		{"response.output_item.added", object{"output_index": 0, "item": responseItem(say, "in_progress")}},
	}
	at := func(more object) object {
		more["item_id"], more["output_index"] = done["id"], 0
		return more
	}
	if say.id != "" {
		args := string(say.call.Args)
		all = append(all,
			event{"response.function_call_arguments.delta", at(object{"delta": args})},
			event{"response.function_call_arguments.done", at(object{"arguments": args})})
	} else {
		part := object{"type": "output_text", "text": say.text, "annotations": []any{}}
		all = append(all,
			event{"response.content_part.added", at(object{"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []any{}}})},
			event{"response.output_text.delta", at(object{"content_index": 0, "delta": say.text})},
			event{"response.output_text.done", at(object{"content_index": 0, "text": say.text})},
			event{"response.content_part.done", at(object{"content_index": 0, "part": part})})
	}
	all = append(all,
		event{"response.output_item.done", object{"output_index": 0, "item": done}},
		event{"response.completed", object{"response": responseBody(say, "completed", done)}})
	for i, e := range all {
		e.data["type"], e.data["sequence_number"] = e.name, i
	}
	return all
}

// responseItem is the call or the text; one that has only begun has nothing in it.
func responseItem(say reply, status string) object {
	begun := status != "completed"
	if say.id != "" {
		item := object{"type": "function_call", "id": say.name("fc_"), "call_id": say.id, "name": say.call.Tool, "arguments": "", "status": status}
		if !begun {
			item["arguments"] = string(say.call.Args)
		}
		return item
	}
	item := object{"type": "message", "id": say.name("msg_"), "role": "assistant", "status": status, "content": []object{}}
	if !begun {
		item["content"] = []object{{"type": "output_text", "text": say.text, "annotations": []any{}}}
	}
	return item
}

func responseBody(say reply, status string, output ...object) object {
	if output == nil {
		output = []object{}
	}
	return object{
		"id": say.name("resp_"), "object": "response", "created_at": 0, "status": status, "model": say.model, "output": output,
		"parallel_tool_calls": false, "tool_choice": "auto", "tools": []any{}, "error": nil, "incomplete_details": nil,
		"usage": object{
			"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2,
		},
	}
}
