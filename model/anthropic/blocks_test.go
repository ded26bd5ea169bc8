package anthropic_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

const (
	callStart = `{"type":"tool_use","id":"x","name":"shell","input":{}}`
	oneThink  = `{"type":"thinking","thinking":"","signature":""}`
)

// thinking is an answer in which thoughts, texts and calls take turns.
func thinking() string {
	return stream(
		block("0", oneThink, `{"type":"thinking_delta","thinking":"One "}`, `{"type":"thinking_delta","thinking":"線."}`, `{"type":"signature_delta","signature":"c2ln"}`),
		block("1", `{"type":"redacted_thinking","data":"aGlkZGVu"}`),
		block("2", `{"type":"text","text":"Se"}`, `{"type":"text_delta","text":"線"}`),
		block("3", `{"type":"thinking","thinking":"","signature":"b25seQ"}`),
		block("4", `{"type":"text","text":"  "}`),
		block("5", `{"type":"text","text":"then"}`),
		block("6", callStart, `{"type":"input_json_delta","partial_json":""}`, `{"type":"input_json_delta","partial_json":"{\"n\":1}"}`),
		block("7", `{"type":"tool_use","id":"y","name":"`+model.WireName("ui.show")+`","input":{"n":2}}`),
		block("8", `{"type":"server_surprise","data":"?"}`, `{"type":"surprise_delta","text":"?"}`),
		`{"type":"surprise"}`,
	)
}

// after is a prompt that goes on after the reply and its calls' results.
func after(reply model.Reply) model.Prompt {
	said := model.Message{Role: model.Assistant, Text: reply.Text, Kept: reply.Kept}
	p := prompt(said)
	for i, c := range reply.Calls {
		c.ID = "ours" + string(rune('a'+i%26)) + strings.Repeat("z", i/26)
		p.Messages[1].Calls = append(p.Messages[1].Calls, c)
		p.Messages = append(p.Messages, model.Message{Role: model.ToolRole, CallID: c.ID, Text: "ok"})
	}
	return p
}

func TestThoughtsGoBackInTheirPlaces(t *testing.T) {
	s := canned(thinking())
	reply, err := s.Ask(t, remote.Options{}, prompt())
	want := model.Reply{Text: "Se線  then", Reasoning: "One 線.", Kept: reply.Kept, Calls: []model.Call{
		{ID: "x", Name: "shell", Args: args(`{"n":1}`)}, {ID: "y", Name: "ui.show", Args: args(`{"n":2}`)},
	}}
	if diff := cmp.Diff(want, reply); err != nil || diff != "" {
		t.Fatalf("%v\n%s", err, diff)
	}
	if _, err := s.Ask(t, remote.Options{Model: "another"}, after(reply)); err != nil {
		t.Fatal(err)
	}
	const back = `{"role":"assistant","content":[{"signature":"c2ln","thinking":"One 線.","type":"thinking"},{"data":"aGlkZGVu","type":"redacted_thinking"},` +
		`{"type":"text","text":"Se線"},{"signature":"b25seQ","thinking":"","type":"thinking"},{"type":"text","text":"then"},` +
		`{"type":"tool_use","id":"oursa","name":"shell","input":{"n":1}},`
	if !strings.Contains(s.Sent, back) {
		t.Errorf("sent %s", s.Sent)
	}
}

func TestThoughtsThatDoNotFitTheMessageAreLeftOut(t *testing.T) {
	s := canned(thinking())
	reply, err := s.Ask(t, remote.Options{}, prompt())
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*model.Reply){
		"a text that was cut":      func(r *model.Reply) { r.Text = r.Text[:3] },
		"a text of other letters":  func(r *model.Reply) { r.Text = "Se\u00e9\u00e9\u00e9then" },
		"a call less":              func(r *model.Reply) { r.Calls = r.Calls[:1] },
		"a thought without a sign": func(r *model.Reply) { r.Kept = args(strings.Replace(string(r.Kept), `"c2ln"`, `""`, 1)) },
		"a block that is no thought": func(r *model.Reply) {
			r.Kept = args(strings.Replace(string(r.Kept), `"type":"thinking"`, `"type":"tool_use"`, 1))
		},
		"another server": func(r *model.Reply) {
			r.Kept = args(strings.Replace(string(r.Kept), "api.anthropic.com", "api.other.com", 1))
		},
	} {
		changed := reply
		change(&changed)
		if _, err := s.Ask(t, remote.Options{}, after(changed)); err != nil || strings.Contains(s.Sent, "thinking") || !strings.Contains(s.Sent, "tool_use") {
			t.Errorf("%s: %v %s", what, err, s.Sent)
		}
	}
}

func TestThoughtsAloneAreNoMessage(t *testing.T) {
	s := canned(stream(block("0", oneThink, `{"type":"thinking_delta","thinking":"Hm."}`, `{"type":"signature_delta","signature":"c2ln"}`)))
	reply, err := s.Ask(t, remote.Options{}, prompt())
	if err != nil || reply.Reasoning != "Hm." {
		t.Fatalf("%+v, %v", reply, err)
	}
	p := after(reply)
	p.Messages = append(p.Messages, model.Message{Role: model.User, Text: "Still there?"})
	if _, err := s.Ask(t, remote.Options{}, p); err != nil || strings.Contains(s.Sent, `"assistant"`) || !strings.Contains(s.Sent, `"Still there?"`) {
		t.Errorf("%v %s", err, s.Sent)
	}
}

func TestResultsOfATurnAreOneMessageAndComeFirst(t *testing.T) {
	s := canned(stream())
	p := after(model.Reply{Calls: []model.Call{{Name: "shell"}, {Name: "ui.show"}}})
	p.Messages[2].IsError, p.Messages[2].Text = true, ""
	p.Messages = append(p.Messages, model.Message{Role: model.User, Text: "Hurry."})
	if _, err := s.Ask(t, remote.Options{}, p); err != nil {
		t.Fatal(err)
	}
	const want = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"oursa","content":[{"type":"text","text":"(no text)"}],"is_error":true},` +
		`{"type":"tool_result","tool_use_id":"oursb","content":[{"type":"text","text":"ok"}]},{"type":"text","text":"Hurry."}]}]`
	if !strings.Contains(s.Sent, want) {
		t.Errorf("sent %s", s.Sent)
	}
}

func TestOfAnAnswerThatBreaksOffTheUsageIsToldAsFarAsItIsKnown(t *testing.T) {
	s := canned("data: " + `{"type":"message_start","message":{"type":"message","usage":{"input_tokens":5,"cache_read_input_tokens":100,"output_tokens":1}}}` + "\n\n")
	reply, err := s.Ask(t, remote.Options{}, prompt())
	if diff := cmp.Diff(model.Reply{Usage: model.Usage{Input: 105, Cached: 100, Output: 1}}, reply); model.KindOf(err) != model.Broken || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestUsageIsWhatWasToldLast(t *testing.T) {
	s := canned("data: " + `{"type":"message_start","message":{"type":"message","usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":1}}}` +
		"\n\ndata: " + `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"input_tokens":7,"cache_read_input_tokens":null,"output_tokens":9}}` +
		"\n\ndata: " + `{"type":"message_stop"}` + "\n\n")
	reply, err := s.Ask(t, remote.Options{}, prompt())
	if diff := cmp.Diff(model.Reply{Stop: model.StopLength, Usage: model.Usage{Input: 127, Cached: 100, Output: 9}}, reply); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestErrorsAreReadInTheFormsThatServersHave(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   model.Kind
		detail string
	}{
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`, model.TooLong, "prompt is too long"},
		{403, `{"type":"error","error":{"type":"permission_error","message":"no","details":{"error_code":"user_profile_not_billable"}}}`, model.Denied, "no"},
		{400, `{"error":"a proxy's"}`, model.Rejected, "a proxy's"},
		{502, `<html>`, model.Unavailable, "502 Bad Gateway"},
		{500, `plain words`, model.Unavailable, "plain words"},
		{529, ``, model.Unavailable, "529"},
		{200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Unavailable, "Overloaded"},
		{200, `{"type":"message"`, model.Broken, "not the JSON of an answer"},
		{200, `{"type":"completion"}`, model.Broken, "an answer without a message"},
	} {
		s := canned(c.body)
		s.Status = c.status
		_, err := s.Ask(t, remote.Options{}, prompt())
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Detail != c.detail {
			t.Errorf("%d %s: %v", c.status, c.body, err)
		}
	}
}
