package anthropic_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/model/anthropic"
)

func TestOptionsThatCannotWorkAreErrorsThatNameTheField(t *testing.T) {
	for field, o := range map[string]anthropic.Options{
		"model":                      {},
		"base URL":                   {Model: "m", BaseURL: "localhost:8000/v1"},
		"base URL: want http":        {Model: "m", BaseURL: "ftp://x/v1"},
		"base URL: want no login":    {Model: "m", BaseURL: "https://me:secret@x/v1"},
		"no ? and":                   {Model: "m", BaseURL: "https://x/v1?key=secret"},
		"key":                        {Model: "m", Key: "secret\n"},
		"headers":                    {Model: "m", Headers: map[string]string{"X Y": "z"}},
		`headers: "X-A"`:             {Model: "m", Headers: map[string]string{"X-A": "secret\r\n"}},
		"max tokens":                 {Model: "m", MaxTokens: -1},
		"timeout":                    {Model: "m", Timeout: -time.Second},
		"parameters":                 {Model: "m", Parameters: args(`[]`)},
		"given twice":                {Model: "m", Parameters: args(`{"top_p":1,"top_p":0}`)},
		"parameters: model: can't":   {Model: "m", Parameters: args(`{"model":"x"}`)},
		"parameters: messages:":      {Model: "m", Parameters: args(`{"messages":[]}`)},
		"parameters: tools:":         {Model: "m", Parameters: args(`{"tools":null}`)},
		"parameters: stream: can't":  {Model: "m", Parameters: args(`{"stream":false}`)},
		"parameters: system: can't ": {Model: "m", Parameters: args(`{"system":"x"}`)},
	} {
		m, err := anthropic.New(o)
		if err == nil || m != nil || !strings.Contains(err.Error(), field) || !strings.HasPrefix(err.Error(), "anthropic: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestParametersAreMergedAndNullTakesAFieldOut(t *testing.T) {
	s := &canned{answer: stream()}
	o := anthropic.Options{BaseURL: "http://127.0.0.1:9/deep", Parameters: args(`{"max_tokens":7,"cache_control":{"type":"ephemeral"},"thinking":null}`)}
	if _, err := s.ask(t, o, prompt()); err != nil {
		t.Fatal(err)
	}
	if s.url != "http://127.0.0.1:9/deep/v1/messages" || !strings.Contains(s.sent, `"max_tokens":7`) || !strings.Contains(s.sent, `"ephemeral"`) || strings.Contains(s.sent, "thinking") {
		t.Errorf("to %s: %s", s.url, s.sent)
	}
}

func TestWithoutOptionsAnthropicIsAskedForAsMuchAsIsUsual(t *testing.T) {
	s := &canned{answer: stream()}
	if _, err := s.ask(t, anthropic.Options{}, prompt()); err != nil || s.url != "https://api.anthropic.com/v1/messages" || !strings.Contains(s.sent, `"max_tokens":8192`) {
		t.Errorf("%v, to %s: %s", err, s.url, s.sent)
	}
}
