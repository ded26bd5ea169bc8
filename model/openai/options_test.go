package openai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/model/openai"
)

func TestOptionsThatCannotWorkAreErrorsThatNameTheField(t *testing.T) {
	for field, o := range map[string]openai.Options{
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
		m, err := openai.New(o)
		if err == nil || m != nil || !strings.Contains(err.Error(), field) || !strings.HasPrefix(err.Error(), "openai: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestParametersAreMergedAndNullTakesAFieldOut(t *testing.T) {
	s := &canned{answer: stream(stop)}
	o := openai.Options{MaxTokens: 5, BaseURL: "http://127.0.0.1:9/v1/", Parameters: args(`{"stream_options":null,"max_tokens":7,"top_p":0.5}`)}
	if _, err := s.ask(t, o, prompt()); err != nil {
		t.Fatal(err)
	}
	if s.url != "http://127.0.0.1:9/v1/chat/completions" || strings.Contains(s.sent, "stream_options") || !strings.Contains(s.sent, `"max_tokens":7`) || !strings.Contains(s.sent, `"top_p":0.5`) {
		t.Errorf("to %s: %s", s.url, s.sent)
	}
}

func TestOpenAIItselfIsToldTheLimitByItsNewName(t *testing.T) {
	for base, want := range map[string]string{"": `"max_completion_tokens":5`, "http://127.0.0.1:9": `"max_tokens":5`} {
		s := &canned{answer: stream(stop)}
		if _, err := s.ask(t, openai.Options{MaxTokens: 5, BaseURL: base}, prompt()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.sent, want) || base == "" && s.url != "https://api.openai.com/v1/chat/completions" {
			t.Errorf("to %s: %s", s.url, s.sent)
		}
	}
}
