package anthropic_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/anthropic"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

func canned(answer string) *modeltest.Canned {
	return &modeltest.Canned{Answer: answer, New: func(o remote.Options) (model.Model, error) { return anthropic.New(o) }}
}

// stream makes a body of events between the first and the last.
func stream(events ...string) string {
	all := append([]string{`{"type":"message_start","message":{"type":"message","role":"assistant","content":[]}}`}, events...)
	all = append(all, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)
	return "event: x\ndata: " + strings.Join(all, "\n\nevent: x\ndata: ") + "\n\n"
}

// block makes the events of one block.
func block(index, start string, deltas ...string) string {
	all := []string{`{"type":"content_block_start","index":` + index + `,"content_block":` + start + `}`}
	for _, d := range deltas {
		all = append(all, `{"type":"content_block_delta","index":`+index+`,"delta":`+d+`}`)
	}
	return strings.Join(append(all, `{"type":"content_block_stop","index":`+index+`}`), "\n\nevent: x\ndata: ")
}

func prompt(messages ...model.Message) model.Prompt {
	return model.Prompt{
		Messages: append([]model.Message{{Role: model.User, Text: "Go on."}}, messages...),
		Tools:    []tool.Spec{{Name: "ui.show"}, {Name: "shell"}},
	}
}

func args(text string) jsontext.Value { return jsontext.Value(text) }
