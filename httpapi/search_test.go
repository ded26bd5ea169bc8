package httpapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// listed returns the tools and outcomes of the requests that a query finds, in order.
func (g *opened) listed(t *testing.T, query, cookie string) (tools []string) {
	t.Helper()
	response, body := g.ask(t, "GET", "/api/approvals?"+query, "", cookie)
	var page struct {
		Approvals []struct {
			ToolName string           `json:"toolName"`
			Outcome  approval.Outcome `json:"outcome"`
		} `json:"approvals"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %d %s", query, response.StatusCode, body)
	}
	for _, a := range page.Approvals {
		tools = append(tools, a.ToolName+" "+string(a.Outcome))
	}
	return tools
}

func TestTheHistoryIsSearchedByEachFilter(t *testing.T) {
	g := openGate(t)
	in := g.begun(t, `{}`, g.program)
	asked := func(tool, more string) view {
		return g.want(t, 201, "POST", "/api/approvals", `{"sessionId":"`+in+`","toolName":"`+tool+`",`+more+`}`, g.program)
	}
	no := asked("deploy", `"args":{"to":"Production"}`)
	g.want(t, 200, "POST", "/api/approvals/"+no.ApprovalID, `{"status":"denied","message":"Not on a Friday"}`, g.person)
	between := time.Now().UTC().Format(time.RFC3339Nano)
	yes := asked("build", `"message":"build it"`)
	g.want(t, 200, "POST", "/api/approvals/"+yes.ApprovalID, `{"status":"approved"}`, g.loginAs(t, "bob", auth.Approver))
	asked("wait", `"args":{"to":"staging"}`)
	for query, want := range map[string][]string{
		"":                             {"wait pending", "build approved", "deploy denied"},
		"q=production":                 {"deploy denied"},
		"q=FRIDAY+deploy":              {"deploy denied"},
		"q=ada+friday":                 {"deploy denied"}, // an id can have ada in it
		"q=nowhere":                    nil,
		"outcome=denied":               {"deploy denied"},
		"outcome=timed_out":            nil,
		"outcome=pending":              {"wait pending"},
		"status=denied":                {"deploy denied"},
		"toolName=build":               {"build approved"},
		"answeredBy=bob":               {"build approved"},
		"risk=critical":                nil,
		"agentId=external":             {"wait pending", "build approved", "deploy denied"},
		"agentId=demo":                 nil,
		"sessionId=" + in + "&q=build": {"build approved"},
		"since=" + between:             {"wait pending", "build approved"},
		"until=" + between:             {"deploy denied"},
		"limit=1":                      {"wait pending"},
		"before=" + yes.ApprovalID:     {"deploy denied"},
		"q=to&outcome=pending":         {"wait pending"},
	} {
		if diff := cmp.Diff(want, g.listed(t, query, g.person)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestFiltersThatCanNotBeUsedSayWhichAndWhatToDo(t *testing.T) {
	g := openGate(t)
	for query, says := range map[string]string{
		"outcome=silence":                `outcome: unknown outcome \"silence\": use pending, approved, `,
		"outcome=denied&status=denied":   "outcome: says more than status: leave status out",
		"status=open":                    "status: unknown status",
		"risk=huge":                      `risk: unknown risk \"huge\": use low, medium, high or critical`,
		"answeredBy=ada&status=pending":  "answeredBy: what is pending has no answer: leave one of them out",
		"answeredBy=ada&outcome=pending": "answeredBy: what is pending has no answer",
		"since=yesterday":                "since: want a time such as 2026-11-28T00:00:00Z",
		"until=2026-11-28":               "until: want a time",
		"since=2026-11-28T00:00:00Z&until=2026-11-28T00:00:00Z": "until: has to be later than since",
		"q=" + strings.Repeat("x+", 9):                          "q: at most 8 words and 200 bytes",
		"q=" + strings.Repeat("x", 201):                         "q: at most 8 words and 200 bytes",
		"q=" + url.QueryEscape("rm\u200b"):                      "q: has characters that can't be seen",
		"before=nowhere":                                        `before: there is no request \"nowhere\": leave before out`,
	} {
		for _, path := range []string{"/api/approvals?", "/api/approvals/export?format=csv&"} {
			if strings.Contains(path, "export") && strings.HasPrefix(query, "before") {
				continue
			}
			if response, body := g.ask(t, "GET", path+query, "", g.person); response.StatusCode != 422 || !strings.Contains(body, says) {
				t.Errorf("%s%s: %d %s", path, query, response.StatusCode, body)
			}
		}
	}
	if response, body := g.ask(t, "GET", "/api/approvals/export", "", g.person); response.StatusCode != 422 || !strings.Contains(body, "format: want csv or jsonl") {
		t.Errorf("without a format: %d %s", response.StatusCode, body)
	}
}

func TestASearchMatchesOnlyWhatIsShown(t *testing.T) {
	g := openGate(t)
	const secret = "hunter2hunter2"
	asked := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"login","args":{"user":"ada","password":"`+secret+`","note":"rm\u200b -rf"},"message":"curl -u ada:`+secret+` x"}`, g.program)
	g.want(t, 200, "POST", "/api/approvals/"+asked.ApprovalID, `{"status":"approved"}`, g.person)
	for n := 1; n <= len(secret); n++ {
		if got := g.listed(t, "limit=1&q="+secret[len(secret)-n:], g.person); n > 2 && len(got) > 0 {
			t.Errorf("%d characters of the secret find %v", n, got)
		}
	}
	for text, want := range map[string]int{"password": 1, "rm⟨U+200B⟩": 1, "rm-rf": 0, secret: 0} {
		if got := g.listed(t, "q="+url.QueryEscape(text), g.person); len(got) != want {
			t.Errorf("%q finds %v", text, got)
		}
	}
	if _, file := g.ask(t, "GET", "/api/approvals/export?format=jsonl&q="+secret, "", g.person); file != "" {
		t.Errorf("the export has %s", file)
	}
}

func TestWhoIsForSomeAgentsSearchesTheirsAlone(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	g.want(t, 200, "POST", "/api/approvals/"+asked.ApprovalID, `{"status":"denied","message":"SENTINEL"}`, g.person)
	theirs, others := g.token(t, `{"name":"theirs","roles":["viewer"],"agents":["external"]}`), g.token(t, `{"name":"others","roles":["viewer"],"agents":["demo"]}`)
	for _, path := range []string{
		"/api/approvals?", "/api/approvals?q=sentinel&", "/api/approvals?outcome=denied&", "/api/approvals?agentId=external&",
		"/api/approvals/export?format=csv&", "/api/approvals/export?format=jsonl&q=sentinel&",
	} {
		if status, body := g.bearer(t, "GET", path, "", theirs.Secret); status != 200 || !strings.Contains(body, asked.ApprovalID) {
			t.Errorf("%s shows its own %d %s", path, status, body)
		}
		if status, body := g.bearer(t, "GET", path, "", others.Secret); status != 200 || strings.Contains(body, asked.ApprovalID) || strings.Contains(body, "SENTINEL") {
			t.Errorf("%s shows others %d %s", path, status, body)
		}
	}
	// A request that is hidden looks like one that doesn't exist.
	for _, path := range []string{"/api/approvals/", "/api/approvals?before="} {
		status, hidden := g.bearer(t, "GET", path+asked.ApprovalID, "", others.Secret)
		missing := asked.ApprovalID[:len(asked.ApprovalID)-1] + "x"
		other, none := g.bearer(t, "GET", path+missing, "", others.Secret)
		if status < 400 || status != other || hidden != strings.ReplaceAll(none, missing, asked.ApprovalID) {
			t.Errorf("%s: %d %s, but of none %d %s", path, status, hidden, other, none)
		}
	}
}

func TestARequestSaysWhatCameOfIt(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	at := "/api/approvals/" + asked.ApprovalID
	ran := func() (r *approval.Ran) {
		t.Helper()
		var a struct {
			Ran *approval.Ran `json:"ran"`
		}
		if _, body := g.ask(t, "GET", at, "", g.person); json.Unmarshal([]byte(body), &a) != nil {
			t.Fatal(body)
		}
		return a.Ran
	}
	if r := ran(); r != nil {
		t.Errorf("before: %+v", r)
	}
	g.want(t, 200, "POST", at, `{"status":"approved"}`, g.person)
	g.want(t, 200, "POST", at+"/claim", "", g.program)
	if r := ran(); r == nil || r.StartedAt.IsZero() || !r.FinishedAt.IsZero() {
		t.Errorf("while it runs: %+v", r)
	}
	long := "password: hunter2hunter2 " + strings.Repeat("é", 3000)
	g.want(t, 200, "POST", at+"/result", `{"text":"`+long+`","isError":true,"structured":{"exitCode":3,"other":1}}`, g.program)
	r := ran()
	if r == nil || r.FinishedAt.Before(r.StartedAt) || !r.IsError || r.ExitCode == nil || *r.ExitCode != 3 {
		t.Fatalf("afterwards: %+v", r)
	}
	if strings.Contains(r.Text, "hunter2") || !strings.HasPrefix(r.Text, "password: ⟦masked⟧ é") || len(r.Text) > 4096 || len(r.Text)+r.Omitted < 6000 {
		t.Errorf("it says %d bytes, and omits %d: %.60s", len(r.Text), r.Omitted, r.Text)
	}
	if _, body := g.ask(t, "GET", "/api/approvals", "", g.person); strings.Contains(body, `"ran"`) {
		t.Errorf("the list has it: %s", body)
	}
	question := g.want(t, 201, "POST", "/api/approvals", `{"type":"elicitation","message":"Go on?","schema":{"type":"object"}}`, g.program)
	at = "/api/approvals/" + question.ApprovalID
	g.want(t, 200, "POST", at, `{"status":"approved","formData":{}}`, g.person)
	if r := ran(); r != nil {
		t.Errorf("a question: %+v", r)
	}
}
