package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

// calling is an answer with one call, which thinks and has something beside it.
func calling(delta string) string {
	return stream(`{"choices":[{"index":0,"delta":{`+delta+`,"tool_calls":[{"index":0,"id":"x","function":{"name":"shell","arguments":"{}"},`+
		`"extra_content":{"google":{"thought_signature":"c2ln"}}}]}}]}`, stop)
}

// after is a prompt that goes on after the reply and its call's result.
func after(reply model.Reply, more ...model.Message) model.Prompt {
	return prompt(append([]model.Message{
		{Role: model.Assistant, Text: reply.Text, Calls: []model.Call{{ID: "ours", Name: "shell", Args: args("{}")}}, Kept: reply.Kept},
		{Role: model.ToolRole, CallID: "ours", Text: "ok"},
	}, more...)...)
}

func TestReasoningContentGoesBackWhileToolsAreCalled(t *testing.T) {
	s := canned(calling(`"reasoning_content":"Let me see."`))
	reply, err := s.Ask(t, remote.Options{}, prompt())
	if err != nil || reply.Reasoning != "Let me see." {
		t.Fatalf("%+v, %v", reply, err)
	}
	const back, signature = `"reasoning_content":"Let me see."`, `"extra_content":{"google":{"thought_signature":"c2ln"}}`
	if _, err := s.Ask(t, remote.Options{}, after(reply)); err != nil || !strings.Contains(s.Sent, back) || !strings.Contains(s.Sent, signature) {
		t.Errorf("in the loop: %v %s", err, s.Sent)
	}
	later := after(reply, model.Message{Role: model.Assistant, Text: "Done."}, model.Message{Role: model.User, Text: "Thanks."})
	if _, err := s.Ask(t, remote.Options{}, later); err != nil || strings.Contains(s.Sent, "reasoning_content") || !strings.Contains(s.Sent, signature) {
		t.Errorf("after the loop: %v %s", err, s.Sent)
	}
	for _, o := range []remote.Options{{Model: "another"}, {BaseURL: "http://127.0.0.1:9/v1"}} {
		if _, err := s.Ask(t, o, after(reply)); err != nil || strings.Contains(s.Sent, "reasoning_content") || strings.Contains(s.Sent, "extra_content") {
			t.Errorf("to %+v: %v %s", o, err, s.Sent)
		}
	}
}

func TestReasoningThatNobodyAskedForIsNotKept(t *testing.T) {
	for _, answer := range []string{
		stream(`{"choices":[{"index":0,"delta":{"reasoning_content":"Hm.","content":"Yes."}}]}`, stop),
		stream(`{"choices":[{"index":0,"delta":{"reasoning":"Hm.","tool_calls":[{"index":0,"id":"x","function":{"name":"shell"}}]}}]}`, stop),
	} {
		if reply, err := canned(answer).Ask(t, remote.Options{}, prompt()); err != nil || len(reply.Kept) > 0 || reply.Reasoning != "Hm." {
			t.Errorf("%+v, %v", reply, err)
		}
	}
}

func TestReasoningDetailsGoBackPutTogether(t *testing.T) {
	delta := func(details string) string {
		return `{"choices":[{"index":0,"delta":{"reasoning_details":[` + details + `]}}]}`
	}
	s := canned(stream(
		delta(`{"type":"reasoning.summary","summary":"In ","index":0}`), delta(`{"type":"reasoning.summary","summary":"short.","index":0}`),
		delta(`{"type":"reasoning.text","text":"One, ","index":1,"signature":null},{"type":"reasoning.text","text":"two.","index":1}`),
		delta(`{"type":"reasoning.text","index":1,"signature":"sig","format":"f"}`),
		delta(`{"type":"reasoning.text","text":"Three.","index":2}`),
		delta(`{"type":"reasoning.encrypted","data":"AA","index":3}`), delta(`{"type":"reasoning.encrypted","data":"BB","index":3},7`),
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"shell"}}]}}]}`, stop))
	reply, err := s.Ask(t, remote.Options{}, prompt())
	if diff := cmp.Diff("In short.One, two.Three.", reply.Reasoning); err != nil || diff != "" {
		t.Fatalf("%v\n%s", err, diff)
	}
	if _, err := s.Ask(t, remote.Options{}, after(reply)); err != nil {
		t.Fatal(err)
	}
	want := `"reasoning_details":[{"index":0,"summary":"In short.","type":"reasoning.summary"},` +
		`{"format":"f","index":1,"signature":"sig","text":"One, two.","type":"reasoning.text"},{"type":"reasoning.text","text":"Three.","index":2},` +
		`{"type":"reasoning.encrypted","data":"AA","index":3},{"type":"reasoning.encrypted","data":"BB","index":3}]`
	if !strings.Contains(s.Sent, want) {
		t.Errorf("sent %s", s.Sent)
	}
}
