package openai_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model/remote"
)

func TestParametersAreMergedAndNullTakesAFieldOut(t *testing.T) {
	s := canned(stream(stop))
	o := remote.Options{MaxTokens: 5, BaseURL: "http://127.0.0.1:9/v1/", Parameters: args(`{"stream_options":null,"max_tokens":7,"top_p":0.5}`)}
	if _, err := s.Ask(t, o, prompt()); err != nil {
		t.Fatal(err)
	}
	if s.URL != "http://127.0.0.1:9/v1/chat/completions" || strings.Contains(s.Sent, "stream_options") || !strings.Contains(s.Sent, `"max_tokens":7`) || !strings.Contains(s.Sent, `"top_p":0.5`) {
		t.Errorf("to %s: %s", s.URL, s.Sent)
	}
}

func TestOpenAIItselfIsToldTheLimitByItsNewName(t *testing.T) {
	for base, want := range map[string]string{"": `"max_completion_tokens":5`, "http://127.0.0.1:9": `"max_tokens":5`} {
		s := canned(stream(stop))
		if _, err := s.Ask(t, remote.Options{MaxTokens: 5, BaseURL: base}, prompt()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Sent, want) || base == "" && s.URL != "https://api.openai.com/v1/chat/completions" {
			t.Errorf("to %s: %s", s.URL, s.Sent)
		}
	}
}
