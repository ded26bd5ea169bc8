package client_test

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

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// gateway answers the next requests with these handlers, one each, and notes
// what it was asked.
type gateway struct {
	mu      sync.Mutex
	asked   []string
	answers []http.HandlerFunc
}

func serve(t *testing.T, answers ...http.HandlerFunc) (*gateway, *client.Client) {
	t.Helper()
	g := &gateway{answers: answers}
	server := httptest.NewServer(g)
	t.Cleanup(func() {
		server.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		goleak.VerifyNone(t)
	})
	return g, client.New(server.URL+"/", "secret")
}

// ServeHTTP implements http.Handler.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.mu.Lock()
	line := r.Method + " " + r.URL.String()
	for _, name := range []string{"Last-Event-ID", "Idempotency-Key"} {
		if v := r.Header.Get(name); v != "" {
			line += " " + name + "=" + v
		}
	}
	g.asked = append(g.asked, strings.TrimSpace(line+" "+string(body)))
	if r.Header.Get("Authorization") != "Bearer secret" {
		g.asked = append(g.asked, "without a token or an origin")
	}
	answer := says(500, "")
	if len(g.answers) > 0 {
		answer, g.answers = g.answers[0], g.answers[1:]
	}
	g.mu.Unlock()
	answer(w, r)
}

// wasAsked compares what was asked.
func (g *gateway) wasAsked(t *testing.T, want ...string) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if diff := cmp.Diff(want, g.asked); diff != "" {
		t.Errorf("it was asked (-want +got):\n%s", diff)
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestAListIsFetchedPageAfterPageAndOnlyAsFarAsItIsRead(t *testing.T) {
	g, c := serve(t,
		says(200, `{"approvals":[{"approvalId":"c"},{"approvalId":"b"}],"next":"b"}`),
		says(200, `{"approvals":[{"approvalId":"a","status":"approved","run":"claimed","response":{"approvalId":"a","status":"approved"}}]}`),
		says(200, `{"sessions":[{"sessionId":"s"}],"next":"s"}`),
		says(200, `{"events":[{"session":"s","seq":5}],"next":5}`),
		says(503, `{"title":"Service Unavailable","detail":"try again"}`),
	)
	ids := ""
	for a, err := range c.Approvals(t.Context(), client.Filter{Status: approval.Approved, AgentID: "demo & co"}) {
		if err != nil {
			t.Fatal(err)
		}
		ids += a.ApprovalID
		if a.ApprovalID == "a" && (a.Run != approval.RunClaimed || a.Response == nil) {
			t.Errorf("it is %+v", a)
		}
	}
	for range c.Sessions(t.Context()) {
		break
	}
	var failed error
	for e, err := range c.Journal(t.Context(), "s", 4) {
		if failed = err; err == nil {
			ids += fmt.Sprint(e.Seq)
		}
	}
	if ids != "cba5" || failed == nil || failed.Error() != "try again" {
		t.Errorf("the lists have %s and end with %v", ids, failed)
	}
	g.wasAsked(t,
		"GET /api/approvals?agentId=demo+%26+co&limit=500&status=approved",
		"GET /api/approvals?agentId=demo+%26+co&before=b&limit=500&status=approved",
		"GET /api/sessions?limit=500",
		"GET /api/sessions/s/events?after=4&limit=500",
		"GET /api/sessions/s/events?after=5&limit=500",
	)
}

func TestAFilterIsSentAsItIsNamed(t *testing.T) {
	g, c := serve(t, says(200, `{"approvals":[]}`), says(200, "a,b\r\n"), says(422, `{"detail":"format: want csv or jsonl"}`), halfway)
	f := client.Filter{
		Words: "rm -rf", Outcome: approval.OutcomeTimedOut, SessionID: "s", AgentID: "a", ToolName: "shell", Risk: approval.RiskHigh, AnsweredBy: "ada",
		Since: time.Date(2026, 11, 28, 9, 0, 0, 5000, time.UTC), Until: time.Date(2026, 11, 29, 0, 0, 0, 0, time.FixedZone("", 3600)),
	}
	for _, err := range c.Approvals(t.Context(), f) {
		t.Error(err)
	}
	var table, lines strings.Builder
	if err := c.Export(t.Context(), f, "csv", &table); err != nil || table.String() != "a,b\r\n" {
		t.Errorf("%q, %v", table.String(), err)
	}
	if err := c.Export(t.Context(), client.Filter{}, "xml", &lines); err == nil || err.Error() != "format: want csv or jsonl" {
		t.Error(err)
	}
	if err := c.Export(t.Context(), client.Filter{}, "jsonl", &lines); err == nil || lines.String() != "{}\n" {
		t.Errorf("broken off: %q, %v", lines.String(), err)
	}
	const named = "agentId=a&answeredBy=ada&%soutcome=timed_out&q=rm+-rf&risk=high&sessionId=s&since=2026-11-28T09%%3A00%%3A00.000005Z&toolName=shell&until=2026-11-28T23%%3A00%%3A00Z"
	g.wasAsked(t,
		"GET /api/approvals?"+fmt.Sprintf(named, "limit=500&"),
		"GET /api/approvals/export?"+fmt.Sprintf(named, "format=csv&"),
		"GET /api/approvals/export?format=xml", "GET /api/approvals/export?format=jsonl",
	)
}

// halfway sends an answer that breaks off.
func halfway(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "{}\n")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func TestAProgramAsksClaimsAndReports(t *testing.T) {
	g, c := serve(t,
		says(201, `{"approvalId":"a/1","status":"pending"}`),
		says(200, `{"approvalId":"a/1","status":"pending"}`),
		says(200, `{"approvalId":"a/1","status":"approved"}`),
		says(200, `{"args":{"to":"staging"},"approval":{"approvalId":"a/1","run":"claimed"}}`),
		says(200, `{"approvalId":"a/1","run":"finished"}`),
	)
	asked, err := c.Ask(t.Context(), client.Question{Client: "deployer", ToolName: "deploy", Args: []byte(`{"to":"prod"}`), Key: "build-7"})
	if err != nil || asked.Status != approval.Pending {
		t.Fatalf("%+v, %v", asked, err)
	}
	if a, err := c.Outcome(t.Context(), asked.ApprovalID); err != nil || a.Status != approval.Approved {
		t.Fatalf("%+v, %v", a, err)
	}
	args, a, err := c.Claim(t.Context(), asked.ApprovalID)
	if err != nil || string(args) != `{"to":"staging"}` || a.Run != approval.RunClaimed {
		t.Errorf("%s, %+v, %v", args, a, err)
	}
	if a, err := c.Report(t.Context(), asked.ApprovalID, tool.Result{Text: "done"}); err != nil || a.Run != approval.RunFinished {
		t.Errorf("%+v, %v", a, err)
	}
	g.wasAsked(t,
		`POST /api/approvals Idempotency-Key=build-7 {"client":"deployer","toolName":"deploy","args":{"to":"prod"}}`,
		"GET /api/approvals/a%2F1?wait=1m0s", "GET /api/approvals/a%2F1?wait=1m0s",
		"POST /api/approvals/a%2F1/claim", `POST /api/approvals/a%2F1/result {"text":"done"}`,
	)
}

// breaksOff is an answer that never comes.
func breaksOff(w http.ResponseWriter, _ *http.Request) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = c.Close()
	}
}

func TestAReportWhoseReplyWasLostIsNoError(t *testing.T) {
	for run, fails := range map[string]bool{"finished": false, "claimed": true} {
		t.Run(run, func(t *testing.T) {
			_, c := serve(t,
				says(201, `{"approvalId":"a","status":"approved"}`), says(200, `{"args":{},"approval":{"approvalId":"a"}}`),
				breaksOff, says(409, `{"title":"Conflict","status":409}`), says(200, `{"approvalId":"a","run":"`+run+`"}`),
			)
			result, err := c.Guard(t.Context(), client.Question{ToolName: "deploy"}, func(context.Context, tool.JSON) (tool.Result, error) {
				return tool.Result{Text: "done"}, nil
			})
			if result.Text != "done" || fails != (err != nil) {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

func TestARefusedAnswerCarriesTheOneThatStands(t *testing.T) {
	_, c := serve(t,
		says(409, `{"title":"Conflict","status":409,"detail":"already decided","response":{"approvalId":"a","status":"denied","by":{"subject":"ann","via":"rest"}}}`),
		says(502, "a proxy speaks"),
	)
	var p *client.Problem
	_, err := c.Answer(t.Context(), approval.Answer{ApprovalID: "a", Status: approval.Approved})
	if !errors.As(err, &p) || p.Status != 409 || p.Response == nil || p.Response.By.Subject != "ann" {
		t.Errorf("it is %+v", err)
	}
	_, err = c.Cancel(t.Context(), "a")
	if !errors.As(err, &p) || p.Status != 502 || p.Error() != "a proxy speaks" {
		t.Errorf("it is %+v", err)
	}
}

func TestASessionsStreamGoesOnWhereItBroke(t *testing.T) {
	stream := func(events string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, events)
		}
	}
	g, c := serve(t,
		stream(": alive\n\nid: s:8\nevent: sessionEvent\ndata: {\"seq\":8}\n\nevent: delta\ndata: {\"text\":\n"),
		says(503, `{"detail":"later"}`),
		stream("event: delta\r\ndata: {\"text\":\r\ndata: \"x\"}\r\n\r\nid: s:9\nevent: sessionEvent\ndata: {\"seq\":9}\n\n"),
		says(401, `{"detail":"log in first"}`),
	)
	var got []string
	var last error
	for e, err := range c.Events(t.Context(), "s", 7) {
		switch {
		case errors.Is(err, client.ErrReconnecting):
			got = append(got, "again")
		case err != nil:
			last = err
		default:
			got = append(got, e.Name+" "+e.ID+" "+string(e.Data))
		}
	}
	want := []string{`sessionEvent s:8 {"seq":8}`, "again", "again", "delta  {\"text\":\n\"x\"}", `sessionEvent s:9 {"seq":9}`, "again"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it came (-want +got):\n%s", diff)
	}
	if last == nil || last.Error() != "log in first" {
		t.Errorf("it ended with %v", last)
	}
	g.wasAsked(t,
		"GET /api/events?sessionId=s Last-Event-ID=s:7", "GET /api/events?sessionId=s Last-Event-ID=s:8",
		"GET /api/events?sessionId=s Last-Event-ID=s:8", "GET /api/events?sessionId=s Last-Event-ID=s:9",
	)
}

func TestAStreamEndsWithItsContextAndItsReader(t *testing.T) {
	open := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "event: snapshot\ndata: {\"pending\":[{\"approvalId\":\"a\"}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	_, c := serve(t, open, open)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for e, err := range c.Events(ctx, "", 0) {
		var s client.Snapshot
		if err != nil || e.Decode(&s) != nil || len(s.Pending) != 1 {
			t.Errorf("it has %+v, %v", e, err)
		}
		cancel()
	}
	for range c.Events(t.Context(), "", 0) {
		break
	}
}

func TestASnapshotInPagesIsOneEvent(t *testing.T) {
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "event: snapshot\ndata: {\"pending\":[{\"approvalId\":\"a\"}],\"sessions\":[{\"sessionId\":\"s\"}],\"more\":true}\n\n"+
			"event: snapshot\ndata: {\"pending\":[{\"approvalId\":\"b\"}],\"sessions\":[],\"more\":false}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for e, err := range c.Events(t.Context(), "", 0) {
		var s client.Snapshot
		if err != nil || e.Decode(&s) != nil || s.More || len(s.Sessions) != 1 || len(s.Pending) != 2 || s.Pending[1].ApprovalID != "b" {
			t.Errorf("it has %+v, %v", s, err)
		}
		break
	}
}

func TestALocalClientFindsARestartedGateway(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	answers := func(subject string) *httptest.Server {
		return httptest.NewServer(says(200, `{"identity":{"subject":"`+subject+`","roles":["viewer"]}}`))
	}
	first, second := answers("ann"), answers("ben")
	defer second.Close()
	if err := (client.Access{URL: first.URL, Token: "1"}).Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := client.Local(dir)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, url := range []string{first.URL, second.URL} {
		if err := (client.Access{URL: url, Token: "2"}).Write(dir); err != nil {
			t.Fatal(err)
		}
		me, err := c.Me(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, me.Subject)
		first.Close()
	}
	if !slices.Equal(seen, []string{"ann", "ben"}) {
		t.Errorf("it talked to %v", seen)
	}
	if err := client.Forget(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Me(t.Context()); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("afterwards: %v", err)
	}
}
