package anthropic_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model/remote"
)

func TestParametersAreMergedAndNullTakesAFieldOut(t *testing.T) {
	s := canned(stream())
	o := remote.Options{BaseURL: "http://127.0.0.1:9/deep", Parameters: args(`{"max_tokens":7,"cache_control":{"type":"ephemeral"},"thinking":null}`)}
	if _, err := s.Ask(t, o, prompt()); err != nil {
		t.Fatal(err)
	}
	if s.URL != "http://127.0.0.1:9/deep/v1/messages" || !strings.Contains(s.Sent, `"max_tokens":7`) || !strings.Contains(s.Sent, `"ephemeral"`) || strings.Contains(s.Sent, "thinking") {
		t.Errorf("to %s: %s", s.URL, s.Sent)
	}
}

func TestWithoutOptionsAnthropicIsAskedForAsMuchAsIsUsual(t *testing.T) {
	s := canned(stream())
	if _, err := s.Ask(t, remote.Options{}, prompt()); err != nil || s.URL != "https://api.anthropic.com/v1/messages" || !strings.Contains(s.Sent, `"max_tokens":8192`) {
		t.Errorf("%v, to %s: %s", err, s.URL, s.Sent)
	}
}
