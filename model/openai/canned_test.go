package openai_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/openai"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

func canned(answer string) *modeltest.Canned {
	return &modeltest.Canned{Answer: answer, New: func(o remote.Options) (model.Model, error) { return openai.New(o) }}
}

// stream makes a body of events.
func stream(events ...string) string {
	return "data: " + strings.Join(append(events, "[DONE]"), "\n\ndata: ") + "\n\n"
}

func prompt(messages ...model.Message) model.Prompt {
	return model.Prompt{
		Messages: append([]model.Message{{Role: model.User, Text: "Go on."}}, messages...),
		Tools:    []tool.Spec{{Name: "ui.show"}, {Name: "shell"}},
	}
}

const stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func args(text string) jsontext.Value { return jsontext.Value(text) }
