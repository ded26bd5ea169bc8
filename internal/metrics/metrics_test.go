package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/session"
)

func noon() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) }

// scrape is what Prometheus would read.
func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// ours are the lines of some of the gateway's own metrics that are not zero.
func ours(text string, names ...string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(line, "lineclear_"+n) }) && !strings.HasSuffix(line, " 0") {
			lines = append(lines, strings.TrimPrefix(line, "lineclear_"))
		}
	}
	return lines
}

// desk is a bus to which the metrics listen, and what a store says on it.
type desk struct {
	t   *testing.T
	m   *metrics.Metrics
	bus *bus.Bus
}

func newDesk(t *testing.T) desk {
	m := metrics.New([]string{"demo"})
	return desk{t, m, bus.New(append(approval.Topics(), session.Events), m.Inline()...)}
}

func (d desk) journal(kind session.Type, data any) {
	d.t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		d.t.Fatal(err)
	}
	session.Events.Publish(d.bus, session.Event{SessionID: "s", Type: kind, Data: raw})
}

func (d desk) ask(id, agent string, waits bool) {
	d.t.Helper()
	r := approval.Request{ApprovalID: id, AgentID: agent, Type: approval.ToolConfirmation, ToolName: "shell", RequestedAt: noon()}
	d.journal(session.TypeApprovalRequested, r)
	if waits {
		approval.Requests.Publish(d.bus, r)
	}
}

func (d desk) answer(id string, status approval.Status, reason approval.Reason, via approval.Via, after time.Duration) {
	d.t.Helper()
	r := approval.Response{ApprovalID: id, Status: status, Reason: reason, By: approval.By{Subject: "ada", Via: via}, At: noon().Add(after)}
	d.journal(session.TypeApprovalResolved, r)
}

func TestRequestsAndAnswersAreCountedByWhatBecameOfThem(t *testing.T) {
	d := newDesk(t)
	d.m.Remember([]approval.Request{{ApprovalID: "old", RequestedAt: noon().Add(-time.Hour)}})
	d.ask("1", "demo", true)
	d.ask("2", "demo", true)
	d.ask("3", "demo", true)
	d.ask("4", "demo", false)
	d.answer("4", approval.Approved, "", "policy", 0)
	d.ask("5", "not of the configuration", false)
	d.answer("5", approval.Denied, approval.PolicyDenied, "policy", 0)
	d.answer("1", approval.Approved, "", "websocket", 3*time.Second)
	d.answer("2", approval.Denied, approval.Timeout, "system", time.Minute)
	d.answer("old", approval.Cancelled, approval.UserCancelled, "a door that nobody knows", 0)
	// One that was approved is taken back, and one that waits is superseded.
	d.journal(session.TypeApprovalVoided, approval.Response{ApprovalID: "1", Status: approval.Cancelled, Reason: approval.UserCancelled})
	d.ask("6", "demo", true)
	d.journal(session.TypeApprovalVoided, approval.Response{
		ApprovalID: "6", Status: approval.Cancelled, Reason: approval.Superseded, By: approval.By{Via: "system"},
	})
	want := []string{
		`decisions_total{reason="none",status="approved",via="policy"} 1`,
		`decisions_total{reason="none",status="approved",via="websocket"} 1`,
		`decisions_total{reason="policy_denied",status="denied",via="policy"} 1`,
		`decisions_total{reason="superseded",status="cancelled",via="system"} 1`,
		`decisions_total{reason="timeout",status="denied",via="system"} 1`,
		`decisions_total{reason="user_cancelled",status="cancelled",via="other"} 1`,
		`pending 1`,
		`requests_total{agent="demo",outcome="allowed",type="tool_confirmation"} 1`,
		`requests_total{agent="demo",outcome="asked",type="tool_confirmation"} 4`,
		`requests_total{agent="other",outcome="denied",type="tool_confirmation"} 1`,
		`time_to_answer_seconds_sum 3603`,
		`time_to_answer_seconds_count 2`,
	}
	text := scrape(t, d.m)
	got := ours(text, "decisions_total", "pending ", "requests_total", "time_to_answer_seconds_sum", "time_to_answer_seconds_count")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counted are (-want +got):\n%s", diff)
	}
}

func TestWhatCanNotBeReadIsNotCounted(t *testing.T) {
	d := newDesk(t)
	for _, kind := range []session.Type{session.TypeApprovalRequested, session.TypeApprovalResolved, session.TypeApprovalVoided} {
		session.Events.Publish(d.bus, session.Event{Type: kind, Data: []byte(`[]`)})
	}
	if got := ours(scrape(t, d.m), "decisions", "requests", "pending "); len(got) > 0 {
		t.Errorf("counted are %q", got)
	}
}

func TestTheDoorsTheStoreTheBusAndTheTabsAreCounted(t *testing.T) {
	d := newDesk(t)
	d.m.Watch(d.bus, func() (int, uint64) { return 7, 2 }, func() (database, log, free int64, err error) { return 7, 8, 9, nil })
	slow := d.bus.Subscribe(1, session.Events)
	defer slow.Close()
	d.journal(session.TypeCreated, struct{}{})
	d.journal(session.TypeCreated, struct{}{})
	d.m.Committed(3, 4*time.Millisecond)
	d.m.Served("/api/login", "POST", 200)
	d.m.Served("/api/login", "BREW", 200)
	d.m.Served("", "GET", 421)
	d.m.Refused("host")
	d.m.Refused("something else")
	want := []string{
		`bus_events_total{topic="sessionEvent"} 2`,
		`http_requests_total{code="200",method="POST",route="/api/login"} 1`,
		`http_requests_total{code="200",method="other",route="/api/login"} 1`,
		`http_requests_total{code="421",method="GET",route="none"} 1`,
		`queue_evictions_total{queue="bus"} 1`,
		`queue_evictions_total{queue="tab"} 2`,
		`refused_total{why="host"} 1`,
		`refused_total{why="other"} 1`,
		`store_commit_seconds_sum 0.004`,
		`store_commit_seconds_count 1`,
		`store_group_size_sum 3`,
		`store_group_size_count 1`,
		`websockets 7`,
	}
	text := scrape(t, d.m)
	got := ours(text, "bus_events", "http_", "queue_", "refused_", "store_commit_seconds_sum", "store_commit_seconds_count",
		"store_group_size_sum", "store_group_size_count", "websockets")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counted are (-want +got):\n%s", diff)
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes", `lineclear_refused_total{why="rate"} 0`} {
		if !strings.Contains(text, name) {
			t.Errorf("%s is missing", name)
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestTwoGatewaysInOneProcessCountApart(t *testing.T) {
	one, two := metrics.New(nil), metrics.New(nil)
	one.Refused("rate")
	if got := ours(scrape(t, two), "refused_total"); len(got) > 0 {
		t.Errorf("the other one has %q", got)
	}
}

func Example() {
	m := metrics.New([]string{"demo"})
	m.Refused("host")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, `lineclear_refused_total{why="host"}`) {
			fmt.Print(line)
		}
	}
	// Output: lineclear_refused_total{why="host"} 1
}
