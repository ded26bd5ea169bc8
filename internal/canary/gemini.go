package canary

func wholeGemini(say reply) object {
	part := object{"text": say.text}
	if say.id != "" {
		part = object{"functionCall": object{"id": say.id, "name": say.call.Tool, "args": say.call.Args}}
	}
	return object{
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		"modelVersion":  "canary", "responseId": say.name("canary-"),
	}
}

func geminiEvents(say reply) []event { return []event{{data: wholeGemini(say)}} }
