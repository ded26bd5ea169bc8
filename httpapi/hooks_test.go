package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
)

const hooked = `{"session_id":"s1","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1"}`

// hook posts what Claude Code does. Whatever is wrong, the answer has to be 200 with one of its
// two decisions: it runs the call after any other.
func (g *opened) hook(t *testing.T, method, body string, header http.Header) (decision, why, changed string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, g.URL+"/hooks/claude-code", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	if host := header.Get("X-Test-Host"); host != "" {
		r.Host = host
	}
	response, err := g.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Specific struct {
			Event    string         `json:"hookEventName"`
			Decision string         `json:"permissionDecision"`
			Why      string         `json:"permissionDecisionReason"`
			Changed  map[string]any `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.UnmarshalRead(response.Body, &answer); err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" || answer.Specific.Event != "PreToolUse" && answer.Specific.Decision != "" {
		t.Fatalf("%d %s, %v", response.StatusCode, response.Header, err)
	}
	raw, _ := json.Marshal(answer.Specific.Changed)
	return answer.Specific.Decision, answer.Specific.Why, string(raw)
}

func TestAnHTTPHookIsNeverAnsweredButByADecision(t *testing.T) {
	g := openGate(t)
	token := http.Header{"Authorization": {"Bearer " + g.token(t, `{"name":"claude","roles":["agent"]}`).Secret}}
	with := func(name, value string) http.Header {
		h := token.Clone()
		h.Set(name, value)
		return h
	}
	for name, c := range map[string]struct {
		method, body string
		header       http.Header
		why          string
	}{
		"no token":                   {"POST", hooked, http.Header{}, "log in first"},
		"a token of no one":          {"POST", hooked, http.Header{"Authorization": {"Bearer lct_x"}}, "log in first"},
		"who may not ask":            {"POST", hooked, http.Header{"Authorization": {"Bearer " + g.token(t, `{"name":"eye","roles":["viewer"]}`).Secret}}, "may not ask"},
		"who may answer":             {"POST", hooked, http.Header{"Authorization": {"Bearer " + g.token(t, `{"name":"boss","roles":["admin"]}`).Secret}}, "approve its own calls"},
		"another method":             {"GET", "", token, "POST"},
		"another page":               {"POST", hooked, with("Origin", "http://elsewhere.example"), "that origin"},
		"another host":               {"POST", hooked, with("X-Test-Host", "elsewhere.example"), "that host name"},
		"nothing":                    {"POST", "", token, "can't be read"},
		"half of it":                 {"POST", hooked[:60], token, "can't be read"},
		"another event":              {"POST", strings.Replace(hooked, "PreToolUse", "Stop", 1), token, "no event"},
		"too much":                   {"POST", strings.Replace(hooked, "make", strings.Repeat("x", 1<<20), 1), token, "too large"},
		"a name of no tool":          {"POST", strings.Replace(hooked, `"Bash"`, `"a b"`, 1), token, "toolName"},
		"an agent that is not valid": {"POST", strings.Replace(hooked, `"s1"`, `"\u202e"`, 1), token, "name"},
	} {
		if decision, why, _ := g.hook(t, c.method, c.body, c.header); decision != "deny" || !strings.Contains(why, c.why) {
			t.Errorf("%s: %s %q, want a denial with %q", name, decision, why, c.why)
		}
	}
}

func TestAnHTTPHookAsksWaitsAndReports(t *testing.T) {
	g := openGate(t)
	token := http.Header{"Authorization": {"Bearer " + g.token(t, `{"name":"claude","roles":["agent"]}`).Secret}}
	for name, c := range map[string]struct{ answer, decision, why, changed string }{
		"approved": {`{"status":"approved"}`, "allow", "approved by ", "{}"},
		"changed":  {`{"status":"approved","edit":{"command":"make -n"}}`, "allow", "approved by ", `{"command":"make -n"}`},
		"denied":   {`{"status":"denied","message":"not today"}`, "deny", "not today", "{}"},
	} {
		input := strings.Replace(hooked, "toolu_1", "toolu_"+name, 1)
		told := make(chan [3]string, 1)
		go func() {
			decision, why, changed := g.hook(t, "POST", input, token)
			told <- [3]string{decision, why, changed}
		}()
		id := g.sole(t)
		g.want(t, 200, "POST", "/api/approvals/"+id, c.answer, g.person)
		if got := <-told; got[0] != c.decision || !strings.Contains(got[1], c.why) || got[2] != c.changed {
			t.Errorf("%s: it is told %q", name, got)
		}
		if name != "changed" {
			continue
		}
		after := strings.NewReplacer("PreToolUse", "PostToolUse", `"tool_use_id"`, `"tool_response":"built","tool_use_id"`).Replace(input)
		g.hook(t, "POST", after, token)
		if row, err := g.manager.Get(t.Context(), id); err != nil || row.Run != approval.RunFinished {
			t.Errorf("reported, it is %s, %v", row.Run, err)
		}
	}
}

// sole waits for the one request that waits.
func (g *opened) sole(t *testing.T) (approvalID string) {
	t.Helper()
	for t.Context().Err() == nil {
		rows, err := g.manager.Find(t.Context(), approval.Query{Status: approval.Pending})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) > 0 {
			return rows[0].ApprovalID
		}
	}
	return ""
}

func TestAtAStopAnHTTPHookIsDeniedAndItsRequestWithdrawn(t *testing.T) {
	g := openGate(t)
	token := http.Header{"Authorization": {"Bearer " + g.token(t, `{"name":"claude","roles":["agent"]}`).Secret}}
	told := make(chan [2]string, 1)
	go func() {
		decision, why, _ := g.hook(t, "POST", hooked, token)
		told <- [2]string{decision, why}
	}()
	id := g.sole(t)
	g.closes()
	if got := <-told; got[0] != "deny" || !strings.Contains(got[1], "stopping") {
		t.Errorf("it is told %q", got)
	}
	if row, err := g.manager.Get(t.Context(), id); err != nil || row.Status != approval.Cancelled {
		t.Errorf("it is %s, %v", row.Status, err)
	}
}
