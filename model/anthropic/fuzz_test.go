package anthropic_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model/remote"
)

func FuzzAnAnswerIsAReplyOrAFailure(f *testing.F) {
	for _, body := range []string{
		thinking(), stream(block("0", `{"type":"text","text":"Yes."}`)), stream(`{"type":"error","error":{"type":"api_error"}}`),
		`{"type":"message","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn"}`, `{"error":{"message":"no"}}`,
		stream(block("0", callStart, `{"type":"input_json_delta","partial_json":"\xff"}`)), ": x\n\n", "", "data: {\"type\":\"message_stop\"}\r\n\r\n",
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
	reply, err := canned(thinking()).Ask(f, remote.Options{}, prompt())
	if err != nil {
		f.Fatal(err)
	}
	for _, kept := range []string{string(reply.Kept), "", "{}", "null", `{"provider":"anthropic","blocks":[{"text":-1}]}`} {
		f.Add(kept, "{}", `{"type":"object"}`)
	}
	f.Fuzz(func(t *testing.T, kept, arguments, schema string) {
		s := canned(stream())
		changed := reply
		changed.Kept = args(kept)
		p := after(changed)
		p.Messages[1].Calls[0].Args, p.Tools[0].Schema = args(arguments), args(schema)
		if _, err := s.Ask(t, remote.Options{}, p); err != nil || !jsontext.Value(s.Sent).IsValid() {
			t.Fatalf("sent %s: %v", s.Sent, err)
		}
	})
}
