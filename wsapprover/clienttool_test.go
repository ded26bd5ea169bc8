package wsapprover_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

const counts = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`

// runner is a gateway whose tool "count" runs in tabs.
type runner struct {
	*gateway
	tool tool.Tool
}

func startRunner(t *testing.T, timeout time.Duration) *runner {
	t.Helper()
	clients := wsapprover.NewClientTools()
	made, err := clients.Tool(door.ClientTool{Spec: tool.Spec{Name: "count"}, Output: tool.JSON(counts), Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return &runner{gateway: start(t, setup{clients: clients}), tool: made}
}

// able opens a tab that runs these tools.
func (r *runner) able(t *testing.T, tools ...string) *client {
	t.Helper()
	c := r.tab(t)
	c.send("hello", "h", map[string]any{"capabilities": []string{"approvals", "clientTools"}, "tools": tools})
	if f := c.reply("h"); f.Event != "ack" {
		t.Fatalf("hello got %s", f.Data)
	}
	return c
}

// call runs one in the background.
func (r *runner) call(ctx context.Context, id string) <-chan tool.Result {
	done := make(chan tool.Result, 1)
	go func() {
		result, err := r.tool.Run(ctx, tool.Call{ID: id, SessionID: "s", Args: tool.JSON(`{}`)})
		if err != nil {
			result = tool.Failed("error: " + err.Error())
		}
		done <- result
	}()
	return done
}

func (c *client) given(t *testing.T) string {
	t.Helper()
	return as[wsapprover.ToolCall](t, c.until("toolCall")).ToolCallID
}

func TestAClientToolsCallGoesToOneTabWhoseResultCounts(t *testing.T) {
	t.Parallel()
	r := startRunner(t, 0)
	other, one := r.tab(t), r.able(t, "count")
	result := r.call(t.Context(), "c")
	if id := one.given(t); id != "c" {
		t.Fatalf("it was given %s", id)
	}
	one.send("toolStart", "1", map[string]any{"toolCallId": "c"})
	for name, c := range map[string]struct {
		tab  *client
		data map[string]any
		code string
	}{
		"a tab that does not have it": {other, map[string]any{"toolCallId": "c", "result": map[string]any{"n": 1}}, "unknown_call"},
		"another call":                {one, map[string]any{"toolCallId": "x", "result": map[string]any{"n": 1}}, "unknown_call"},
		"a result that does not fit":  {one, map[string]any{"toolCallId": "c", "result": map[string]any{"n": "one"}}, "invalid"},
		"neither result nor error":    {one, map[string]any{"toolCallId": "c"}, "invalid"},
		"a number that fills memory":  {one, map[string]any{"toolCallId": "c", "result": tool.JSON(`{"n":1e-999999}`)}, "invalid"},
		"both":                        {one, map[string]any{"toolCallId": "c", "result": map[string]any{"n": 1}, "error": "x"}, "invalid"},
	} {
		c.tab.send("toolResult", name, c.data)
		if f := c.tab.reply(name); f.Event != "error" || as[failure](t, f).Code != c.code {
			t.Errorf("%s: %s %s", name, f.Event, f.Data)
		}
	}
	one.send("toolResult", "2", map[string]any{"toolCallId": "c", "result": map[string]any{"n": 7}})
	if f := one.reply("2"); f.Event != "ack" {
		t.Errorf("the result got %s", f.Data)
	}
	if got := <-result; got.IsError || got.Text != `{"n":7}` {
		t.Errorf("the result is %+v", got)
	}
	one.send("toolResult", "3", map[string]any{"toolCallId": "c", "result": map[string]any{"n": 8}})
	if f := one.reply("3"); f.Event != "error" {
		t.Errorf("a second result got %s", f.Event)
	}
}

func TestWhenATabGoesBeforeItHasBegunAnotherTakesItsPlace(t *testing.T) {
	t.Parallel()
	r := startRunner(t, 0)
	first := r.able(t)
	result := r.call(t.Context(), "c")
	first.given(t)
	second := r.able(t)
	_ = first.ws.Close()
	if id := second.given(t); id != "c" {
		t.Fatalf("the second was given %s", id)
	}
	second.send("toolResult", "1", map[string]any{"toolCallId": "c", "result": map[string]any{"n": 1}})
	if got := <-result; got.IsError {
		t.Errorf("the result is %+v", got)
	}
}

func TestWhenATabGoesAfterItHasBegunNobodyDoesItAgain(t *testing.T) {
	t.Parallel()
	r := startRunner(t, 0)
	first := r.able(t)
	result := r.call(t.Context(), "c")
	first.given(t)
	first.send("toolStart", "1", map[string]any{"toolCallId": "c"})
	first.reply("1")
	second := r.able(t)
	_ = first.ws.Close()
	if got := <-result; !got.IsError || !strings.Contains(got.Text, "went away") {
		t.Errorf("the result is %+v", got)
	}
	second.send("viewing", "v", map[string]any{"approvalId": ""})
	for {
		f := second.next()
		if f.Event == "toolCall" {
			t.Error("the second was given it as well")
		}
		if f.ID == "v" {
			break
		}
	}
}

func TestACallIsNotGivenOutAgainAfterARestart(t *testing.T) {
	t.Parallel()
	if got := startRunner(t, 0).tool.Spec().Resume; got != tool.ResumeNever {
		t.Errorf("its spec says %q", got)
	}
}

func TestWhereNoTabCanRunACallItEndsAtOnce(t *testing.T) {
	t.Parallel()
	r := startRunner(t, 0)
	r.tab(t)
	if got := <-r.call(t.Context(), "c"); !strings.Contains(got.Text, "No client that runs tools is connected") {
		t.Errorf("without one: %+v", got)
	}
	r.able(t, "other")
	if got := <-r.call(t.Context(), "d"); !strings.Contains(got.Text, "can run count") {
		t.Errorf("with one that runs others: %+v", got)
	}
	viewer := r.connect(t, auth.Identity{Subject: "v", Roles: []auth.Role{auth.Viewer}})
	viewer.send("hello", "h", map[string]any{"capabilities": []string{"clientTools"}})
	viewer.reply("h")
	if got := <-r.call(t.Context(), "e"); !strings.Contains(got.Text, "can run count") {
		t.Errorf("with a viewer's: %+v", got)
	}
}

func TestACallThatIsCancelledOrTooSlowIsTakenBack(t *testing.T) {
	t.Parallel()
	r := startRunner(t, 0)
	tab := r.able(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	result := r.call(ctx, "c")
	tab.given(t)
	cancel(errors.New("cancelled by ada"))
	if got := <-result; !got.IsError || !strings.Contains(got.Text, "cancelled by ada. What the client did by then is not known") {
		t.Errorf("cancelled: %+v", got)
	}
	tab.until("toolCancel")

	quick := startRunner(t, time.Millisecond)
	tab = quick.able(t)
	if got := <-quick.call(t.Context(), "c"); !strings.Contains(got.Text, "did not answer within 1ms") {
		t.Errorf("too slow: %+v", got)
	}
	tab.until("toolCancel")
}
