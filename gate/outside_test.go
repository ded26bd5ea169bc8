package gate_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// deployer is a program that asks and runs its calls itself.
func deployer() auth.Identity {
	return auth.Identity{Subject: "deployer", Roles: []auth.Role{auth.Agent}}
}

func (d *desk) foreign(t *testing.T, callID string) approval.Approval {
	t.Helper()
	row, err := d.manager.Open(t.Context(), deployer(), approval.Request{
		SessionID: d.session, AgentID: "demo", ToolName: "deploy", ToolCallID: callID,
		Args: tool.JSON(`{"to":"staging"}`), Origin: approval.Origin{Client: "deploy 1.2", Run: "one"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func TestAProgramAsksClaimsOnceAndReports(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	row := d.foreign(t, "one")
	if row.Status != approval.Pending || row.Origin.Subject != "deployer" || row.Origin.Kind != approval.OriginProgram {
		t.Fatalf("it is %+v", row)
	}
	if again := d.foreign(t, "one"); again.ApprovalID != row.ApprovalID {
		t.Error("the same call asked again is another request")
	}
	if _, err := d.manager.Claim(t.Context(), deployer(), row.ApprovalID); !errors.Is(err, approval.ErrVoid) {
		t.Errorf("claimed before it was approved: %v", err)
	}
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
		t.Fatal(err)
	}
	for name, who := range map[string]auth.Identity{
		"another program": {Subject: "other", Roles: []auth.Role{auth.Agent}}, "a person": approver(),
	} {
		if _, err := d.manager.Claim(t.Context(), who, row.ApprovalID); !errors.Is(err, gate.ErrNotYours) && !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("%s claimed it: %v", name, err)
		}
	}
	if err := d.manager.Report(t.Context(), deployer(), row.ApprovalID, tool.Result{Text: "early"}); !errors.Is(err, approval.ErrVoid) {
		t.Errorf("a result before the run: %v", err)
	}
	claimed, err := d.manager.Claim(t.Context(), deployer(), row.ApprovalID)
	if err != nil || claimed.Run != approval.RunClaimed {
		t.Fatalf("claimed: %+v, %v", claimed, err)
	}
	if _, err := d.manager.Claim(t.Context(), deployer(), row.ApprovalID); !errors.Is(err, approval.ErrClaimed) {
		t.Errorf("claimed twice: %v", err)
	}
	if err := d.manager.Report(t.Context(), deployer(), row.ApprovalID, tool.Result{Text: "deployed"}); err != nil {
		t.Fatal(err)
	}
	if err := d.manager.Report(t.Context(), deployer(), row.ApprovalID, tool.Result{Text: "again"}); !errors.Is(err, approval.ErrHasResult) {
		t.Errorf("a second result: %v", err)
	}
	if got := d.result(t, "one").Text; got != "deployed" {
		t.Errorf("the journal has %q", got)
	}
}

func TestAProgramCanNotClaimWhatAnAgentOfOursCarriesOut(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	if _, err := d.manager.Claim(t.Context(), deployer(), a.ApprovalID); !errors.Is(err, gate.ErrNotYours) {
		t.Errorf("it got %v", err)
	}
	if err := d.manager.CancelAll(t.Context(), approver(), "test", d.session); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestWhatMayNotAskOrIsNoCallIsRefused(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	ok := approval.Request{SessionID: d.session, AgentID: "demo", ToolName: "deploy", ToolCallID: "c", Args: tool.JSON(`{}`)}
	if _, err := d.manager.Open(t.Context(), approver(), ok); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("an approver: %v", err)
	}
	for name, change := range map[string]func(*approval.Request){
		"an unknown agent":             func(r *approval.Request) { r.AgentID = "x" },
		"no tool":                      func(r *approval.Request) { r.ToolName = "" },
		"arguments that are no object": func(r *approval.Request) { r.Args = tool.JSON(`[1]`) },
		"duplicate names":              func(r *approval.Request) { r.Args = tool.JSON(`{"a":1,"a":2}`) },
		"a number that is not exact":   func(r *approval.Request) { r.Args = tool.JSON(`{"a":12345678901234567890123}`) },
		"an unknown type":              func(r *approval.Request) { r.Type = "wish" },
	} {
		r := ok
		change(&r)
		if _, err := d.manager.Open(t.Context(), deployer(), r); !errors.Is(err, approval.ErrRequest) && !errors.Is(err, gate.ErrNoAgent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheOutcomeIsWaitedForUntilTheDeadlineOrTheWaitersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Minute}})
		row := d.foreign(t, "one")
		brief, cancel := timeout(t, time.Second)
		defer cancel()
		if a, err := d.manager.Outcome(brief, row.ApprovalID); err != nil || a.Status != approval.Pending {
			t.Errorf("after a second: %s, %v", a.Status, err)
		}
		if a, err := d.manager.Outcome(t.Context(), row.ApprovalID); err != nil || a.Response.Reason != approval.Timeout {
			t.Errorf("at the deadline: %+v, %v", a.Response, err)
		}
		another := d.foreign(t, "two")
		go func() {
			_, _ = d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: another.ApprovalID, Status: approval.Denied})
		}()
		if a, err := d.manager.Outcome(t.Context(), another.ApprovalID); err != nil || a.Response.By.Subject != "ada" {
			t.Errorf("by a person: %+v, %v", a.Response, err)
		}
	})
}

func TestAGrantCoversAProgramsNextCall(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	first := d.foreign(t, "one")
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{
		ApprovalID: first.ApprovalID, Status: approval.Approved, Scope: approval.Session,
	}); err != nil {
		t.Fatal(err)
	}
	if next := d.foreign(t, "two"); !next.Response.ByGrant() {
		t.Errorf("the next is %+v", next.Response)
	}
}

func TestAProgramsCallOfAnAgentsToolHasTheToolsOwnTerms(t *testing.T) {
	d := newDesk(t, deskOptions{
		AgentOptions: gate.AgentOptions{Mode: approval.AutoApprove, Handler: approvaltest.Silent()},
		terms:        approval.Terms{Need: approval.NeedAsk, Scopes: []approval.Scope{approval.Once}},
	})
	row, err := d.manager.Open(t.Context(), deployer(), approval.Request{
		SessionID: d.session, AgentID: "demo", ToolName: "shell", ToolCallID: "c", Args: tool.JSON(`{"command":"uname"}`),
	})
	if err != nil || row.Status != approval.Pending || len(row.Scopes) != 1 {
		t.Errorf("it is %s, offers %v, %v", row.Status, row.Scopes, err)
	}
}

func TestAProgramsQuestionHasToBeOne(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	form := tool.JSON(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	for want, r := range map[string]approval.Request{
		"toolName: missing":                    {},
		"message: missing":                     {Type: approval.Elicitation, Schema: form},
		"message: missing; say what is asked":  {Type: approval.Custom},
		"args: missing property 'n'":           {ToolName: "deploy", Schema: form},
		"schema: at '/properties/n'":           {ToolName: "deploy", Schema: tool.JSON(`{"properties":{"n":7}}`)},
		"editable: belongs to a tool call":     {Type: approval.Elicitation, Message: "m", Schema: form, Editable: true},
		"arguments: belongs to a tool call":    {Type: approval.Custom, Message: "m", Arguments: tool.Arguments{Command: "c"}},
		"schema: want a schema with":           {Type: approval.Elicitation, Message: "how many?", Schema: tool.JSON(`{"type":"string"}`)},
		`with "type": "object"`:                {Type: approval.Custom, Message: "how many?", Schema: tool.JSON(`true`)},
		"schema: properties.n.minimum":         {Type: approval.Elicitation, Message: "how many?", Schema: tool.JSON(`{"type":"object","properties":{"n":{"minimum":1e-999999}}}`)},
		"args: want a JSON object":             {ToolName: "deploy", Args: tool.JSON(`[1]`)},
		"args: n: 1e999999: number can't be k": {ToolName: "deploy", Args: tool.JSON(`{"n":1e999999}`)},
	} {
		r.SessionID, r.AgentID = d.session, "demo"
		if _, err := d.manager.Open(t.Context(), deployer(), r); !errors.Is(err, approval.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for data, ok := range map[string]bool{`{"n":1}`: true, `{"n":"1"}`: false, `{}`: false, ``: false, `[1]`: false, `{"n":1e-999999}`: false} {
		row, err := d.manager.Open(t.Context(), deployer(), approval.Request{
			Type: approval.Elicitation, SessionID: d.session, AgentID: "demo", Message: "how many?", Schema: form,
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, FormData: tool.JSON(data)})
		if ok != (err == nil) || !ok && !errors.Is(err, approval.ErrInvalid) {
			t.Errorf("%s: %v", data, err)
		}
	}
	free, err := d.manager.Open(t.Context(), deployer(), approval.Request{Type: approval.Elicitation, SessionID: d.session, AgentID: "demo", Message: "well?"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: free.ApprovalID, Status: approval.Approved, FormData: tool.JSON(`5`)}); !errors.Is(err, approval.ErrInvalid) {
		t.Errorf("an answer that is no object, without a form: %v", err)
	}
}

func TestAnApprovalChangesAProgramsArgumentsWhereItTakesThat(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	schema := tool.JSON(`{"type":"object","properties":{"to":{"enum":["staging","production"]}},"required":["to"]}`)
	for name, c := range map[string]struct {
		ask  approval.Request
		edit string
		want string // what it runs, or is told
	}{
		"it takes another value":             {approval.Request{Editable: true, Schema: schema}, `{"to":"production"}`, `{"to":"production"}`},
		"without a schema it takes any":      {approval.Request{Editable: true}, `{"to":"mars","n":1}`, `{"n":1,"to":"mars"}`},
		"its schema holds for the new value": {approval.Request{Editable: true, Schema: schema}, `{"to":"mars"}`, "edit: to: value must be one of"},
		"it takes none":                      {approval.Request{Schema: schema}, `{"to":"production"}`, "can't be changed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.ask
			r.SessionID, r.AgentID, r.ToolName, r.ToolCallID, r.Args = d.session, "demo", "deploy", name, tool.JSON(`{"to":"staging"}`)
			row, err := d.manager.Open(t.Context(), deployer(), r)
			if err != nil || row.Editable != c.ask.Editable {
				t.Fatalf("%+v, %v", row.Request, err)
			}
			row, err = d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, Edit: tool.JSON(c.edit)})
			if c.want[0] != '{' {
				if !errors.Is(err, approval.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("told %v, want %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			claimed, err := d.manager.Claim(t.Context(), deployer(), row.ApprovalID)
			if err != nil {
				t.Fatal(err)
			}
			if args, err := claimed.RunArgs(); err != nil || string(args) != c.want {
				t.Errorf("it runs %s, %v", args, err)
			}
		})
	}
}
