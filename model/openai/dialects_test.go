package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

func TestCallsAreToldApartWhereServersGiveThemNoIndexOfTheirOwn(t *testing.T) {
	two := []model.Call{{ID: "a", Name: "ui.show", Args: args(`{"n":1}`)}, {ID: "b", Name: "shell", Args: args(`{"n":2}`)}}
	noIDs := []model.Call{{Name: "ui.show", Args: args(`{"n":1}`)}, {Name: "shell", Args: args(`{"n":2}`)}}
	name := model.WireName("ui.show")
	for what, c := range map[string]struct {
		calls []string // of one chunk each
		want  []model.Call
	}{
		"one index for all, in chunks of their own": {[]string{
			`{"index":0,"id":"a","function":{"name":"` + name + `","arguments":"{\"n\":1}"}}`,
			`{"index":0,"id":"b","function":{"name":"shell","arguments":"{\"n\":2}"}}`,
		}, two},
		"one index for all, in one chunk": {[]string{
			`{"index":0,"id":"a","function":{"name":"` + name + `","arguments":"{\"n\":1}"}},{"index":0,"id":"b","function":{"name":"shell","arguments":"{\"n\":2}"}}`,
		}, two},
		"no index": {[]string{
			`{"id":"a","function":{"name":"` + name + `","arguments":"{\"n\""}}`, `{"function":{"arguments":":1}"}}`,
			`{"id":"b","function":{"name":"shell","arguments":"{\"n\":2}"}}`,
		}, two},
		"no index and no id": {[]string{
			`{"function":{"name":"` + name + `","arguments":"{\"n\":1}"}}`, `{"function":{"name":"shell","arguments":"{\"n\""}}`, `{"function":{"arguments":":2}"}}`,
		}, noIDs},
		"pieces that take turns": {[]string{
			`{"index":0,"id":"a","function":{"name":"` + name + `"}}`, `{"index":1,"id":"b","function":{"name":"shell"}}`,
			`{"index":1,"function":{"arguments":"{\"n\":2"}}`, `{"index":0,"function":{"arguments":"{\"n\":1}"}}`, `{"index":1,"function":{"arguments":"}"}}`,
		}, two},
		"name and id in every piece": {[]string{
			`{"index":0,"id":"a","function":{"name":"` + name + `","arguments":"{\"n\""}}`, `{"index":0,"id":"a","function":{"name":"` + name + `","arguments":":1}"}}`,
			`{"index":1,"id":"b","function":{"name":"shell","arguments":"{\"n\":2}"}}`,
		}, two},
		"arguments as an object": {[]string{
			`{"index":0,"id":"a","function":{"name":"` + name + `","arguments":{"n":1}}},{"index":1,"id":"b","function":{"name":"shell","arguments":{"n":2}}}`,
		}, two},
	} {
		var events []string
		for _, calls := range c.calls {
			events = append(events, `{"choices":[{"index":0,"delta":{"tool_calls":[`+calls+`]}}]}`)
		}
		s := canned(stream(append(events, stop)...))
		reply, err := s.Ask(t, remote.Options{}, prompt())
		if diff := cmp.Diff(c.want, reply.Calls); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", what, err, diff)
		}
	}
}

func TestWhatServersAddToTheWireIsUnderstood(t *testing.T) {
	for what, c := range map[string]struct {
		events []string
		want   model.Reply
	}{
		"an error that is null": {
			[]string{`{"error":null,"choices":[{"index":0,"delta":{"content":"Yes."}}]}`, stop}, model.Reply{Text: "Yes."},
		},
		"chunks before the choices, and choices that were not asked for": {
			[]string{`{"choices":[],"prompt_filter_results":[]}`, `{"choices":[{"index":1,"delta":{"content":"No."}},{"index":0,"delta":{"content":"Yes."}}]}`, stop}, model.Reply{Text: "Yes."},
		},
		"a content in parts": {
			[]string{`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]}}]}`, stop},
			model.Reply{Text: "Yes."},
		},
		"nulls": {
			[]string{`{"choices":[{"index":0,"delta":{"role":null,"content":null,"refusal":null,"reasoning_content":null,"tool_calls":null},"finish_reason":null}],"usage":null}`, stop}, model.Reply{},
		},
		"a usage in each chunk, with thoughts beside the completion": {
			[]string{`{"choices":[{"index":0,"delta":{"content":"Yes."}}],"usage":{"prompt_tokens":5}}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":17,"prompt_cache_hit_tokens":3}}`},
			model.Reply{Text: "Yes.", Usage: model.Usage{Input: 5, Cached: 3, Output: 12}},
		},
		"a usage that can't be read": {
			[]string{`{"choices":[{"index":0,"delta":{"content":"Yes."}}],"usage":{"prompt_tokens":"many"}}`, stop}, model.Reply{Text: "Yes."},
		},
		"a filter by another name": {
			[]string{`{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter: SAFETY"}]}`}, model.Reply{Stop: model.StopRefused},
		},
		"reasoning by its short name": {
			[]string{`{"choices":[{"index":0,"delta":{"reasoning":"Hm."}}]}`, stop}, model.Reply{Reasoning: "Hm."},
		},
	} {
		s := canned(stream(c.events...))
		reply, err := s.Ask(t, remote.Options{}, prompt())
		if diff := cmp.Diff(c.want, reply); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", what, err, diff)
		}
	}
}

func TestAServerThatSaysThatItFailedHasNotAnswered(t *testing.T) {
	for events, want := range map[string]model.Kind{
		`{"choices":[{"index":0,"delta":{"content":"Ye"},"finish_reason":"error"}]}`:                     model.Broken,
		`{"error":{"code":502,"message":"upstream"},"choices":[{"index":0,"delta":{"content":""}}]}`:     model.Unavailable,
		`{"error":{"code":429,"message":"slow down"}}`:                                                   model.RateLimited,
		`{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}`: model.TooLong,
		`{"error":"out of memory"}`:                          model.Broken,
		`{"choices":[{"index":0,"delta":{"content":"Ye"}}]}`: model.Broken,
		`{"choices":[{"index":0,"delta":{"content":"Ye"},"finish_reason":"stop","finish_reason":"length"}]}`: model.Broken,
		`[]`: model.Broken,
	} {
		s := canned(stream(events))
		if reply, err := s.Ask(t, remote.Options{}, prompt()); model.KindOf(err) != want {
			t.Errorf("%s: %+v, %v", events, reply, err)
		}
	}
}

func TestErrorsAreReadInTheFormsThatServersHave(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   model.Kind
		detail string
	}{
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, model.Denied, "API key not valid. Please pass a valid API key."},
		{400, `{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`, model.TooLong, "The input token count (9) exceeds the maximum number of tokens allowed (8)."},
		{404, `{"error":"model 'x' not found"}`, model.Rejected, "model 'x' not found"},
		{422, `{"detail":"wrong"}`, model.Rejected, "wrong"},
		{400, `{"object":"error","message":"This model's maximum context length is 8 tokens.","code":400}`, model.TooLong, "This model's maximum context length is 8 tokens."},
		{400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"too big"}}`, model.TooLong, "too big"},
		{502, `<html><title>502 Bad Gateway</title></html>`, model.Unavailable, "502 Bad Gateway"},
		{500, `plain words`, model.Unavailable, "plain words"},
		{503, ``, model.Unavailable, "503 Service Unavailable"},
		{400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"prompt is too long","provider_name":"x"}}}`, model.TooLong, "Provider returned error: prompt is too long"},
		{429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, model.RateLimited, "You exceeded your current quota"},
		{418, `{"error":{"code":"teapot"}}`, model.Rejected, "teapot"},
		{204, ``, model.Rejected, "204 No Content"},
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

func TestAnAnswerWithoutAnEndIsGivenUpForItsSize(t *testing.T) {
	line := `{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}`
	s := canned(strings.Repeat("data: "+line+"\n\n", 65))
	if _, err := s.Ask(t, remote.Options{}, prompt()); model.KindOf(err) != model.Broken || !strings.Contains(err.Error(), "64 MiB") {
		t.Error(err)
	}
}
