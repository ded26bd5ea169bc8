package mcpgate

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/client"
)

// A call can be late just as its relay ends, which then waited for the repetition.
func TestNothingIsKeptOnceTheRelayHasGivenUp(t *testing.T) {
	r := New(Options{Server: "x", Gateway: client.New("http://127.0.0.1:1", "")}, nil, nil)
	r.giveUp()
	withdrawn := false
	words := r.keep(t.Context(), toolCall{name: "write"}, definition{}, &decision{cancel: func(error) { withdrawn = true }})
	if !withdrawn || !strings.Contains(words, "was withdrawn") {
		t.Errorf("it is kept: %s", words)
	}
}
