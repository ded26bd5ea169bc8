package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// several is a desk on which calls wait, each with its own command, and what
// waits until all of them have ended.
func several(t *testing.T, o deskOptions, commands ...string) (d *desk, end func() error) {
	t.Helper()
	if o.Handler == nil {
		o.Handler = approvaltest.Silent()
	}
	d = newDesk(t, o)
	sub := d.Bus.Subscribe(len(commands), approval.Requests)
	defer sub.Close()
	ended := make(chan error, len(commands))
	for _, command := range commands {
		call := d.call(command)
		call.Args = tool.JSON(`{"command":"` + command + `"}`)
		go func() {
			_, err := d.tool.Run(context.Background(), call)
			ended <- err
		}()
		if _, err := sub.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return d, func() error {
		defer d.manager.Wait()
		var all error
		for range commands {
			all = errors.Join(all, <-ended)
		}
		return all
	}
}

func (d *desk) approve(t *testing.T, callID string, grant approval.GrantTerms) approval.Approval {
	t.Helper()
	a, err := d.manager.Decide(t.Context(), approver(), approval.Response{
		ApprovalID: d.row(t, callID).ApprovalID, Status: approval.Approved, Scope: approval.Session, Grant: grant,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAGrantSettlesWhatItCoversAndAlreadyWaits(t *testing.T) {
	d, end := several(t, deskOptions{}, "one", "two", "three")
	given := d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool})
	if err := end(); err != nil || d.ran.Load() != 3 {
		t.Fatalf("%d ran, %v", d.ran.Load(), err)
	}
	for _, call := range []string{"two", "three"} {
		r := d.row(t, call).Response
		if !r.ByGrant() || r.By.Subject != "ada" || r.GrantID != given.Response.GrantID || r.GrantID == "" {
			t.Errorf("%s was settled by %+v", call, r)
		}
	}
	grants, err := d.manager.Grants(t.Context(), approval.GrantQuery{SessionID: d.session})
	if err != nil || len(grants) != 1 || grants[0].Uses != 2 {
		t.Errorf("the grants are %+v, %v", grants, err)
	}
}

func TestAGrantForAFewCallsClearsThatMany(t *testing.T) {
	d, end := several(t, deskOptions{}, "one", "two", "three")
	d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool, Uses: 1})
	left := d.row(t, "three")
	if left.Status != approval.Pending || d.row(t, "two").Status != approval.Approved {
		t.Errorf("two is %s, three is %s", d.row(t, "two").Status, left.Status)
	}
	if err := d.manager.CancelAll(t.Context(), approver(), "test", d.session); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestARevokedGrantClearsNothingMore(t *testing.T) {
	d, end := several(t, deskOptions{}, "one")
	given := d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool})
	if err := end(); err != nil {
		t.Fatal(err)
	}
	viewer := auth.Identity{Subject: "v", Roles: []auth.Role{auth.Viewer}}
	if _, err := d.manager.Revoke(t.Context(), viewer, "test", given.Response.GrantID); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("a viewer got %v", err)
	}
	d.gate.SetHandler(approvaltest.Says(approval.Denied))
	d.run(t, "before")
	ended, err := d.manager.Revoke(t.Context(), approver(), "test", given.Response.GrantID)
	if err != nil || ended.Ended.Reason != approval.GrantRevoked {
		t.Fatalf("it is %+v, %v", ended, err)
	}
	d.run(t, "after")
	if before, after := d.row(t, "before").Status, d.row(t, "after").Status; before != approval.Approved || after != approval.Denied {
		t.Errorf("before %s, after %s", before, after)
	}
}

func TestAGrantTakenBackBeforeTheCallRanAsksAgain(t *testing.T) {
	for name, c := range map[string]struct {
		reason approval.GrantReason
		want   approval.Status
	}{
		"a revoked one":                   {approval.GrantRevoked, approval.Denied},
		"one whose last use was the call": {approval.GrantUsedUp, approval.Approved},
	} {
		t.Run(name, func(t *testing.T) {
			d, end := several(t, deskOptions{}, "one")
			given := d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool})
			if err := end(); err != nil {
				t.Fatal(err)
			}
			d.gate.SetHandler(approvaltest.Says(approval.Denied))
			// As a crash between the answer and the run leaves it.
			call := d.call("left")
			r := approval.Request{SessionID: d.session, AgentID: "demo", ToolName: "shell", ToolCallID: call.ID, Args: call.Args}
			if _, err := d.manager.Ask(t.Context(), r, approval.Terms{}); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Store.EndGrant(t.Context(), given.Response.GrantID, c.reason, approval.By{Subject: "bob"}); err != nil {
				t.Fatal(err)
			}
			if _, err := d.tool.Run(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			if got := d.row(t, "left").Status; got != c.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

func TestGrantsOfAToolWhoseSchemaChangedOrOfAForgetfulAgentEnd(t *testing.T) {
	for name, c := range map[string]struct {
		schema    string
		forgetful bool
		want      approval.GrantReason
	}{
		"nothing changed":    {want: ""},
		"the schema changed": {schema: `{"type":"object"}`, want: approval.GrantToolChanged},
		"a forgetful agent":  {forgetful: true, want: approval.GrantForgotten},
	} {
		t.Run(name, func(t *testing.T) {
			d, end := several(t, deskOptions{}, "one")
			d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool})
			if err := end(); err != nil {
				t.Fatal(err)
			}
			if c.schema != "" {
				changed := &reshaped{desk: d, schema: c.schema}
				gated, err := d.gate.Guard(changed, approval.Terms{})
				if err != nil {
					t.Fatal(err)
				}
				d.gate.SetHandler(approvaltest.Says(approval.Denied))
				if _, err := gated.Run(t.Context(), d.call("with another schema")); err != nil {
					t.Fatal(err)
				}
				if got := d.row(t, "with another schema").Status; got != approval.Denied {
					t.Errorf("the old grant made it %s", got)
				}
			}
			if err := d.manager.EndOutdated(t.Context(), func(string) bool { return c.forgetful }); err != nil {
				t.Fatal(err)
			}
			grants, err := d.manager.Grants(t.Context(), approval.GrantQuery{})
			if err != nil || len(grants) != 1 || grants[0].Ended.Reason != c.want {
				t.Errorf("the grants are %+v, %v", grants, err)
			}
		})
	}
}

func TestAnApprovalCanNotRememberMoreThanItsRequestOffers(t *testing.T) {
	d, end := several(t, deskOptions{}, "one")
	ok := approval.Response{ApprovalID: d.row(t, "one").ApprovalID, Status: approval.Approved, Scope: approval.Session}
	for name, change := range map[string]func(*approval.Response){
		"a coverage that is not offered": func(r *approval.Response) { r.Grant.Covers = approval.CoverCommand },
		"an unknown coverage":            func(r *approval.Response) { r.Grant.Covers = "everything" },
		"terms without the scope":        func(r *approval.Response) { r.Scope, r.Grant.Uses = approval.Once, 3 },
		"less than no time":              func(r *approval.Response) { r.Grant.Seconds = -1 },
		"more time than a year":          func(r *approval.Response) { r.Grant.Seconds = 1 << 40 },
		"fewer than no uses":             func(r *approval.Response) { r.Grant.Uses = -1 },
		"terms on a denial":              func(r *approval.Response) { r.Status, r.Scope, r.Grant.Uses = approval.Denied, "", 1 },
		"the whole tool, for an edit": func(r *approval.Response) {
			r.Grant.Covers, r.Edit = approval.CoverTool, tool.JSON(`{"command":"id"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := ok
			change(&r)
			if _, err := d.manager.Decide(t.Context(), approver(), r); !errors.Is(err, approval.ErrInvalid) {
				t.Errorf("got %v", err)
			}
		})
	}
	// Always is session in other words.
	ok.Scope = approval.Always
	if _, err := d.manager.Decide(t.Context(), approver(), ok); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestAnEditThatAnAskRuleIsAboutIsApprovedOnceOnly(t *testing.T) {
	now := &switching{verdict: approval.Verdict{Effect: approval.AskPerson}}
	d, a, end := waiting(t, deskOptions{judge: now})
	now.set(approval.Verdict{Effect: approval.AskPerson, Rule: "always ask", Scopes: []approval.Scope{approval.Once}})
	r := approval.Response{
		ApprovalID: a.ApprovalID, Status: approval.Approved, Scope: approval.Session, Edit: tool.JSON(`{"command":"id"}`),
	}
	if _, err := d.manager.Decide(t.Context(), approver(), r); !errors.Is(err, approval.ErrInvalid) {
		t.Errorf("for the session: %v", err)
	}
	r.Scope = approval.Once
	if _, err := d.manager.Decide(t.Context(), approver(), r); err != nil {
		t.Errorf("once: %v", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestGrantsEndWithTheirSession(t *testing.T) {
	d, end := several(t, deskOptions{}, "one")
	d.approve(t, "one", approval.GrantTerms{})
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Log.Append(t.Context(), d.session, session.Ended{Outcome: session.Cancelled}); err != nil {
		t.Fatal(err)
	}
	live, err := d.manager.Grants(t.Context(), approval.GrantQuery{Live: true})
	if err != nil || len(live) != 0 {
		t.Errorf("alive are %+v, %v", live, err)
	}
}

// meanwhile is a judge beside which something happens, each time it has judged.
type meanwhile struct {
	judge   approval.Judge // nil: a person is asked
	happens func()
}

func (m *meanwhile) Judge(ctx context.Context, c approval.Case) (approval.Verdict, error) {
	v, err := approval.Verdict{Effect: approval.AskPerson, Covers: []approval.Coverage{approval.WholeTool("shell")}}, error(nil)
	if m.judge != nil {
		v, err = m.judge.Judge(ctx, c)
	}
	if m.happens != nil {
		m.happens()
	}
	return v, err
}

func TestWhatIsTakenBackBetweenTheLastJudgementAndTheRunDoesNotRun(t *testing.T) {
	for name, takeBack := range map[string]func(d *desk, given approval.Approval) error{
		"a revoked grant": func(d *desk, given approval.Approval) error {
			_, err := d.manager.Revoke(context.Background(), approver(), "test", given.Response.GrantID)
			return err
		},
		"a mode that denies, and a grant that is gone": func(d *desk, given approval.Approval) error {
			_, err := d.manager.Revoke(context.Background(), approver(), "test", given.Response.GrantID)
			_, modeErr := d.manager.SetMode(context.Background(), admin(), "test", "demo", approval.AutoDeny, 0)
			return errors.Join(err, modeErr)
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge := &meanwhile{}
			d, end := several(t, deskOptions{judge: judge}, "one")
			judge.judge = approval.Plain{Grants: d.Grants}
			given := d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool})
			if err := end(); err != nil {
				t.Fatal(err)
			}
			d.gate.SetHandler(approvaltest.Says(approval.Denied))
			judged := 0
			judge.happens = func() {
				if judged++; judged == 2 { // asked, then judged again before it runs
					if err := takeBack(d, given); err != nil {
						t.Error(err)
					}
				}
			}
			d.run(t, "late")
			if d.ran.Load() != 1 {
				t.Errorf("%d calls ran", d.ran.Load())
			}
		})
	}
}

func TestTakingBackAnApprovalThatGaveAGrantClearsNothing(t *testing.T) {
	d, end := several(t, deskOptions{}, "one")
	given := d.approve(t, "one", approval.GrantTerms{Covers: approval.CoverTool})
	if err := end(); err != nil {
		t.Fatal(err)
	}
	// One that waits although it is granted, as rows are that were there before
	// the grant's process died.
	waiting := approvaltest.Request(t, d.session, "waiting")
	left := approvaltest.Request(t, d.session, "left")
	for _, r := range []approval.Request{waiting, left} {
		if _, err := d.Store.Create(t.Context(), approval.New(r)); err != nil {
			t.Fatal(err)
		}
	}
	approved := approval.Response{ApprovalID: left.ApprovalID, Status: approval.Approved, GrantID: given.Response.GrantID, By: given.Response.By}
	if _, err := d.Store.Settle(t.Context(), approved, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := d.manager.Cancel(t.Context(), approver(), "test", left.ApprovalID); err != nil {
		t.Fatal(err)
	}
	if got := d.row(t, "waiting").Status; got != approval.Pending {
		t.Errorf("what waited is %s", got)
	}
}

func TestWhatWouldBeDecidedIsForeseenAndNothingIsAsked(t *testing.T) {
	d := newDesk(t, deskOptions{terms: approval.Terms{Need: approval.NeedAsk}})
	v, err := d.manager.Preview(t.Context(), approval.Request{AgentID: "demo", ToolName: "shell", Args: tool.JSON(`{"command":"id"}`)})
	if err != nil || v.Effect != approval.AskPerson || v.Rule != "approval.required: true" {
		t.Errorf("%+v, %v", v, err)
	}
	if found, err := d.Store.Search(t.Context(), approval.Search{}); err != nil || len(found.Rows) > 0 {
		t.Errorf("%d rows, %v", len(found.Rows), err)
	}
	for want, r := range map[error]approval.Request{
		gate.ErrNoAgent:     {AgentID: "nobody", ToolName: "shell"},
		approval.ErrRequest: {AgentID: "demo", ToolName: "shell", Args: tool.JSON(`{"a":1,"a":2}`)},
	} {
		if _, err := d.manager.Preview(t.Context(), r); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if _, err := d.manager.Tool(t.Context(), "none"); !errors.Is(err, approval.ErrUnknown) {
		t.Errorf("the tool of no request: %v", err)
	}
}
