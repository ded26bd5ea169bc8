package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// opened is the doors of a gateway in memory, under whose rules programs ask.
type opened struct {
	*doors
	manager *gate.Manager
	log     *session.Memory
	closes  context.CancelFunc // says that the gateway stops
	program string             // a program's cookie
	person  string             // an approver's, who may also talk
}

// roomy has an agent of the file beside those of programs.
type roomy struct{ *agent.Roster }

func (roomy) Agents() []agent.Info {
	return []agent.Info{{AgentID: "demo", Kind: session.KindAgent, Mode: approval.Manual}, {AgentID: "external", Kind: session.KindExternal, Mode: approval.Manual}}
}

func openGate(t testing.TB) *opened {
	t.Helper()
	promises := gate.NewPromises()
	b := bus.New(agent.Topics(), promises.Inline())
	log := session.NewMemory(b)
	rows := approval.NewMemory(b, log)
	manager := gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{})
	manager.Agent("external", gate.AgentOptions{Handler: approvaltest.Silent()})
	d := &doors{Server: httptest.NewUnstartedServer(nil), links: auth.NewOneTime(auth.LinkSecret, time.Hour), keyring: keyring(t, &auth.Memory{})}
	fence, err := auth.NewOriginCheck("http://" + d.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		t.Fatal(err)
	}
	runtime := &agent.Runtime{Bus: b, Sessions: log, Approvals: manager}
	roster := agent.NewRoster(runtime)
	closing, closes := context.WithCancel(t.Context())
	d.api = httpapi.New(httpapi.Backend{
		Door:    door.New(door.Backend{Bus: b, Agents: roomy{roster}, Sessions: log, Approvals: manager, Secrets: secrets}, approval.ViaREST),
		Keyring: d.keyring, Suggest: suggestExactly, Explain: explain, SuggestFor: suggestFor, Tried: allowable, Rules: rules, WebSocket: http.NotFoundHandler(), Frames: frames(), Dashboard: http.NotFoundHandler(),
		Limits: httpapi.Limits{IdentityRate: 1e6, AddressRate: 1e6, FailureRate: 1e3},
		Links:  d.links, Tickets: auth.NewOneTime(auth.TicketSecret, time.Minute), Origins: fence, Closing: closing,
	})
	d.Config.Handler, d.token = d.api.Handler(), d.keyring.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}})
	d.start(t)
	g := &opened{doors: d, manager: manager, log: log, closes: closes}
	g.program, g.person = d.loginAs(t, "deployer", auth.Agent), d.login(t, auth.Approver, auth.Operator)
	return g
}

// view is what a program reads of a request.
type view struct {
	ApprovalID string             `json:"approvalId"`
	SessionID  string             `json:"sessionId"`
	ToolCallID string             `json:"toolCallId"`
	Status     approval.Status    `json:"status"`
	Run        approval.Run       `json:"run"`
	Args       tool.JSON          `json:"args"`
	Response   *approval.Response `json:"response"`

	Scopes      []approval.Scope `json:"scopes"`
	RequestedAt time.Time        `json:"requestedAt"`
	ExpiresAt   time.Time        `json:"expiresAt"`
}

func (g *opened) want(t testing.TB, status int, method, path, body, cookie string) view {
	t.Helper()
	response, text := g.ask(t, method, path, body, cookie)
	if response.StatusCode != status {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	var v view
	if status < 300 && status != http.StatusNoContent {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return v
}

const deploy = `{"client":"deployer","toolName":"deploy","args":{"to":"staging"}}`

func TestAProgramAsksIsAnsweredClaimsAndReports(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	if asked.Status != approval.Pending {
		t.Fatalf("it is %+v", asked)
	}
	at := "/api/approvals/" + asked.ApprovalID
	g.want(t, 409, "POST", at+"/claim", "", g.program)
	g.want(t, 403, "POST", at, `{"status":"approved"}`, g.program)
	answered := g.want(t, 200, "POST", at, `{"status":"approved"}`, g.person)
	if answered.Response.By.Subject != "ada" || answered.Response.By.Via != "rest" {
		t.Errorf("answered by %+v", answered.Response.By)
	}
	g.want(t, 200, "POST", at, `{"status":"approved"}`, g.person) // a repetition
	g.want(t, 409, "POST", at, `{"status":"denied"}`, g.person)
	if v := g.want(t, 200, "GET", at+"?wait=10s", "", g.program); v.Status != approval.Approved {
		t.Errorf("the program sees %s", v.Status)
	}
	g.want(t, 403, "POST", at+"/claim", "", g.person)
	stranger := g.loginAs(t, "other", auth.Agent)
	g.want(t, 403, "GET", at, "", stranger)
	g.want(t, 403, "POST", at+"/claim", "", stranger)
	g.want(t, 200, "POST", at+"/claim", "", g.program)
	g.want(t, 409, "POST", at+"/claim", "", g.program)
	if v := g.want(t, 200, "POST", at+"/result", `{"text":"deployed"}`, g.program); v.Run != approval.RunFinished {
		t.Errorf("the run is %s", v.Run)
	}
	g.want(t, 409, "POST", at+"/result", `{"text":"again"}`, g.program)
}

func TestNoArgumentsAreAnEmptyObjectForWhoAskedAndWhoAnswers(t *testing.T) {
	g := openGate(t)
	for name, body := range map[string]string{
		"empty": `{"client":"deployer","toolName":"deploy","args":{}}`, "left out": `{"client":"deployer","toolName":"deploy"}`,
	} {
		t.Run(name, func(t *testing.T) {
			asked := g.want(t, 201, "POST", "/api/approvals", body, g.program)
			at := "/api/approvals/" + asked.ApprovalID
			if _, shown := g.ask(t, "GET", at, "", g.person); string(asked.Args) != "{}" || !strings.Contains(shown, `"args":{}`) {
				t.Errorf("it has the arguments %s and is shown as %s", asked.Args, shown)
			}
			g.want(t, 200, "POST", at, `{"status":"approved"}`, g.person)
			if _, claimed := g.ask(t, "POST", at+"/claim", "", g.program); !strings.HasPrefix(claimed, `{"args":{},`) {
				t.Errorf("it may run %s", claimed)
			}
		})
	}
	g.want(t, 422, "POST", "/api/approvals", `{"toolName":"deploy","args":null}`, g.program)
}

func TestAnEmptyFormIsAnAnswer(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", `{"client":"deployer","type":"elicitation","message":"Go on?","schema":{"type":"object"}}`, g.program)
	at := "/api/approvals/" + asked.ApprovalID
	g.want(t, 200, "POST", at, `{"status":"approved","formData":{}}`, g.person)
	if v := g.want(t, 200, "GET", at, "", g.program); string(v.Response.FormData) != "{}" || v.Args != nil {
		t.Errorf("the program reads %s, with the arguments %s", v.Response.FormData, v.Args)
	}
	g.want(t, 200, "POST", at, `{"status":"approved","formData":{}}`, g.person) // a repetition
}

func TestAFormHoldsItsFormats(t *testing.T) {
	g := openGate(t)
	for format, wrong := range map[string]string{"email": "nonsense", "date": "2026-02-30", "date-time": "tomorrow", "uri": "not a uri"} {
		asked := g.want(t, 201, "POST", "/api/approvals", `{"client":"deployer","type":"elicitation","message":"Where?","schema":{"type":"object","properties":{"field":{"type":"string","format":"`+format+`"}}}}`, g.program)
		at := "/api/approvals/" + asked.ApprovalID
		if _, said := g.ask(t, "POST", at, `{"status":"approved","formData":{"field":"`+wrong+`"}}`, g.person); !strings.Contains(said, "formData: field: want ") || !strings.Contains(said, `"status":422`) {
			t.Errorf("%s: %s", format, said)
		}
		if v := g.want(t, 200, "GET", at, "", g.person); v.Status != approval.Pending {
			t.Errorf("%s: it is %s", format, v.Status)
		}
	}
}

func TestDefaultsAreRecordedWhereAFieldIsLeftOpen(t *testing.T) {
	g := openGate(t)
	const schema = `{"type":"object","required":["must"],"properties":{"must":{"type":"string","default":"x"},"n":{"type":"integer","default":3},"wipe":{"type":"boolean","default":true},` +
		`"odd":{"type":"integer","default":"three"},"far":{"type":"integer","maximum":1,"default":2},"free":{"type":"string"}}}`
	asked := g.want(t, 201, "POST", "/api/approvals", `{"client":"deployer","type":"elicitation","message":"How?","schema":`+schema+`}`, g.program)
	at := "/api/approvals/" + asked.ApprovalID
	g.want(t, 422, "POST", at, `{"status":"approved","formData":{"n":4}}`, g.person) // what has to be answered is not filled in
	for range 2 {                                                                    // the second is a repetition
		g.want(t, 200, "POST", at, `{"status":"approved","formData":{"must":"y","n":4}}`, g.person)
	}
	if v := g.want(t, 200, "GET", at, "", g.program); string(v.Response.FormData) != `{"must":"y","n":4,"wipe":true}` {
		t.Errorf("recorded is %s", v.Response.FormData)
	}
}

func TestAskingAgainWithTheSameKeyIsTheSameRequest(t *testing.T) {
	g := openGate(t)
	ask := func(body string) (int, view) {
		response, text := g.askWith(t, "POST", "/api/approvals", body, g.program, http.Header{"Idempotency-Key": {"build-7"}})
		var v view
		_ = json.Unmarshal([]byte(text), &v)
		return response.StatusCode, v
	}
	_, first := ask(deploy)
	status, again := ask(deploy)
	if status != 201 || again.ApprovalID != first.ApprovalID || first.ToolCallID != "build-7" {
		t.Errorf("%d: %+v and %+v", status, first, again)
	}
	if status, _ := ask(strings.Replace(deploy, "staging", "production", 1)); status != 409 {
		t.Errorf("with other arguments: %d", status)
	}
}

func TestARequestIsPartOfTheTraceOfWhoAsks(t *testing.T) {
	const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	g := openGate(t)
	for text, want := range map[string]string{given: given, "none": ""} {
		_, answer := g.askWith(t, "POST", "/api/approvals", deploy, g.program, http.Header{"Traceparent": {text}})
		var v struct {
			Traceparent string `json:"traceparent"`
		}
		if err := json.Unmarshal([]byte(answer), &v); err != nil || v.Traceparent != want {
			t.Errorf("%q becomes %q, %v", text, v.Traceparent, err)
		}
	}
}

func TestBadBodiesAndParametersAreRefusedInWords(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	at := "/api/approvals/" + asked.ApprovalID
	for name, c := range map[string]struct {
		method, path, body, cookie string
		status                     int
		says                       string
	}{
		"no tool":                   {"POST", "/api/approvals", `{"args":{}}`, g.program, 422, "toolName: missing"},
		"arguments that are a list": {"POST", "/api/approvals", `{"toolName":"x","args":[1]}`, g.program, 422, "invalid request: args: want a JSON object"},
		"an unknown agent":          {"POST", "/api/approvals", `{"toolName":"x","agentId":"nobody"}`, g.program, 404, "nobody"},
		"a very long name":          {"POST", "/api/approvals", `{"toolName":"x","client":"` + strings.Repeat("z", 201) + `"}`, g.program, 422, "client: 201 bytes"},
		"another's session":         {"POST", "/api/approvals", `{"toolName":"x","sessionId":"nowhere"}`, g.program, 404, "session"},
		"an unknown name":           {"POST", "/api/approvals", `{"tool":"x"}`, g.program, 400, "tool: unknown name"},
		"a duplicate inside args":   {"POST", "/api/approvals", `{"toolName":"x","args":{"a":1,"a":2}}`, g.program, 400, "given twice"},
		"too long a wait":           {"GET", at + "?wait=1h", "", g.program, 422, "wait: want a time of at most 1m0s"},
		"an unknown parameter":      {"GET", "/api/approvals?state=pending", "", g.person, 422, "state: there is no such parameter here; there are: q, outcome, status"},
		"an unknown status":         {"GET", "/api/approvals?status=open", "", g.person, 422, "unknown status"},
		"too large a page":          {"GET", "/api/approvals?limit=9999", "", g.person, 422, "limit: want a whole number from 1 to 500"},
		"no status":                 {"POST", at, `{}`, g.person, 422, "status: missing"},
		"a word that is no status":  {"POST", at, `{"status":"yes"}`, g.person, 400, "use approved, denied or cancelled"},
		"an empty body":             {"POST", at, ``, g.person, 400, ""},
		"another id":                {"POST", at, `{"approvalId":"x","status":"approved"}`, g.person, 422, "approvalId"},
		"a wrong digest":            {"POST", at, `{"status":"approved","argsDigest":"sha256:0"}`, g.person, 422, "argsDigest"},
		"who decided":               {"POST", at, `{"status":"approved","by":{"subject":"eve","via":"x"}}`, g.person, 400, "by: unknown name"},
		"an unknown request":        {"POST", "/api/approvals/x", `{"status":"approved"}`, g.person, 404, "unknown approval"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := g.ask(t, c.method, c.path, c.body, c.cookie)
			if response.StatusCode != c.status || !strings.Contains(body, c.says) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
		})
	}
	if v := g.want(t, 200, "GET", at, "", g.person); v.Status != approval.Pending {
		t.Errorf("after all that it is %s", v.Status)
	}
}

func TestARefusedRequestLeavesNoSession(t *testing.T) {
	g := openGate(t)
	for _, body := range []string{`{"toolName":"x","agentId":"nobody"}`, `{"toolName":"x","client":"` + strings.Repeat("z", 201) + `"}`} {
		g.ask(t, "POST", "/api/approvals", body, g.program)
	}
	if _, body := g.ask(t, "GET", "/api/sessions", "", g.person); strings.Contains(body, "sessionId") {
		t.Errorf("it left %s", body)
	}
}

func TestTheSimpleFormsAnswerByTheCallAndByTheSession(t *testing.T) {
	g := openGate(t)
	deploy := strings.Replace(deploy, "{", `{"sessionId":"`+g.begun(t, `{}`, g.program)+`",`, 1)
	first := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	in := "/api/sessions/" + first.SessionID
	denied := g.want(t, 200, "POST", in+"/approvals/"+first.ToolCallID, `{"decision":"reject","message":"not now"}`, g.person)
	if denied.Status != approval.Denied || denied.Response.Message != "not now" {
		t.Errorf("it is %+v", denied.Response)
	}
	g.want(t, 404, "POST", in+"/approvals/x", `{"decision":"approve"}`, g.person)
	g.want(t, 422, "POST", in+"/approvals/"+first.ToolCallID, `{"decision":"maybe"}`, g.person)
	g.want(t, 409, "POST", in+"/approve", `{"seen":99}`, g.person) // nothing waits

	second := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	g.want(t, 422, "POST", in+"/approve", `{}`, g.person)
	response, body := g.ask(t, "POST", in+"/approve", `{"seen":1}`, g.person)
	if response.StatusCode != 409 || !strings.Contains(body, second.ApprovalID) {
		t.Errorf("unseen: %d %s", response.StatusCode, body)
	}
	third := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	if response, body = g.ask(t, "POST", in+"/approve", `{"seen":99}`, g.person); response.StatusCode != 409 ||
		!strings.Contains(body, second.ApprovalID) || !strings.Contains(body, third.ApprovalID) {
		t.Errorf("of two: %d %s", response.StatusCode, body)
	}
	g.want(t, 200, "POST", "/api/approvals/"+third.ApprovalID+"/cancel", "", g.person)
	approved := g.want(t, 200, "POST", in+"/approve", `{"seen":99,"scope":"always"}`, g.person)
	if approved.ApprovalID != second.ApprovalID || approved.Response.Scope != approval.Session {
		t.Errorf("it is %+v", approved.Response)
	}
}

func TestListsComeInPagesNewestFirst(t *testing.T) {
	g := openGate(t)
	var want []string
	for range 5 {
		asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
		want = append([]string{asked.ApprovalID}, want...)
	}
	var got []string
	next := ""
	for pages := 0; pages < 9; pages++ {
		_, body := g.ask(t, "GET", "/api/approvals?status=pending&limit=2"+next, "", g.person)
		var page struct {
			Approvals []view `json:"approvals"`
			Next      string `json:"next"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, v := range page.Approvals {
			got = append(got, v.ApprovalID)
		}
		if page.Next == "" {
			break
		}
		next = "&before=" + page.Next
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnAnswerAfterTheDeadlineIsGone(t *testing.T) {
	g := openGate(t)
	g.manager.Agent("external", gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Millisecond})
	asked := g.want(t, http.StatusCreated, "POST", "/api/approvals?wait=30s", `{"toolName":"deploy"}`, g.program)
	if asked.Status != approval.Denied || asked.Response.Reason != approval.Timeout {
		t.Fatalf("it is %+v", asked)
	}
	for _, status := range []string{"approved", "denied"} {
		response, text := g.ask(t, "POST", "/api/approvals/"+asked.ApprovalID, `{"status":"`+status+`"}`, g.person)
		if response.StatusCode != http.StatusGone || !strings.Contains(text, `"reason":"timeout"`) {
			t.Errorf("%s: %d %s", status, response.StatusCode, text)
		}
	}
}
