package modeltest

import (
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

// FuzzAnswers checks that every answer gives a valid reply or a failure in words, and
// that the request in which the reply goes back is JSON.
func FuzzAnswers(f *testing.F, p Provider) {
	for _, e := range readExchanges(f) {
		for _, r := range e.responses {
			f.Add(r.status, r.body)
			f.Add(http.StatusTooManyRequests, r.body)
		}
	}
	for _, body := range []string{"", ": x\n\n", "data: \xff\r\n\r\n", "{}", "[]"} {
		f.Add(http.StatusOK, body)
	}
	fix := p.fixture(f, remote.Options{Key: key, Retries: -1})
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		fix.answer(response{status: status, body: body}.whole(0))
		got, reply, err := ask(t.Context(), fix.model, said("Go on."))
		if err != nil || len(got.Detail) > 500 || !utf8.ValidString(got.Detail) || strings.ContainsFunc(got.Detail, unicode.IsControl) || strings.Contains(got.Detail, key) {
			t.Fatalf("%+v, %v", got, err)
		}
		if got.Error != "" {
			return
		}
		if status != http.StatusOK || !utf8.ValidString(reply.Text) || len(reply.Kept) > 0 && !jsontext.Value(reply.Kept).IsValid() {
			t.Fatalf("%d: %+v", status, reply)
		}
		fix.sendsJSON(t, goOn(said("Go on."), reply))
	})
}

// FuzzPrompts checks that the request is JSON, whatever a kept value, arguments and a
// schema contain.
func FuzzPrompts(f *testing.F, p Provider) {
	fix := p.fixture(f, remote.Options{Key: key})
	for _, e := range readExchanges(f) {
		f.Add(string(e.want.Kept), "{}", `{"type":"object"}`)
	}
	f.Add("null", `{"a":`, "null")
	f.Add(`{"provider":"`+p.Name+`","calls":[1],"blocks":[{"text":-1}]}`, "", "{}")
	f.Fuzz(func(t *testing.T, kept, args, schema string) {
		prompt := goOn(said("Go on."), model.Reply{Text: "Yes.", Calls: []model.Call{{Name: "shell", Args: tool.JSON(args)}}, Kept: tool.JSON(kept)})
		prompt.Tools[0].Schema = tool.JSON(schema)
		fix.sendsJSON(t, prompt)
	})
}

func (f fixture) sendsJSON(t *testing.T, p model.Prompt) {
	t.Helper()
	f.answer(f.good.whole(0))
	got, _, err := ask(t.Context(), f.model, p)
	if sent := f.sent(); err != nil || got.Error != "" || len(sent) != 1 || !jsontext.Value(tool.JSON(sent[0].body)).IsValid() {
		t.Fatalf("%+v, %v, sent %q", got, err, sent)
	}
}
