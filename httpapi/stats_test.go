package httpapi_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
)

// past holds rows, oldest first.
type past struct {
	door.Approvals
	rows []approval.Approval
}

func (p past) Search(_ context.Context, q approval.Search) (found approval.Found, err error) {
	for _, row := range slices.Backward(p.rows) {
		if q.Matches(row) && (q.Before == "" || row.ApprovalID < q.Before) && found.Add(q, row) {
			break
		}
	}
	return found, nil
}

// asked is a row that was asked at a minute of a day, and answered that many
// seconds later.
func asked(t *testing.T, id, tool string, day, minute, after int, r approval.Response) approval.Approval {
	t.Helper()
	at := time.Date(2026, 11, day, 9, minute, 0, 0, time.UTC)
	row := approval.New(approval.Request{ApprovalID: id, AgentID: "demo", Type: approval.ToolConfirmation, ToolName: tool, RequestedAt: at})
	if r.Status == "" {
		return row
	}
	row, err := row.Settle(r, at.Add(time.Duration(after)*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func TestStatisticsCountWhatWasAskedAndAnswered(t *testing.T) {
	by := func(who string, via approval.Via) approval.By { return approval.By{Subject: who, Via: via} }
	yes := func(who string, via approval.Via) approval.Response {
		return approval.Response{Status: approval.Approved, By: by(who, via)}
	}
	no := func(who string, via approval.Via, why approval.Reason) approval.Response {
		return approval.Response{Status: approval.Denied, Reason: why, By: by(who, via)}
	}
	d := openOn(t, house{}, past{rows: []approval.Approval{
		asked(t, "00", "shell", 1, 0, 1, yes("ada", "ws")), // too long ago
		asked(t, "01", "shell", 27, 1, 10, yes("ada", "ws")),
		asked(t, "02", "shell", 27, 2, 30, no("ada", "rest", approval.UserDenied)),
		asked(t, "03", "shell", 28, 3, 50, yes("bob", "ws")),
		asked(t, "04", "shell", 28, 4, 60, no("system", "system", approval.Timeout)),
		asked(t, "05", "write_file", 28, 5, 0, yes("policy", "policy")),
		asked(t, "05b", "shell", 28, 5, 0, approval.Response{Status: approval.Approved, Reason: approval.Observed, By: approval.BySystem()}),
		asked(t, "06", "write_file", 28, 6, 0, no("policy", "policy", approval.PolicyDenied)),
		asked(t, "07", "write_file", 28, 7, 0, yes("ada", approval.ViaGrant)),
		asked(t, "08", "write_file", 28, 8, 0, approval.Response{}),
		asked(t, "08b", "shell", 28, 8, 0, approval.Response{Status: approval.Approved, Reason: approval.Observed, By: approval.BySystem()}),
		asked(t, "09", "", 28, 9, 5, approval.Response{Status: approval.Cancelled, Reason: approval.SystemCancelled, By: by("system", "system")}),
		asked(t, "10", "shell", 28, 10, 0, approval.Unanswerable(approval.ToolConfirmation, approval.TooManyPending)),
		asked(t, "11", "", 28, 11, 0, approval.Unanswerable(approval.Elicitation, approval.NoHandler)),
		asked(t, "12", "shell", 28, 12, 20, approval.Response{Status: approval.Cancelled, Reason: approval.UserCancelled, By: by("bob", "ws")}),
		asked(t, "13", "shell", 28, 13, 0, no("system", "system", approval.ValidationFailed)),
	}})
	viewer := d.login(t, auth.Viewer)
	response, body := d.ask(t, "GET", "/api/stats?since=2026-11-20T00:00:00Z", "", viewer)
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.StatusCode, body)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	type n = map[string]any
	counts := func(approved, denied, timeouts, cancelled, pending, byRule float64, more n) n {
		maps.Copy(more, n{
			"approved": approved, "denied": denied, "timeouts": timeouts, "cancelled": cancelled, "pending": pending, "deniedByRule": byRule,
		})
		return more
	}
	want := counts(6, 3, 3, 2, 1, 2, n{
		"since": "2026-11-20T00:00:00Z", "requests": 15.0, "byPolicy": 2.0, "byGrant": 1.0, "byPerson": 4.0,
		"byStatus": n{"approved": 6.0, "denied": 5.0, "cancelled": 3.0, "pending": 1.0},
		"byReason": n{
			"user_denied": 1.0, "timeout": 1.0, "policy_denied": 1.0, "observed": 2.0, "system_cancelled": 1.0, "too_many_pending": 1.0,
			"no_handler": 1.0, "user_cancelled": 1.0, "validation_failed": 1.0,
		},
		"waits": n{"median": 20.0, "p90": 30.0, "max": 50.0},
		"tools": []any{
			counts(4, 2, 2, 1, 0, 1, n{"toolName": "shell", "requests": 9.0, "medianWait": 20.0}),
			counts(2, 1, 0, 0, 1, 1, n{"toolName": "write_file", "requests": 4.0, "medianWait": 0.0}),
			counts(0, 0, 1, 1, 0, 0, n{"toolName": "", "requests": 2.0, "medianWait": 0.0}),
		},
		"observed": []any{n{"agentId": "demo", "wouldAsk": 2.0, "denied": 1.0}},
		"people": []any{
			n{"subject": "ada", "approved": 1.0, "denied": 1.0, "cancelled": 0.0, "medianWait": 10.0},
			n{"subject": "bob", "approved": 1.0, "denied": 0.0, "cancelled": 1.0, "medianWait": 20.0},
		},
		"days": []any{
			counts(1, 1, 0, 0, 0, 0, n{"day": "2026-11-27"}),
			counts(5, 2, 3, 2, 1, 2, n{"day": "2026-11-28"}),
		},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, of := range append([]any{got}, append(got["tools"].([]any), got["days"].([]any)...)...) {
		of := of.(n)
		sum := of["approved"].(float64) + of["denied"].(float64) + of["timeouts"].(float64) + of["cancelled"].(float64) + of["pending"].(float64)
		if all, ok := of["requests"].(float64); ok && sum != all {
			t.Errorf("of %v requests, %v are counted: %v", all, sum, of)
		}
	}
	if response, body := d.ask(t, "GET", "/api/stats?since=yesterday", "", viewer); response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "since: want a time") {
		t.Error(response.StatusCode, body)
	}
}
