package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
)

// begun begins a run, and returns its sessionId.
func (g *opened) begun(t *testing.T, body, cookie string) string {
	t.Helper()
	response, text := g.ask(t, "POST", "/api/runs", body, cookie)
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || response.StatusCode != 201 || made.SessionID == "" {
		t.Fatalf("%s: %d %s, %v", body, response.StatusCode, text, err)
	}
	return made.SessionID
}

func in(run, directory, tool string) string {
	return `{"toolName":"` + tool + `","args":{},"sessionId":"` + run + `","workingDirectory":"` + directory + `"}`
}

// What is approved for the session holds in the run, in its folder, until it ends.
func TestWhatIsApprovedForARunHoldsInItAlone(t *testing.T) {
	g := openGate(t)
	run := g.begun(t, `{"client":"claude","name":"one"}`, g.program)
	asked := g.want(t, 201, "POST", "/api/approvals", in(run, "/repo", "deploy"), g.program)
	g.want(t, 200, "POST", "/api/approvals/"+asked.ApprovalID, `{"status":"approved","scope":"session","grant":{"covers":"tool"}}`, g.person)
	wants := func(what, body string, want approval.Status) {
		t.Helper()
		if got := g.want(t, 201, "POST", "/api/approvals", body, g.program); got.Status != want {
			t.Errorf("%s: %s, want %s", what, got.Status, want)
		}
	}
	wants("the run itself", in(run, "/repo", "deploy"), approval.Approved)
	wants("the run in another folder", in(run, "/elsewhere", "deploy"), approval.Pending)
	wants("another run", in(g.begun(t, `{"client":"claude","name":"two"}`, g.program), "/repo", "deploy"), approval.Pending)
	wants("a run without a name", in(g.begun(t, `{"client":"claude"}`, g.program), "/repo", "deploy"), approval.Pending)
	wants("no run", `{"toolName":"deploy","args":{},"client":"claude","workingDirectory":"/repo"}`, approval.Pending)
	if again := g.begun(t, `{"client":"claude","name":"one"}`, g.program); again != run {
		t.Errorf("the run of the same name that lives is %s, not %s", again, run)
	}
	if response, body := g.ask(t, "DELETE", "/api/runs/"+run, "", g.program); response.StatusCode != 204 {
		t.Fatalf("its end: %d %s", response.StatusCode, body)
	}
	if response, body := g.ask(t, "POST", "/api/approvals", in(run, "/repo", "deploy"), g.program); response.StatusCode != 409 || !strings.Contains(body, "ended") {
		t.Errorf("in an ended run: %d %s", response.StatusCode, body)
	}
	next := g.begun(t, `{"client":"claude","name":"one"}`, g.program)
	if next == run {
		t.Error("an ended run's name goes on with it")
	}
	wants("the next run of that name", in(next, "/repo", "deploy"), approval.Pending)
}

func TestWithoutARunAnApprovalIsForOneCall(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	if diff := cmp.Diff([]approval.Scope{approval.Once}, asked.Scopes); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
	if response, body := g.ask(t, "POST", "/api/approvals/"+asked.ApprovalID, `{"status":"approved","scope":"session"}`, g.person); response.StatusCode != 422 {
		t.Errorf("for the session: %d %s", response.StatusCode, body)
	}
}

func TestARunIsItsProgramsAlone(t *testing.T) {
	g := openGate(t)
	run := g.begun(t, `{"name":"one"}`, g.program)
	other := g.loginAs(t, "other", "agent")
	if response, body := g.ask(t, "POST", "/api/approvals", in(run, "", "deploy"), other); response.StatusCode == 201 {
		t.Errorf("another asks in it: %s", body)
	}
	if response, _ := g.ask(t, "DELETE", "/api/runs/"+run, "", other); response.StatusCode != 404 {
		t.Errorf("another ends it: %d", response.StatusCode)
	}
	if got := g.begun(t, `{"name":"one"}`, other); got == run {
		t.Error("another's run of the same name is the same")
	}
	for _, body := range []string{`{"name":"a\u200bb"}`, `{"client":"a\u202eb"}`, `{"parent":"a\nb"}`, `{"workingDirectory":"/a\u202eb"}`} {
		if response, _ := g.ask(t, "POST", "/api/runs", body, g.program); response.StatusCode != 422 {
			t.Errorf("%s: %d", body, response.StatusCode)
		}
	}
}

func TestAProgramBoundsAndWithdrawsItsQuestion(t *testing.T) {
	g := openGate(t)
	bounded := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"deploy","args":{},"expiresIn":"5s"}`, g.program)
	if d := bounded.ExpiresAt.Sub(bounded.RequestedAt); d <= 0 || d > 6*time.Second {
		t.Errorf("it waits for %s", d)
	}
	long := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"deploy","args":{},"expiresIn":"9000h"}`, g.program)
	if d := long.ExpiresAt.Sub(long.RequestedAt); d > time.Hour {
		t.Errorf("longer than the policy says: %s", d)
	}
	for _, text := range []string{"0s", "-1s", "soon"} {
		if response, body := g.ask(t, "POST", "/api/approvals", `{"toolName":"deploy","args":{},"expiresIn":"`+text+`"}`, g.program); response.StatusCode != 422 || !strings.Contains(body, "expiresIn") {
			t.Errorf("%s: %d %s", text, response.StatusCode, body)
		}
	}
	at := "/api/approvals/" + bounded.ApprovalID + "/extend"
	if got := g.want(t, 200, "POST", at, `{"expiresIn":"30s"}`, g.program); got.ExpiresAt.Sub(bounded.RequestedAt) < 30*time.Second {
		t.Errorf("extended it waits until %s", got.ExpiresAt)
	}
	for body, status := range map[string]int{`{"expiresIn":"1s"}`: 422, `{"expiresIn":"soon"}`: 422, `{}`: 422} {
		if response, text := g.ask(t, "POST", at, body, g.program); response.StatusCode != status || !strings.Contains(text, "expiresIn") {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
	at = "/api/approvals/" + long.ApprovalID
	if response, body := g.ask(t, "POST", at+"/cancel", "{}", g.loginAs(t, "other", "agent")); response.StatusCode != 403 {
		t.Errorf("another withdraws it: %d %s", response.StatusCode, body)
	}
	for range 2 { // the same again is a repetition
		if got := g.want(t, 200, "POST", at+"/cancel", "{}", g.program); got.Status != approval.Cancelled || got.Response.Reason != approval.AskerGone || got.Response.By.Subject != "deployer" {
			t.Errorf("withdrawn it is %+v", got)
		}
	}
	if response, _ := g.ask(t, "POST", at, `{"status":"approved"}`, g.person); response.StatusCode != 409 {
		t.Errorf("an answer after that: %d", response.StatusCode)
	}
}

func TestAProgramLooksUpItsOwnRequestByItsKey(t *testing.T) {
	g := openGate(t)
	look := func(query, cookie string) (ids []string, status int, text string) {
		response, text := g.ask(t, "GET", "/api/approvals"+query, "", cookie)
		var list struct {
			Approvals []approval.Approval `json:"approvals"`
		}
		_ = json.Unmarshal([]byte(text), &list)
		for _, a := range list.Approvals {
			ids = append(ids, a.ApprovalID)
		}
		return ids, response.StatusCode, text
	}
	other := g.loginAs(t, "other", "agent")
	mine := g.keyed(t, "build-7", g.program)
	g.keyed(t, "build-7", other)
	g.keyed(t, "build-8", g.program)
	if ids, status, text := look("?idempotencyKey=build-7", g.program); status != 200 || !slices.Equal(ids, []string{mine}) {
		t.Errorf("it finds %v: %d %s, want %s", ids, status, text, mine)
	}
	if ids, status, _ := look("?idempotencyKey=build-9", g.program); status != 200 || len(ids) > 0 {
		t.Errorf("an unknown key finds %v: %d", ids, status)
	}
	if _, status, text := look("", g.program); status != 403 || !strings.Contains(text, "idempotencyKey") {
		t.Errorf("a program can list the requests of others: %d %s", status, text)
	}
	if ids, _, _ := look("?idempotencyKey=build-7", g.person); len(ids) > 0 {
		t.Errorf("somebody else's key finds %v", ids)
	}
}

// keyed asks under an idempotency key.
func (g *opened) keyed(t *testing.T, key, cookie string) (approvalID string) {
	t.Helper()
	response, text := g.askWith(t, "POST", "/api/approvals", deploy, cookie, http.Header{"Idempotency-Key": {key}})
	var row approval.Approval
	if err := json.Unmarshal([]byte(text), &row); err != nil || response.StatusCode != 201 {
		t.Fatalf("%d %s", response.StatusCode, text)
	}
	return row.ApprovalID
}

func TestASchemaDoesNotTellWhatTheArgumentsMask(t *testing.T) {
	g := openGate(t)
	row := g.want(t, 201, "POST", "/api/approvals",
		`{"toolName":"log_in","args":{"password":"hunter2-hunter2"},"editable":true,"schema":{"type":"object","properties":{"password":{"const":"hunter2-hunter2"}}}}`, g.program)
	at := "/api/approvals/" + row.ApprovalID
	for _, path := range []string{at, at + "/tool", "/api/approvals", "/api/sessions/" + row.SessionID + "/events"} {
		if _, text := g.ask(t, "GET", path, "", g.person); strings.Contains(text, "hunter2") {
			t.Errorf("%s tells %s", path, text)
		}
	}
}
