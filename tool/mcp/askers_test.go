package mcp_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool"
)

func signalIgnore(s os.Signal) { signal.Ignore(s) }

// form is written in an order of its own, and with a number that is no double.
const form = `{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Your name"},"age":{"type":"integer","maximum":9007199254740993}}}`

func formQuestion() *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: "Who are you?", RequestedSchema: tool.JSON(form)}
}

// addAskers adds the tools that ask.
func addAskers(add func(string, sdk.ToolHandler)) {
	answer := func(v any, err error) (*sdk.CallToolResult, error) {
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(v, json.Deterministic(true))
		return say(string(text)), err
	}
	// Within the call, as newer servers do it; the library turns it into a request
	// of the server's for older ones.
	add("ask", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if len(req.Params.InputResponses) == 0 {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": formQuestion()}, RequestState: "s1"}, nil
		}
		return answer(req.Params.InputResponses["who"], nil)
	})
	// A request of the server's own, for which no newer protocol has room.
	add("ask-aside", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return answer(req.Session.Elicit(ctx, formQuestion()))
	})
	add("ask-page", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return answer(req.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Log in", URL: "https://example.com/login", ElicitationID: "e1"}))
	})
	add("ask-script", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return answer(req.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Log in", URL: "javascript:alert(1)", ElicitationID: "e1"}))
	})
	// A question that goes on when its call is told to stop.
	add("ask-stubborn", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r, err := req.Session.Elicit(context.WithoutCancel(ctx), formQuestion())
		if err == nil {
			fmt.Fprintln(os.Stderr, "stubborn was answered:", r.Action)
		}
		return answer(r, err)
	})
	opened := false
	add("needs-page", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if opened {
			return say("logged in"), nil
		}
		opened = true
		session := req.Session
		go func() {
			<-pageIsOpen(session)
			_ = session.NotifyElicitationComplete(context.Background(), &sdk.ElicitationCompleteParams{ElicitationID: "e7"})
		}()
		return nil, sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{Mode: "url", Message: "Log in first", URL: "https://example.com/first", ElicitationID: "e7"}})
	})
}

// pageIsOpen is when the server has asked and been told that a ping came back,
// which is after the error is on its way.
func pageIsOpen(s *sdk.ServerSession) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Ping(context.Background(), nil)
	}()
	return done
}

// addOdd adds tools that can't be taken, and some that can.
func addOdd(s *sdk.Server) {
	yes, no := true, false
	nothing := func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return say("x"), nil }
	for _, t := range []*sdk.Tool{
		{Name: "wrong-schema", InputSchema: tool.JSON(`{"type":"object","properties":{"a":{"type":"nonsense"}}}`)},
		{Name: "far-schema", InputSchema: tool.JSON(`{"type":"object","properties":{"a":{"$ref":"https://example.com/s"}}}`)},
		{Name: "double-schema", InputSchema: tool.JSON(`{"type":"object","properties":{"a":{"type":"string","type":"number"}}}`)},
		{Name: "ordered", InputSchema: tool.JSON(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number","maximum":1.50}},"required":["z"]}`)},
		{Name: "hidden", Description: "Reads a file.\u202e\x00 \u200bThen", InputSchema: tool.JSON(`{"type":"object"}`)},
		{Name: "reader", InputSchema: tool.JSON(`{"type":"object"}`), Annotations: &sdk.ToolAnnotations{Title: "Reads", ReadOnlyHint: true, OpenWorldHint: &no}},
		{Name: "mild", InputSchema: tool.JSON(`{"type":"object"}`), Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &yes}},
		{Name: "plain", InputSchema: tool.JSON(`{"type":"object"}`)},
	} {
		s.AddTool(t, nothing)
	}
}
