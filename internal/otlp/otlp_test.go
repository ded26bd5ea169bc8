package otlp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/otlp"
	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// sent is a span as a collector reads it.
type sent struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	Parent     string `json:"parentSpanId"`
	Name       string `json:"name"`
	Kind       int    `json:"kind"`
	Start      string `json:"startTimeUnixNano"`
	End        string `json:"endTimeUnixNano"`
	Attributes []struct {
		Key   string            `json:"key"`
		Value map[string]string `json:"value"`
	} `json:"attributes"`
	Status struct {
		Code int `json:"code"`
	} `json:"status"`
}

func (s sent) has(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value["stringValue"] + a.Value["intValue"]
		}
	}
	return ""
}

// collector is where spans are sent.
type collector struct {
	t      *testing.T
	server *httptest.Server
	answer func(attempt int) (status int, body string)

	mu       sync.Mutex
	attempts int
	spans    []sent
	bodies   string
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t, answer: func(int) (int, string) { return 200, "{}" }}
	c.server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.server.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []sent `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if err = errors.Join(err, json.Unmarshal(raw, &body)); err != nil || r.Header.Get("X-Key") != "k" || r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%v with %v", err, r.Header)
	}
	c.mu.Lock()
	c.attempts++
	status, answer := c.answer(c.attempts)
	if status == 200 {
		c.bodies += string(raw)
		c.spans = append(c.spans, body.ResourceSpans[0].ScopeSpans[0].Spans...)
	}
	c.mu.Unlock()
	w.WriteHeader(status)
	fmt.Fprint(w, answer)
}

func (c *collector) named(name string) sent {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.spans, func(s sent) bool { return s.Name == name })
	if i < 0 {
		c.t.Fatalf("there is no span %q among %+v", name, c.spans)
	}
	return c.spans[i]
}

// life is a gateway's journal in memory, and what makes spans of it.
type life struct {
	t       *testing.T
	log     *session.Memory
	rows    *approval.Memory
	x       *otlp.Exporter
	mu      sync.Mutex
	counted map[otlp.Outcome]int
	failed  []error
}

func newLife(t *testing.T, to *collector) *life {
	l := &life{t: t, counted: map[otlp.Outcome]int{}}
	l.x = otlp.New(otlp.Options{
		Endpoint: to.server.URL + "/v1/traces", Headers: map[string]string{"X-Key": "k"}, Version: "1",
		Count: func(o otlp.Outcome, n int) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.counted[o] += n
		},
		Failed: func(err error) { l.failed = append(l.failed, err) },
	})
	b := bus.New(append(approval.Topics(), session.Events), l.x.Inline())
	l.log = session.NewMemory(b)
	l.rows = approval.NewMemory(b, l.log)
	l.x.Read(l.log, l.rows)
	return l
}

// end has what happened so far sent, as at the gateway's end.
func (l *life) end() {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.t.Context())
	cancel()
	if err := l.x.Run(ctx); !errors.Is(err, context.Canceled) {
		l.t.Fatal(err)
	}
}

func (l *life) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *life) add(id string, body session.Body) {
	l.t.Helper()
	_, err := l.log.Append(l.t.Context(), id, body)
	l.must(err)
}

// ask asks in a turn of an agent.
func (l *life) ask(id, traceparent string) string {
	l.t.Helper()
	r := approvaltest.Request(l.t, id, "call")
	r.Args, r.Message, r.Traceparent, r.Risk.Level = tool.JSON(`{"command":"SENTINEL"}`), "SENTINEL", traceparent, approval.RiskHigh
	row, err := l.rows.Create(l.t.Context(), approval.New(r))
	l.must(err)
	return row.ApprovalID
}

func (l *life) settle(id string, status approval.Status, reason approval.Reason) {
	l.t.Helper()
	_, err := l.rows.Settle(l.t.Context(), approval.Response{ApprovalID: id, Status: status, Reason: reason, Message: "SENTINEL", By: approval.By{Subject: "SENTINEL", Via: approval.ViaREST}}, nil)
	l.must(err)
}

func TestATurnIsOneTraceFromTheModelOverTheWaitingToTheResult(t *testing.T) {
	c := newCollector(t)
	l := newLife(t, c)
	made, err := l.log.Create(t.Context(), session.Session{AgentID: "demo", Title: "SENTINEL"})
	l.must(err)
	l.add(made.ID, session.UserMessage{Text: "SENTINEL"})
	l.add(made.ID, session.TurnStarted{TurnID: "turn"})
	l.add(made.ID, session.AssistantMessage{MessageID: "m", Text: "SENTINEL", Model: "gpt", Usage: session.Usage{Input: 7, Output: 3}})
	turn := trace.Of("", trace.Turn, "turn")
	id := l.ask(made.ID, turn.String())
	l.settle(id, approval.Approved, "")
	_, err = l.rows.Claim(t.Context(), id, time.Hour, approvaltest.Holds)
	l.must(err)
	l.must(l.rows.Finish(t.Context(), id, tool.Failed("SENTINEL")))
	l.add(made.ID, session.TurnFinished{TurnID: "turn", Outcome: session.Completed})
	l.end()
	trunk, chat, waiting, running := c.named("invoke_agent demo"), c.named("chat gpt"), c.named("approval shell"), c.named("execute_tool shell")
	for _, s := range []sent{chat, waiting, running} {
		if s.TraceID != trunk.TraceID || s.Parent != trunk.SpanID || s.Start > s.End {
			t.Errorf("%s is not below the turn: %+v", s.Name, s)
		}
	}
	if trunk.Parent != "" || "00-"+trunk.TraceID+"-"+trunk.SpanID+"-01" != turn.String() {
		t.Errorf("the turn is %+v, want %v", trunk, turn)
	}
	if want := trace.Of(turn.String(), trace.Running, id).String(); "00-"+running.TraceID+"-"+running.SpanID+"-01" != want {
		t.Errorf("the call is %+v, want %s, which it was told", running, want)
	}
	got := map[string]string{}
	for _, s := range []sent{trunk, chat, waiting, running} {
		for _, a := range s.Attributes {
			got[s.Name+" "+a.Key] = s.has(a.Key)
		}
	}
	want := map[string]string{
		"invoke_agent demo gen_ai.operation.name": "invoke_agent", "invoke_agent demo gen_ai.agent.name": "demo", "invoke_agent demo gen_ai.conversation.id": made.ID,
		"invoke_agent demo lineclear.turn.id": "turn", "invoke_agent demo lineclear.outcome": "completed",
		"chat gpt gen_ai.operation.name": "chat", "chat gpt gen_ai.request.model": "gpt", "chat gpt gen_ai.agent.name": "demo", "chat gpt gen_ai.conversation.id": made.ID,
		"chat gpt gen_ai.usage.input_tokens": "7", "chat gpt gen_ai.usage.output_tokens": "3",
		"approval shell lineclear.approval.status": "approved", "approval shell lineclear.approval.via": "rest",
		"execute_tool shell gen_ai.operation.name": "execute_tool", "execute_tool shell error.type": "tool_error",
	}
	for _, name := range []string{"approval shell", "execute_tool shell"} {
		for key, value := range map[string]string{
			"gen_ai.agent.name": "demo", "gen_ai.conversation.id": made.ID, "gen_ai.tool.name": "shell", "gen_ai.tool.call.id": "call",
			"lineclear.approval.id": id, "lineclear.approval.type": "tool_confirmation", "lineclear.risk": "high",
		} {
			want[name+" "+key] = value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if running.Status.Code != 2 || waiting.Status.Code != 0 || chat.Kind != 3 {
		t.Errorf("statuses and kinds: %+v %+v %+v", running, waiting, chat)
	}
	if strings.Contains(c.bodies, "SENTINEL") {
		t.Errorf("more went out than ids, names and outcomes: %s", c.bodies)
	}
	if diff := cmp.Diff(map[otlp.Outcome]int{otlp.Sent: 4, otlp.Refused: 0, otlp.Dropped: 0}, l.counted); diff != "" {
		t.Error(diff)
	}
}

func TestAProgramsRequestIsInItsTraceAndOneThatNobodyRecordsIsNotSent(t *testing.T) {
	c := newCollector(t)
	l := newLife(t, c)
	made, err := l.log.Create(t.Context(), session.Session{AgentID: "demo", Kind: session.KindExternal})
	l.must(err)
	l.settle(l.ask(made.ID, given), approval.Denied, approval.UserDenied)
	l.end()
	s := c.named("approval shell")
	if s.TraceID != given[3:35] || s.Parent != given[36:52] || s.has("lineclear.approval.reason") != "user_denied" || len(c.spans) != 1 {
		t.Errorf("got %+v", c.spans)
	}
	other, err := l.log.Create(t.Context(), session.Session{AgentID: "demo"})
	l.must(err)
	l.settle(l.ask(other.ID, strings.Replace(given, "-01", "-00", 1)), approval.Approved, "")
	l.end()
	if len(c.spans) != 1 {
		t.Errorf("got %+v", c.spans)
	}
}

func TestWhatBeganBeforeTheProcessIsReadFromTheJournal(t *testing.T) {
	c := newCollector(t)
	l := newLife(t, c)
	made, err := l.log.Create(t.Context(), session.Session{AgentID: "demo"})
	l.must(err)
	l.add(made.ID, session.TurnStarted{TurnID: "turn", Traceparent: given})
	waits := l.ask(made.ID, trace.Of(given, trace.Turn, "turn").String())
	again := otlp.New(otlp.Options{Endpoint: c.server.URL, Headers: map[string]string{"X-Key": "k"}})
	again.Read(l.log, l.rows)
	next := bus.New(append(approval.Topics(), session.Events), again.Inline())
	l.settle(waits, approval.Approved, "")
	l.add(made.ID, session.AssistantMessage{MessageID: "m"})
	l.add(made.ID, session.TurnFinished{TurnID: "turn", Outcome: session.Failed})
	events, err := l.log.Events(t.Context(), made.ID, 0, 0)
	l.must(err)
	for _, e := range events[3:] {
		session.Events.Publish(next, e)
	}
	l.x = again
	l.end()
	turn, waiting, chat := c.named("invoke_agent demo"), c.named("approval shell"), c.named("chat")
	if turn.TraceID != given[3:35] || turn.Parent != given[36:52] || turn.Status.Code != 2 || waiting.Parent != turn.SpanID || chat.Parent != turn.SpanID || chat.TraceID != turn.TraceID {
		t.Errorf("got %+v", c.spans)
	}
}

func TestWhatACollectorCanNotTakeIsSentAgainAndWhatItRefusesIsCounted(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(int) (int, string)
		want   map[otlp.Outcome]int
		failed int
	}{
		"it is not ready once": {func(n int) (int, string) { return map[bool]int{true: 503, false: 200}[n == 1], "" }, map[otlp.Outcome]int{otlp.Sent: 2, otlp.Refused: 0, otlp.Dropped: 0}, 1},
		"it refuses":           {func(int) (int, string) { return 400, "no" }, map[otlp.Outcome]int{otlp.Sent: 0, otlp.Refused: 2, otlp.Dropped: 0}, 1},
		"it leads elsewhere":   {func(int) (int, string) { return 307, "" }, map[otlp.Outcome]int{otlp.Sent: 0, otlp.Refused: 2, otlp.Dropped: 0}, 1},
		"it takes a part":      {func(int) (int, string) { return 200, `{"partialSuccess":{"rejectedSpans":1}}` }, map[otlp.Outcome]int{otlp.Sent: 1, otlp.Refused: 1, otlp.Dropped: 0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			to := newCollector(t)
			to.answer = c.answer
			l := newLife(t, to)
			made, err := l.log.Create(t.Context(), session.Session{AgentID: "demo"})
			l.must(err)
			for range 2 {
				id := l.ask(made.ID, "")
				l.settle(id, approval.Denied, approval.UserDenied)
				made, err = l.log.Create(t.Context(), session.Session{AgentID: "demo"})
				l.must(err)
			}
			if name == "it is not ready once" {
				l.runUntil(func() bool { return l.counted[otlp.Sent] == 2 })
			}
			l.end()
			if diff := cmp.Diff(c.want, l.counted); diff != "" || len(l.failed) != c.failed {
				t.Errorf("%s, failed: %v", diff, l.failed)
			}
		})
	}
}

// runUntil has spans sent until something is so.
func (l *life) runUntil(is func() bool) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- l.x.Run(ctx) }()
	for ctx.Err() == nil {
		l.mu.Lock()
		so := is()
		l.mu.Unlock()
		if so {
			break
		}
	}
	cancel()
	<-over
}

func TestNobodyWaitsForACollectorThatDoesNotAnswer(t *testing.T) {
	c := newCollector(t)
	l := newLife(t, c) // nobody takes from the queue
	made, err := l.log.Create(t.Context(), session.Session{AgentID: "demo"})
	l.must(err)
	const more = 10
	for i := range 4096 + more {
		l.add(made.ID, session.AssistantMessage{MessageID: fmt.Sprint(i)})
	}
	if l.counted[otlp.Dropped] != more {
		t.Errorf("counted were %v", l.counted)
	}
}
