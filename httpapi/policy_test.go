package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// memory holds one grant, and its agent has been set to auto-deny.

type memory struct{ door.Approvals }

func ada() approval.By { return approval.By{Subject: "ada", Via: approval.ViaREST} }

func theGrant() approval.Grant {
	return approval.Grant{
		ID: "g", Scope: approval.Session, SessionID: "s", AgentID: "demo", Covers: approval.Exactly(), GivenBy: ada(),
	}
}

// Get knows each request, and nothing of it.
func (memory) Get(context.Context, string) (approval.Approval, error) {
	return approval.Approval{}, nil
}

func (h memory) Grants(_ context.Context, q approval.GrantQuery) ([]approval.Grant, error) {
	list := []approval.Grant{}
	ended, _ := approval.Grant{ID: "old", Scope: approval.Session, SessionID: "s", Covers: approval.Exactly(), GivenBy: ada()}.End(approval.GrantExpired, approval.BySystem(), theGrant().GivenAt)
	for _, g := range []approval.Grant{theGrant(), ended} {
		if q.Matches(g) {
			list = append(list, g)
		}
	}
	return list, nil
}

func (h memory) Revoke(_ context.Context, who auth.Identity, via approval.Via, id string) (approval.Grant, error) {
	if id != "g" {
		return approval.Grant{}, approval.ErrNoGrant
	}
	g, _ := theGrant().End(approval.GrantRevoked, approval.By{Subject: who.Subject, Via: via}, theGrant().GivenAt)
	return g, nil
}

func (h memory) SetMode(_ context.Context, _ auth.Identity, _ approval.Via, id string, mode approval.Mode, seen int64) (approval.ModeSetting, error) {
	if id != "demo" {
		return approval.ModeSetting{}, gate.ErrNoAgent
	}
	stands := approval.ModeSetting{AgentID: id, Mode: approval.AutoDeny, Configured: approval.Manual, Version: 3}
	if seen != 3 {
		return stands, approval.ErrModeChanged
	}
	return approval.ModeSetting{AgentID: id, Mode: mode, Configured: approval.Manual, Version: 4}, nil
}

func suggest(_ context.Context, id string) ([]approval.Suggestion, error) {
	if id != "a" {
		return nil, approval.ErrUnknown
	}
	return []approval.Suggestion{{Covers: approval.Exactly(), Rule: "- tool: shell", Matched: 5, Denied: 1}}, nil
}

// suggestExactly has a rule for every request.
func suggestExactly(context.Context, string) ([]approval.Suggestion, error) {
	return suggest(context.Background(), "a")
}

func explain(_ context.Context, call httpapi.TriedCall) (httpapi.Explained, error) {
	if call.AgentID != "demo" {
		return httpapi.Explained{}, gate.ErrNoAgent
	}
	v := approval.Verdict{Effect: approval.AskPerson, Rule: call.ToolName + string(call.Args)}
	return httpapi.Explained{VerdictView: v.View(), WorkingDirectory: "/srv", StandingSeconds: 60}, nil
}

func suggestFor(_ context.Context, call httpapi.TriedCall) ([]approval.Suggestion, error) {
	said := approval.Sentence{{Text: "demo", Kind: approval.PartAgent}, {Text: " may."}}
	return []approval.Suggestion{{Covers: approval.Exactly(), Sentence: said, Rule: "- tool: " + call.ToolName, Past: 9, Matched: 5, Denied: 1}}, nil
}

func allowable(call httpapi.TriedCall) (approval.Request, error) {
	return approval.Request{AgentID: call.AgentID, ToolName: call.ToolName, Args: call.Args, WorkingDirectory: "/srv"}, nil
}

func (h memory) Give(_ context.Context, who auth.Identity, via approval.Via, r approval.Request, shown string, terms approval.GrantTerms) (approval.Grant, error) {
	if shown != "o" {
		return approval.Grant{}, gate.ErrOutdated
	}
	if r.ToolName != "shell" {
		return approval.Grant{}, gate.ErrNoTool
	}
	g := theGrant()
	g.SessionID, g.Standing, g.Directory, g.Args = "", true, r.WorkingDirectory, r.Args
	g.Covers.Kind, g.MaxUses, g.GivenBy = terms.Covers, terms.Uses, approval.By{Subject: who.Subject, Via: via}
	return g, nil
}

func rules(agentID string) []policy.Listed {
	said := approval.Sentence{{Text: agentID, Kind: approval.PartAgent}, {Text: " may."}}
	return []policy.Listed{{Rule: agentID + ".rules[0]", Effect: policy.Deny, Scope: "agent", Sentence: said, Reason: "r", Place: "agents.yaml, line 3", Text: "tool: \"x\""}}
}

func (memory) Tool(_ context.Context, id string) (tool.Spec, error) {
	if id != "a" {
		return tool.Spec{}, gate.ErrNoTool
	}
	return tool.Spec{Name: "shell", Schema: tool.JSON(`{"type":"object"}`)}, nil
}

func TestThePolicyIsListedAndTried(t *testing.T) {
	d := open(t, house{})
	viewer := d.login(t, auth.Viewer)
	for path, want := range map[string]string{
		"GET /api/policy":           `{"agents":[{"agentId":"demo","mode":"auto-deny","rules":[{"rule":"demo.rules[0]","effect":"deny","scope":"agent","sentence":[{"text":"demo","kind":"agent"},{"text":" may."}],"reason":"r","place":"agents.yaml, line 3","text":"tool: \"x\""},{"rule":"mode auto-deny","effect":"deny","scope":"agent","sentence":[{"text":"demo","kind":"agent"},{"text":" may make no other call."}],"text":"mode: auto-deny"}]}]}`,
		"GET /api/approvals/a/tool": `{"name":"shell","schema":{"type":"object"}}`,
		"GET /api/approvals/b/tool": `{"title":"Not Found","status":404,"code":"unknown_tool","detail":"the agent does not have this tool now"}`,
		`POST /api/policy/explain {"agentId":"demo","toolName":"shell","args":{"a":1}}`:     `{"effect":"ask","policy":{"rule":"shell{\"a\":1}"},"workingDirectory":"/srv","standingSeconds":60}`,
		`POST /api/policy/suggestions {"agentId":"demo","toolName":"shell","args":{"a":1}}`: `{"suggestions":[{"covers":{"kind":"exact","text":"exactly this call"},"sentence":[{"text":"demo","kind":"agent"},{"text":" may."}],"rule":"- tool: shell","past":9,"matched":5,"denied":1}]}`,
		`POST /api/policy/suggestions {"agentId":"demo"}`:                                   `{"title":"Unprocessable Entity","status":422,"code":"invalid","detail":"toolName: missing"}`,
		`POST /api/policy/explain {"agentId":"demo"}`:                                       `{"title":"Unprocessable Entity","status":422,"code":"invalid","detail":"toolName: missing"}`,
		`POST /api/policy/explain {"toolName":"shell"}`:                                     `{"title":"Unprocessable Entity","status":422,"code":"invalid","detail":"agentId: missing"}`,
		`POST /api/policy/explain {"agentId":"x","toolName":"shell"}`:                       `{"title":"Not Found","status":404,"code":"unknown_agent","detail":`,
	} {
		part := strings.SplitN(path+" ", " ", 3)
		if _, body := d.ask(t, part[0], part[1], strings.TrimSpace(part[2]), viewer); !strings.HasPrefix(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func TestAModeIsSetWithTheVersionAtWhichItWasSeen(t *testing.T) {
	d := open(t, house{})
	admin, approver := d.login(t, auth.Admin), d.login(t, auth.Approver)
	for name, c := range map[string]struct {
		cookie, path, body string
		want               int
		says               string
	}{
		"the newest":       {admin, "demo", `{"mode":"manual","version":3}`, 200, `"version":4`},
		"an older one":     {admin, "demo", `{"mode":"manual","version":2}`, 409, `"mode":"auto-deny"`},
		"none":             {admin, "demo", `{"mode":"manual"}`, 422, "version: missing"},
		"no mode":          {admin, "demo", `{"version":3}`, 422, "mode: missing"},
		"an unknown mode":  {admin, "demo", `{"mode":"yolo","version":3}`, 400, "yolo"},
		"an unknown agent": {admin, "x", `{"mode":"manual","version":3}`, 404, "agent"},
		"an approver":      {approver, "demo", `{"mode":"manual","version":3}`, 403, "role"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := d.ask(t, "PUT", "/api/agents/"+c.path+"/mode", c.body, c.cookie)
			if response.StatusCode != c.want || !strings.Contains(body, c.says) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
		})
	}
}

func TestGrantsAreListedAndRevokedByWhoMay(t *testing.T) {
	d := open(t, house{})
	viewer, approver := d.login(t, auth.Viewer), d.login(t, auth.Approver)
	for name, c := range map[string]struct {
		cookie, method, path string
		want                 int
		says                 string
	}{
		"those that hold":         {viewer, "GET", "/api/grants", 200, `[{"grantId":"g"`},
		"all":                     {viewer, "GET", "/api/grants?all=true", 200, `"reason":"expired"`},
		"of another session":      {viewer, "GET", "/api/grants?sessionId=x", 200, `{"grants":[]}`},
		"a word for a truth":      {viewer, "GET", "/api/grants?all=maybe", 422, "all:"},
		"revoked by a viewer":     {viewer, "DELETE", "/api/grants/g", 403, "role"},
		"revoked":                 {approver, "DELETE", "/api/grants/g", 200, `"reason":"revoked","by":{"subject":"ada","via":"rest"}`},
		"one that does not exist": {approver, "DELETE", "/api/grants/x", 404, "unknown grant"},
		"suggestions":             {viewer, "GET", "/api/approvals/a/suggestions", 200, `"rule":"- tool: shell","past":0,"matched":5,"denied":1`},
		"of an unknown request":   {viewer, "GET", "/api/approvals/x/suggestions", 404, "unknown approval"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := d.ask(t, c.method, c.path, "", c.cookie)
			if response.StatusCode != c.want || !strings.Contains(body, c.says) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
		})
	}
}

func TestTheClientSaysWhatTheDoorsSay(t *testing.T) {
	d := open(t, house{})
	c := client.New(d.URL+"/", d.token)
	agents, err := c.Agents(t.Context())
	if err != nil || len(agents) != 1 || agents[0].AgentID != "demo" {
		t.Errorf("agents: %+v, %v", agents, err)
	}
	if set, err := c.SetMode(t.Context(), "demo", approval.Manual, 3); err != nil || set.Version != 4 {
		t.Errorf("set: %+v, %v", set, err)
	}
	var p *client.Problem
	if _, err := c.SetMode(t.Context(), "demo", approval.Manual, 0); !errors.As(err, &p) || p.Status != http.StatusConflict || p.Mode.Version != 3 {
		t.Errorf("an old version: %+v, %v", p, err)
	}
	list, err := c.Suggestions(t.Context(), "a")
	if err != nil || len(list) != 1 || list[0].Matched != 5 {
		t.Errorf("suggestions: %+v, %v", list, err)
	}
	grants, err := c.Grants(t.Context(), "s", true)
	if err != nil || len(grants) != 2 {
		t.Errorf("grants: %+v, %v", grants, err)
	}
	ended, err := c.Revoke(t.Context(), "g")
	if diff := cmp.Diff(approval.By{Subject: "root", Via: "rest"}, ended.Ended.By); diff != "" || err != nil {
		t.Errorf("revoked by %s %v", diff, err)
	}
	if _, err := c.Revoke(t.Context(), "x/../g"); !errors.As(err, &p) || p.Status != http.StatusNotFound {
		t.Errorf("a strange id: %v", err)
	}
	for name, c := range map[string]*client.Client{"no token": client.New(d.URL, ""), "a wrong one": client.New(d.URL, "x")} {
		if _, err := c.Agents(t.Context()); !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := client.New("http://127.0.0.1:1", "x").Agents(t.Context()); err == nil || errors.As(err, &p) && p == nil {
		t.Errorf("nobody there: %v", err)
	}
}

func TestAPageCanNotUseAToken(t *testing.T) {
	d := open(t, house{})
	r := httptest.NewRequest(http.MethodDelete, d.URL+"/api/grants/g", nil)
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Set("Origin", "http://evil.example")
	w := httptest.NewRecorder()
	d.Config.Handler.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("it got %d", w.Code)
	}
}

func TestACallIsAllowedInEverySessionBeforehandByWhoMayAnswer(t *testing.T) {
	d := open(t, house{})
	viewer, approver := d.login(t, auth.Viewer), d.login(t, auth.Approver)
	for name, c := range map[string]struct {
		cookie, body string
		want         int
		says         string
	}{
		"by a viewer":        {viewer, `{"agentId":"demo","toolName":"shell","offer":"o","covers":"exact"}`, 403, "role"},
		"by an approver":     {approver, `{"agentId":"demo","toolName":"shell","args":{"command":"uname"},"offer":"o","covers":"exact","uses":3}`, 201, `"args":{"command":"uname"},"argsDigest"`},
		"an unknown tool":    {approver, `{"agentId":"demo","toolName":"x","offer":"o","covers":"exact"}`, 404, "unknown_tool"},
		"without a tool":     {approver, `{"agentId":"demo","offer":"o","covers":"exact"}`, 422, "toolName: missing"},
		"without a coverage": {approver, `{"agentId":"demo","toolName":"shell","offer":"o"}`, 422, "covers and offer: missing"},
		"without an offer":   {approver, `{"agentId":"demo","toolName":"shell","covers":"exact"}`, 422, "covers and offer: missing"},
		"an old offer":       {approver, `{"agentId":"demo","toolName":"shell","offer":"older","covers":"exact"}`, 409, "changed since it was shown"},
		"a strange coverage": {approver, `{"agentId":"demo","toolName":"shell","offer":"o","covers":"all"}`, 400, "coverage"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := d.ask(t, "POST", "/api/grants", c.body, c.cookie)
			if response.StatusCode != c.want || !strings.Contains(body, c.says) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
		})
	}
}
