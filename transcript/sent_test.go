package transcript_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/openai"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

func TestWhatAModelIsSentIsShownAsItIsSent(t *testing.T) {
	prompt := model.Prompt{System: "Be careful.", Messages: []model.Message{
		{Role: model.User, Text: "go"},
		{Role: model.User, Text: " "},
		{Role: model.Assistant, Text: " ", Calls: []model.Call{
			{ID: "a", Name: "ui.openLink", Args: tool.JSON(`{"url":"u"}`)}, {ID: "b", Name: "client.requestApproval"}, {ID: "c", Name: "shell", Args: tool.JSON(`"ls"`)},
		}},
		{Role: model.ToolRole, CallID: "a", Text: "opened"},
		{Role: model.ToolRole, CallID: "b", Text: "Not run", IsError: true},
		{Role: model.ToolRole, CallID: "c", IsError: true},
		{Role: model.Assistant},
		{Role: model.Assistant, Text: "done"},
	}}
	sent := make(chan []transcript.Message, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []transcript.Message `json:"messages"`
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(raw, &body, json.WithUnmarshalers(json.UnmarshalFunc(func(raw []byte, r *transcript.Role) error {
			return json.Unmarshal(raw, (*string)(r))
		}))) != nil {
			t.Errorf("%s, %v", raw, err)
		}
		sent <- body.Messages
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	m, err := openai.New(remote.Options{BaseURL: server.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(context.Background(), prompt, func(model.Delta) {}); err == nil {
		t.Fatal("a server that refuses has answered")
	}
	if diff := cmp.Diff(<-sent, transcript.Sent(prompt)); diff != "" {
		t.Errorf("(-sent +shown):\n%s", diff)
	}
}
