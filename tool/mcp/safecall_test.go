package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/tool/mcp"
)

func TestNonsenseOfAServerEndsNothing(t *testing.T) {
	t.Parallel()
	accepts := func(context.Context, mcp.Question) (mcp.Answer, error) { return mcp.Answer{Action: mcp.Accept}, nil }
	said := newJournal()
	o := said.options()
	o.Ask = accepts
	c := program(t, "evil")
	s := newServer(t, c, o)
	say, heard := find(t, s, "one", "say"), find(t, s, "one", "heard")
	pid := ""
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"notifications/elicitation/complete"}`,
		`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":null}`,
		`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":null}}`,
		`{"jsonrpc":"2.0","id":"n1","method":"elicitation/create"}`,
		`{"jsonrpc":"2.0","id":"n2","method":"elicitation/create","params":null}`,
		`{"jsonrpc":"2.0","id":"n3","method":"elicitation/create","params":{"message":"x"}}`,
		`{"jsonrpc":"2.0","id":"n4","method":"elicitation/create","params":{"message":"x","requestedSchema":{"properties":{"a":null}}}}`,
		`{"jsonrpc":"2.0","id":"n5","method":"elicitation/create","params":{"message":"x","requestedSchema":{"properties":{"a":{"type":"array","items":{"anyOf":[null]}}}}}}`,
		`{"jsonrpc":"2.0","id":"n6","method":"elicitation/create","params":{"message":"x","requestedSchema":{"properties":{"a":{"type":"string","oneOf":[null]}}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":null}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/message"}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":null}`,
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":null}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":null}`,
		`{"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage","params":{"messages":[null],"tools":[null]}}`,
		`{"jsonrpc":"2.0","id":"s3","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":null},{"role":"user","content":[null]}]}}`,
		`{"jsonrpc":"2.0","id":"r1","method":"roots/list","params":null}`,
		`{"jsonrpc":"2.0","id":"p1","method":"ping","params":null}`,
		`{"jsonrpc":"2.0","id":"c1","method":"completion/complete","params":null}`,
		`{"jsonrpc":"2.0","id":"x1","method":"no/such","params":null}`,
		`null`, `[]`, `{}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":null,"result":null}`, `{"jsonrpc":"2.0","id":99999,"result":null}`,
	} {
		wantText(t, runAs(t, t.Context(), say, call("one", "c", lines(1, false, line))), false, "alive")
		if got := runAs(t, t.Context(), heard, call("one", "c", "{}")).Text; !strings.HasPrefix(got, pid) {
			t.Fatalf("after %s it is another connection", line)
		} else {
			pid = got
		}
	}
	wantText(t, runAs(t, t.Context(), heard, call("one", "c", "{}")), false, "this message makes no sense")
}

func TestAnAnswerThatMakesNoSenseIsAResultThatSaysSo(t *testing.T) {
	t.Parallel()
	asked := false
	s := newServer(t, program(t, "evil"), mcp.Options{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) {
		asked = true
		return mcp.Answer{Action: mcp.Accept}, nil
	}})
	say := find(t, s, "one", "say")
	for answer, want := range map[string]string{
		`"result":{"resultType":"input_required","inputRequests":{"a":null}}`:                                                                                                                                   "what the server says makes no sense",
		`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`:                                                                                                        "",
		`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":null}}}`:                                                                                          "requestedSchema",
		`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{}}}}`:                                                                                        "asked for something that is not done here",
		`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"requestedSchema":{"properties":{"a":{"type":"array","items":{"anyOf":[null],"$ref":"#"}}}}}}}}`: "a form has no references",
		`"error":{"code":-32042,"message":"x","data":{"elicitations":[null]}}`:                                                                                                                                  "answered with an error",
		`"result":{"content":[{"type":"resource","resource":null}]}`:                                                                                                                                            "",
	} {
		r := runAs(t, t.Context(), say, call("one", "c", lines(1, true, `{"jsonrpc":"2.0","id":$ID,`+answer+`}`)))
		wantText(t, r, want != "" || r.IsError, want)
	}
	if asked {
		t.Error("a person was asked")
	}
}

func TestACallThatMakesNoSenseDoesNotKeepItsConnection(t *testing.T) {
	timed(t, mcp.Config{Idle: time.Minute}, mcp.Options{}, func(t *testing.T, s *mcp.Server, w *wire) {
		raw := newRaw()
		raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
			sendJSON(w, m.result(`{"resultType":"input_required","inputRequests":{"a":null}}`))
		}
		w.handler = raw
		wantText(t, run(t, s, "pay", "{}"), true, "what the server says makes no sense", "what the call did is not known")
		<-time.After(61 * time.Second)
		synctest.Wait()
		if w.ended.Load() != 1 {
			t.Errorf("%d connections are ended", w.ended.Load())
		}
	})
}

func TestAStartThatMakesNoSenseIsAnError(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string]string{"no list": `null`, "no tool": `{"tools":[null,{"name":"a","inputSchema":null,"annotations":null,"icons":[null]}]}`} {
		raw := newRaw()
		raw.tools = func(string) string { return tools }
		tools, err := newServer(t, served(t, raw), mcp.Options{}).Tools(t.Context(), "one")
		if err != nil || len(tools) != strings.Count(name, "tool") {
			t.Errorf("%s: %d tools: %v", name, len(tools), err)
		}
	}
}
