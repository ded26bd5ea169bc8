package httpapi_test

import (
	"context"
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
	want := map[string]any{
		"since": "2026-11-20T00:00:00Z", "requests": 11.0, "byPolicy": 2.0, "byGrant": 1.0, "byPerson": 3.0, "timeouts": 1.0,
		"byStatus": map[string]any{"approved": 6.0, "denied": 3.0, "cancelled": 1.0, "pending": 1.0},
		"byReason": map[string]any{"user_denied": 1.0, "timeout": 1.0, "policy_denied": 1.0, "observed": 2.0, "system_cancelled": 1.0},
		"waits":    map[string]any{"median": 30.0, "p90": 30.0, "max": 50.0},
		"tools": []any{
			map[string]any{"toolName": "shell", "requests": 6.0, "approved": 4.0, "denied": 2.0, "timeouts": 1.0, "medianWait": 30.0},
			map[string]any{"toolName": "write_file", "requests": 4.0, "approved": 2.0, "denied": 1.0, "timeouts": 0.0, "medianWait": 0.0},
			map[string]any{"toolName": "", "requests": 1.0, "approved": 0.0, "denied": 0.0, "timeouts": 0.0, "medianWait": 0.0},
		},
		"observed": []any{map[string]any{"agentId": "demo", "wouldAsk": 2.0, "denied": 1.0}},
		"people": []any{
			map[string]any{"subject": "ada", "approved": 1.0, "denied": 1.0, "medianWait": 10.0},
			map[string]any{"subject": "bob", "approved": 1.0, "denied": 0.0, "medianWait": 50.0},
		},
		"days": []any{
			map[string]any{"day": "2026-11-27", "approved": 1.0, "denied": 1.0, "other": 0.0},
			map[string]any{"day": "2026-11-28", "approved": 5.0, "denied": 2.0, "other": 2.0},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if response, body := d.ask(t, "GET", "/api/stats?since=yesterday", "", viewer); response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "since: want a time") {
		t.Error(response.StatusCode, body)
	}
}
