package httpapi_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/mask"
)

// events reads a stream until it has seen as many events, and returns the lines.
func (g *opened) events(t *testing.T, path, resume string, many int) []string {
	t.Helper()
	var lines []string
	in := g.stream(t, path, resume)
	for many > 0 && in.Scan() {
		line := in.Text()
		if strings.HasPrefix(line, "data:") {
			many--
			if many == 2 { // it is listened to: now something happens
				g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// stream is the lines of a stream of events.
func (g *opened) stream(t *testing.T, path, resume string) *bufio.Scanner {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", g.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	withCookie(r, g.person)
	if resume != "" {
		r.Header.Set("Last-Event-ID", resume)
	}
	response, err := g.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s", response.StatusCode, response.Header)
	}
	return bufio.NewScanner(response.Body)
}

// data is what comes on a stream with the next event of a name.
func data(in *bufio.Scanner, event string) string {
	for in.Scan() {
		if in.Text() == "event: "+event && in.Scan() {
			return in.Text()
		}
	}
	return ""
}

func TestTheStreamBeginsWithASnapshotAndTellsOfRequestsUnderBothNames(t *testing.T) {
	g := openGate(t)
	g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	text := strings.Join(g.events(t, "/api/events", "", 3), "\n")
	for _, want := range []string{"event: snapshot\ndata: {\"pending\":[{", "event: approvalRequest\ndata: {", "event: approval-required\ndata: {"} {
		if !strings.Contains(text, want) {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
}

func TestASessionsStreamBeginsWithWhatWaitsAndTellsOfRequestsAndAnswers(t *testing.T) {
	g := openGate(t)
	first := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	path := "/api/events?after=99&sessionId=" + first.SessionID
	text := strings.Join(g.events(t, path, "", 2), "\n")
	for _, want := range []string{"event: approvalRequest\ndata: {", "event: approval-required\ndata: {", `"approvalId":"` + first.ApprovalID} {
		if !strings.Contains(text, want) {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
	lines := g.stream(t, path, "")
	var heard []string
	for len(heard) < 3 && lines.Scan() {
		name, is := strings.CutPrefix(lines.Text(), "event: ")
		if !is {
			continue
		}
		heard = append(heard, name)
		if len(heard) == 2 {
			g.want(t, 200, "POST", "/api/approvals/"+first.ApprovalID, `{"status":"denied"}`, g.person)
		}
	}
	if strings.Join(heard, " ") != "approvalRequest approval-required approvalResponse" {
		t.Errorf("it tells %v", heard)
	}
}

func TestASessionsStreamGoesOnWhereItWas(t *testing.T) {
	g := openGate(t)
	first := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	text := strings.Join(g.events(t, "/api/events?sessionId="+first.SessionID, "", 2), "\n")
	if !strings.Contains(text, "id: "+first.SessionID+":1\nevent: sessionEvent") || !strings.Contains(text, "id: "+first.SessionID+":2") {
		t.Errorf("from the beginning:\n%s", text)
	}
	text = strings.Join(g.events(t, "/api/events", first.SessionID+":1", 1), "\n")
	if strings.Contains(text, ":1\n") || !strings.Contains(text, "id: "+first.SessionID+":2") {
		t.Errorf("resumed:\n%s", text)
	}
}

func TestTheDescriptionOfTheAPIIsOneAndHasEveryRoute(t *testing.T) {
	g := openGate(t)
	_, body := g.ask(t, "GET", "/openapi.json", "", "")
	var doc struct {
		OpenAPI    string                               `json:"openapi"`
		Paths      map[string]map[string]map[string]any `json:"paths"`
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%v, version %q", err, doc.OpenAPI)
	}
	for _, r := range httpapi.New(httpapi.Backend{}).Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		if _, ok := doc.Paths[path][strings.ToLower(method)]; !ok && !r.Hidden {
			t.Errorf("%s is not described", r.Pattern)
		}
	}
	if strings.Contains(body, `"array","null"`) {
		t.Error("a list is said to be null")
	}
	// Every schema, and with it every reference, has to be one.
	compiler := jsonschema.NewCompiler()
	whole, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("http://gate.example/openapi.json", whole); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Components.Schemas {
		if _, err := compiler.Compile("http://gate.example/openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// And what is answered has to fit it.
	request, err := compiler.Compile("http://gate.example/openapi.json#/components/schemas/Approval")
	if err != nil {
		t.Fatal(err)
	}
	_, body = g.ask(t, "POST", "/api/approvals", deploy, g.program)
	answer, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := request.Validate(answer); err != nil {
		t.Errorf("%v in %s", err, body)
	}
	if response, page := g.ask(t, "GET", "/docs", "", ""); response.StatusCode != 200 || !strings.Contains(page, "/api/approvals/{id}/claim") || strings.Contains(page, "<script") {
		t.Errorf("the page: %d %.200s", response.StatusCode, page)
	}
}

func TestSecretsAreMaskedWhereTheyAreShownAndRunAsTheyAre(t *testing.T) {
	g := openGate(t)
	const secret = "hunter2hunter2"
	asked := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"login","args":{"user":"ada","password":"`+secret+`"},"message":"curl -u ada:`+secret+` x"}`, g.program)
	at := "/api/approvals/" + asked.ApprovalID
	for _, path := range []string{
		at, "/api/approvals", "/api/sessions", "/api/sessions/" + asked.SessionID, "/api/sessions/" + asked.SessionID + "/events",
	} {
		if _, body := g.ask(t, "GET", path, "", g.person); strings.Contains(body, secret) || !strings.Contains(body, "ada") {
			t.Errorf("%s shows %s", path, body)
		}
	}
	if text := strings.Join(g.events(t, "/api/events", "", 1), "\n"); strings.Contains(text, secret) || !strings.Contains(text, mask.Mark) {
		t.Errorf("the stream shows %s", text)
	}
	g.want(t, 403, "POST", at+"/reveal", "", g.program)
	if _, body := g.ask(t, "POST", at+"/reveal", "", g.person); !strings.Contains(body, secret) {
		t.Errorf("revealed: %s", body)
	}
	if _, body := g.ask(t, "GET", "/api/sessions/"+asked.SessionID+"/events", "", g.person); !strings.Contains(body, `"approval.revealed"`) {
		t.Errorf("the journal does not have the look: %s", body)
	}
	g.want(t, 200, "POST", at, `{"status":"approved"}`, g.person)
	if _, body := g.ask(t, "POST", at+"/claim", "", g.program); !strings.Contains(body, `"password":"`+secret+`"`) {
		t.Errorf("the program gets %s", body)
	}
}

func TestWhatIsFilledInIsMaskedWhereItIsShownAndGivenToWhoAsked(t *testing.T) {
	g := openGate(t)
	const secret, filled = "hunter2hunter2", `{"status":"approved","formData":{"user":"ada","password":"hunter2hunter2"}}`
	asked := g.want(t, 201, "POST", "/api/approvals", `{"type":"elicitation","message":"log in","metadata":{"note":"ada","password":"`+secret+`"},`+
		`"schema":{"type":"object","properties":{"user":{"type":"string"},"password":{"type":"string"}}}}`, g.program)
	at, in := "/api/approvals/"+asked.ApprovalID, "/api/sessions/"+asked.SessionID
	viewer := g.loginAs(t, "vic", auth.Viewer)
	stream := g.stream(t, "/api/events", "")
	for _, c := range []struct{ method, path, body, cookie string }{
		{"GET", at, "", g.person},
		{"POST", at, filled, g.person},
		{"POST", at, filled, g.person}, // a repetition
		{"POST", at, `{"status":"denied"}`, g.person},
		{"GET", at, "", viewer},
		{"GET", "/api/approvals", "", viewer},
		{"GET", in + "/events", "", viewer},
		{"GET", in + "/messages", "", viewer},
	} {
		if _, body := g.ask(t, c.method, c.path, c.body, c.cookie); strings.Contains(body, secret) || !strings.Contains(body, "ada") {
			t.Errorf("%s %s %s shows %s", c.method, c.path, c.body, body)
		}
	}
	if text := data(stream, approval.Responses.Name()); strings.Contains(text, secret) || !strings.Contains(text, mask.Mark) {
		t.Errorf("the stream shows %s", text)
	}
	if _, body := g.ask(t, "GET", at+"?wait=1s", "", g.program); !strings.Contains(body, `"formData":{"password":"`+secret+`","user":"ada"}`) {
		t.Errorf("the program gets %s", body)
	}
}

func TestNoRuleIsSuggestedThatWouldTellASecret(t *testing.T) {
	g := openGate(t)
	for args, exact := range map[string]bool{`{"to":"staging"}`: true, `{"password":"hunter2hunter2"}`: false} {
		asked := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"deploy","args":`+args+`}`, g.program)
		_, text := g.ask(t, "GET", "/api/approvals/"+asked.ApprovalID+"/suggestions", "", g.person)
		if strings.Contains(text, `"kind":"exact"`) != exact || strings.Contains(text, "hunter2hunter2") {
			t.Errorf("%s: %s", args, text)
		}
	}
}

// What a rule for a guessed secret would have matched would tell whether the guess is right.
func TestNoRuleIsSuggestedForACallWithASecretThatSomebodyTries(t *testing.T) {
	g := openGate(t)
	for args, exact := range map[string]bool{`{"to":"staging"}`: true, `{"password":"hunter2hunter2"}`: false} {
		_, text := g.ask(t, "POST", "/api/policy/suggestions", `{"agentId":"external","toolName":"deploy","args":`+args+`}`, g.person)
		if strings.Contains(text, `"kind":"exact"`) != exact {
			t.Errorf("%s: %s", args, text)
		}
	}
}

func TestALineThatIsListedIsMasked(t *testing.T) {
	g := openGate(t)
	var in string
	for _, n := range []string{"1", "2"} {
		in = g.want(t, 201, "POST", "/api/approvals", `{"toolName":"login","args":{"n":`+n+`},"message":"curl -u ada:hunter2hunter2 x"}`, g.program).SessionID
	}
	if _, body := g.ask(t, "POST", "/api/sessions/"+in+"/messages", `{"text":"approve","seen":99}`, g.person); strings.Contains(body, "hunter2") || !strings.Contains(body, "curl -u ada") {
		t.Errorf("listed: %s", body)
	}
}

func TestMessagesShowRequestsAndAnswerThem(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	at := "/api/sessions/" + asked.SessionID + "/messages"
	if _, body := g.ask(t, "GET", at, "", g.person); !strings.Contains(body, `"id":"approval_`+asked.ApprovalID+`"`) || !strings.Contains(body, "client.requestApproval") {
		t.Errorf("the full view is %s", body)
	}
	if _, body := g.ask(t, "GET", at+"?view=model", "", g.person); strings.Contains(body, "client.") {
		t.Errorf("the model's view is %s", body)
	}
	tool := func(content string) string {
		raw, err := json.Marshal(map[string]string{"role": "tool", "tool_call_id": "approval_" + asked.ApprovalID, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, c := range map[string]struct {
		body, cookie string
		status       int
	}{
		"a misspelt decision":      {tool(`{"decision":"aprove"}`), g.person, 422},
		"a text for a truth":       {tool(`{"approved":"true"}`), g.person, 422},
		"by a program":             {tool(`{"decision":"approve"}`), g.program, 403},
		"an assistant's message":   {`{"role":"assistant","content":"approved"}`, g.person, 422},
		"a forged id":              {`{"role":"tool","tool_call_id":"approval_x","content":"{\"decision\":\"approve\"}"}`, g.person, 404},
		"neither text nor message": {`{"seen":3}`, g.person, 422},
		"an unknown view":          {"", g.person, 0},
	} {
		if c.status == 0 {
			g.want(t, 422, "GET", at+"?view=all", "", c.cookie)
			continue
		}
		if response, body := g.ask(t, "POST", at, c.body, c.cookie); response.StatusCode != c.status {
			t.Errorf("%s: %d %s", name, response.StatusCode, body)
		}
	}
	if v := g.want(t, 200, "GET", "/api/approvals/"+asked.ApprovalID, "", g.person); v.Status != approval.Pending {
		t.Fatalf("after all that it is %s", v.Status)
	}
	if _, body := g.ask(t, "POST", at, tool(`{"decision":"approve","scope":"once"}`), g.person); !strings.Contains(body, `"via":"tool_message"`) {
		t.Errorf("answered: %s", body)
	}
	g.want(t, 409, "POST", at, tool(`{"decision":"deny"}`), g.person)

	next := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	if _, body := g.ask(t, "POST", at, `{"text":"yes","seen":1}`, g.person); !strings.Contains(body, next.ApprovalID) || strings.Contains(body, `"answered":`) {
		t.Errorf("unseen: %s", body)
	}
	if _, body := g.ask(t, "POST", at, `{"text":"no: not on a Friday","seen":99}`, g.person); !strings.Contains(body, `"via":"chat"`) || !strings.Contains(body, "not on a Friday") {
		t.Errorf("by words: %s", body)
	}
}
