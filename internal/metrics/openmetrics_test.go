package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/session"
)

const openMetrics = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3"

// scraped is what a scraper that accepts a format reads.
func scraped(t *testing.T, m *metrics.Metrics, accept string) (text, kind string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", accept)
	m.Handler().ServeHTTP(w, r)
	return w.Body.String(), w.Header().Get("Content-Type")
}

func names(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^(lineclear_\w+)[ {]`).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestOpenMetricsIsServedWhereItIsAskedForUnderTheSameNames(t *testing.T) {
	d := newDesk(t)
	d.ask("1", "demo", true)
	d.answer("1", approval.Approved, "", approval.ViaREST, time.Second)
	plain, kind := scraped(t, d.m, "text/plain")
	if !strings.HasPrefix(kind, "text/plain") || strings.Contains(plain, "# EOF") || strings.Contains(plain, "trace_id") {
		t.Errorf("without being asked it answers with %s", kind)
	}
	open, kind := scraped(t, d.m, openMetrics)
	if !strings.HasPrefix(kind, "application/openmetrics-text") || !strings.HasSuffix(open, "# EOF\n") {
		t.Errorf("it answers with %s", kind)
	}
	if diff := cmp.Diff(names(plain), names(open)); diff != "" {
		t.Errorf("the names differ: %s", diff)
	}
}

func TestExemplarsNameTheTraceOfARequest(t *testing.T) {
	const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0"
	for name, c := range map[string]struct {
		traceparent string
		traced      bool
		want        bool // there are exemplars
		id          string
	}{
		"no traces are sent":               {"", false, false, "[0-9a-f]{32}"},
		"the program has a trace":          {given + "1", false, true, "4bf92f3577b34da6a3ce929d0e0e4736"},
		"nobody records it":                {given + "0", true, false, "[0-9a-f]{32}"},
		"traces are sent":                  {given + "1", true, true, "4bf92f3577b34da6a3ce929d0e0e4736"},
		"traces are sent of what has none": {"", true, true, "[0-9a-f]{32}"},
	} {
		m := metrics.New([]string{"demo"})
		if c.traced {
			m.Trace()
		}
		d := desk{t, m, bus.New(append(approval.Topics(), session.Events), m.Inline()...)}
		r := approval.Request{ApprovalID: "1", AgentID: "demo", Type: approval.ToolConfirmation, RequestedAt: noon(), Traceparent: c.traceparent}
		d.journal(session.TypeApprovalRequested, r)
		approval.Requests.Publish(d.bus, r)
		d.answer("1", approval.Approved, "", approval.ViaREST, time.Second)
		r.ApprovalID = "2"
		d.journal(session.TypeApprovalRequested, r)
		d.answer("2", approval.Approved, "", "policy", 0)
		text, _ := scraped(t, m, openMetrics)
		for _, of := range []string{`lineclear_time_to_answer_seconds_bucket\{le="1.0"\} 1`, `lineclear_decisions_total\{.*via="rest"\} 1.0`, `lineclear_decisions_total\{.*via="policy"\} 1.0`} {
			if found := regexp.MustCompile(of + ` # \{trace_id="` + c.id + `"\}`).MatchString(text); found != c.want {
				t.Errorf("%s: %s has an exemplar: %v\n%s", name, of, found, text[:strings.Index(text, "# HELP lineclear_failures")])
			}
		}
	}
}

func TestHowLongTheOldestRequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		oldest := func(want string) {
			t.Helper()
			if text := scrape(t, d.m); !strings.Contains(text, "\nlineclear_pending_oldest_seconds "+want+"\n") {
				t.Errorf("want %s in %s", want, ours(text, "pending"))
			}
		}
		oldest("0")
		d.m.Remember([]approval.Request{{ApprovalID: "old", RequestedAt: time.Now()}})
		<-time.After(time.Minute)
		approval.Requests.Publish(d.bus, approval.Request{ApprovalID: "new", RequestedAt: time.Now()})
		<-time.After(time.Minute)
		oldest("120")
		d.answer("old", approval.Approved, "", approval.ViaREST, 0)
		oldest("60")
	})
}
