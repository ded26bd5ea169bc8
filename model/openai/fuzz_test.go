package openai_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

func FuzzAnAnswerIsAReplyOrAFailure(f *testing.F) {
	for _, body := range []string{
		stream(`{"choices":[{"index":0,"delta":{"content":"Yes."}}]}`, stop), calling(`"reasoning_content":"Hm."`),
		stream(`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"a"}]}}]}`, stop),
		`{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`, `{"error":{"message":"no"}}`, `[{"error":{"code":400}}]`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"},\"finish_reason\":\"stop\"}]}\r\n\r\n", ": x\n\n", "", "data: [DONE]\n\n",
	} {
		f.Add(200, body)
		f.Add(429, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		s := canned(body)
		s.Status = status
		reply, ok := s.Sound(t, remote.Options{Key: "sk-1234"}, prompt())
		if !ok {
			return
		}
		if _, err := s.Ask(t, remote.Options{}, after(reply)); err != nil || !jsontext.Value(s.Sent).IsValid() {
			t.Fatalf("kept %s, sent %s: %v", reply.Kept, s.Sent, err)
		}
	})
}

func FuzzWhatWasKeptNeverSpoilsARequest(f *testing.F) {
	reply, err := canned(calling(`"reasoning_content":"Hm."`)).Ask(f, remote.Options{}, prompt())
	if err != nil {
		f.Fatal(err)
	}
	for _, kept := range []string{string(reply.Kept), "", "{}", "null", `{"provider":"openai","calls":[1]}`} {
		f.Add(kept, "{}", `{"type":"object"}`)
	}
	f.Fuzz(func(t *testing.T, kept, arguments, schema string) {
		s := canned(stream(stop))
		p := after(model.Reply{Kept: args(kept)})
		p.Messages[1].Calls[0].Args, p.Tools[0].Schema = args(arguments), args(schema)
		if _, err := s.Ask(t, remote.Options{}, p); err != nil || !jsontext.Value(s.Sent).IsValid() {
			t.Fatalf("sent %s: %v", s.Sent, err)
		}
	})
}
