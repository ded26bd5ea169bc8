package gate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// waiting is a desk with one call that waits, and what ends the wait.
func waiting(t *testing.T, o deskOptions) (d *desk, a approval.Approval, end func() error) {
	t.Helper()
	if o.Handler == nil {
		o.Handler = approvaltest.Silent()
	}
	d = newDesk(t, o)
	sub := d.Bus.Subscribe(1, approval.Requests)
	defer sub.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := d.tool.Run(context.Background(), d.call("call"))
		ended <- err
	}()
	if _, err := sub.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, d.row(t, "call"), func() error {
		defer d.manager.Wait()
		return <-ended
	}
}

func TestAnswersThatDoNotFitDecideNothing(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	ok := approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved}
	with := func(change func(*approval.Response)) approval.Response {
		r := ok
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		who    auth.Identity
		answer approval.Response
		want   error
	}{
		"a viewer":                    {auth.Identity{Subject: "v", Roles: []auth.Role{auth.Viewer}}, ok, auth.ErrForbidden},
		"an operator":                 {auth.Identity{Subject: "o", Roles: []auth.Role{auth.Operator}}, ok, auth.ErrForbidden},
		"an agent":                    {auth.Identity{Subject: "a", Roles: []auth.Role{auth.Agent}}, ok, auth.ErrForbidden},
		"an agent and admin":          {auth.Identity{Subject: "a", Roles: []auth.Role{auth.Admin, auth.Agent}}, ok, auth.ErrForbidden},
		"nobody":                      {auth.Identity{}, ok, auth.ErrForbidden},
		"an unknown id":               {approver(), with(func(r *approval.Response) { r.ApprovalID = "x" }), approval.ErrUnknown},
		"a foreign session":           {approver(), with(func(r *approval.Response) { r.SessionID = "x" }), approval.ErrForeign},
		"a wrong digest":              {approver(), with(func(r *approval.Response) { r.ArgsDigest = "sha256:0" }), approval.ErrDigest},
		"an edit with a masked value": {approver(), with(func(r *approval.Response) { r.Edit = tool.JSON(`{"command":"echo ⟦masked⟧"}`) }), approval.ErrInvalid},
		"no status":                   {approver(), with(func(r *approval.Response) { r.Status = "" }), approval.ErrInvalid},
		"status pending":              {approver(), with(func(r *approval.Response) { r.Status = approval.Pending }), approval.ErrInvalid},
		"an unknown status":           {approver(), with(func(r *approval.Response) { r.Status = "yes" }), approval.ErrInvalid},
		"a scope not offered":         {approver(), with(func(r *approval.Response) { r.Scope = "forever" }), approval.ErrInvalid},
		"a scope on a denial": {approver(), with(func(r *approval.Response) {
			r.Status, r.Scope = approval.Denied, approval.Session
		}), approval.ErrInvalid},
		"the system's reason": {approver(), with(func(r *approval.Response) {
			r.Status, r.Reason = approval.Denied, approval.Timeout
		}), approval.ErrInvalid},
		"an edit that does not fit": {approver(), with(func(r *approval.Response) {
			r.Edit = tool.JSON(`{"command":7}`)
		}), approval.ErrInvalid},
		"an edit that removes what is needed": {approver(), with(func(r *approval.Response) {
			r.Edit = tool.JSON(`{"command":null}`)
		}), approval.ErrInvalid},
		"an edit that is no object": {approver(), with(func(r *approval.Response) {
			r.Edit = tool.JSON(`"rm"`)
		}), approval.ErrInvalid},
		"an edit that adds": {approver(), with(func(r *approval.Response) {
			r.Edit = tool.JSON(`{"extra":true}`)
		}), approval.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := d.manager.Decide(t.Context(), c.who, c.answer); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if now := d.row(t, "call"); now.Status != approval.Pending {
				t.Fatalf("it is %s now", now.Status)
			}
		})
	}
	if _, err := d.manager.Decide(t.Context(), approver(), ok); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil || d.ran.Load() != 1 {
		t.Errorf("it ended with %v and ran %d times", err, d.ran.Load())
	}
}

func TestTheSameAnswerAgainIsAcknowledgedAndAnyOtherIsRefused(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	answer := approval.Response{ApprovalID: a.ApprovalID, Status: approval.Denied, Message: "no", By: approval.By{Via: "test"}}
	first, err := d.manager.Decide(t.Context(), approver(), answer)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.manager.Decide(t.Context(), approver(), answer)
	if err != nil || again.Response.Rev != first.Response.Rev {
		t.Errorf("again: %+v, %v", again.Response, err)
	}
	bob := auth.Identity{Subject: "bob", Roles: []auth.Role{auth.Approver}}
	for name, c := range map[string]struct {
		who    auth.Identity
		change func(*approval.Response)
	}{
		"another person's same answer": {bob, func(*approval.Response) {}},
		"another answer":               {approver(), func(r *approval.Response) { r.Status, r.Message = approval.Approved, "" }},
		"other words":                  {approver(), func(r *approval.Response) { r.Message = "never" }},
	} {
		t.Run(name, func(t *testing.T) {
			other := answer
			c.change(&other)
			stands, err := d.manager.Decide(t.Context(), c.who, other)
			var decided *approval.DecidedError
			if !errors.As(err, &decided) || decided.Outcome.Response.By.Subject != "ada" || stands.Response.Rev != first.Response.Rev {
				t.Errorf("got %+v, %v", stands.Response, err)
			}
		})
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestAnEditedCallRunsAsEditedAndIsRememberedAsEdited(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	_, err := d.manager.Decide(t.Context(), approver(), approval.Response{
		ApprovalID: a.ApprovalID, Status: approval.Approved, Scope: approval.Session, Edit: tool.JSON(`{"command":"id"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil || d.args.Load() != `{"command":"id"}` {
		t.Errorf("ended with %v, ran %v", err, d.args.Load())
	}
	edited := a.Request
	edited.Args = tool.JSON(`{"command":"id"}`)
	if edited.ArgsDigest, err = approval.Digest(edited); err != nil {
		t.Fatal(err)
	}
	held, err := d.Grants.Held(t.Context(), d.session, "demo", "shell")
	if err != nil || len(held) != 1 || held[0].CoversPlainly(a.Request) || !held[0].CoversPlainly(edited) {
		t.Errorf("what is held: %+v, %v", held, err)
	}
}

func TestTheModelReadsThatItsArgumentsWereChanged(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	_, err := d.manager.Decide(t.Context(), approver(), approval.Response{
		ApprovalID: a.ApprovalID, Status: approval.Approved, Edit: tool.JSON(`{"command":"id"}`),
	})
	if err := errors.Join(err, end()); err != nil {
		t.Fatal(err)
	}
	const want = `ada changed the arguments before clearing this call. It ran with: {"command":"id"}` + "\n\nran"
	if got := d.result(t, "call").Text; got != want {
		t.Errorf("it reads %q", got)
	}
}

func TestAnEditThatChangesNothingIsNotToldAsAChange(t *testing.T) {
	for _, edit := range []string{`{}`, `{"command":"uname"}`} {
		d, a, end := waiting(t, deskOptions{})
		_, err := d.manager.Decide(t.Context(), approver(), approval.Response{
			ApprovalID: a.ApprovalID, Status: approval.Approved, Edit: tool.JSON(edit),
		})
		if err := errors.Join(err, end()); err != nil {
			t.Fatal(err)
		}
		if got := d.result(t, "call").Text; got != "ran" {
			t.Errorf("%s: it reads %q", edit, got)
		}
	}
}

func TestAGrantAnswersTheSameCallInTheSameSession(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	_, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved, Scope: approval.Session})
	if err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	d.gate.SetHandler(approvaltest.Says(approval.Denied))
	d.run(t, "the same again")
	other := d.call("another")
	other.Args = tool.JSON(`{"command":"uname -a"}`)
	if _, err := d.tool.Run(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if a := d.row(t, "the same again"); a.Status != approval.Approved || a.Policy.Rule != "granted for this session by ada: exactly this call" {
		t.Errorf("the same call is %s by %q", a.Status, a.Policy.Rule)
	}
	if a := d.row(t, "another"); a.Status != approval.Denied || d.ran.Load() != 2 {
		t.Errorf("another call is %s, ran %d", a.Status, d.ran.Load())
	}
}

func TestAPolicyThatDeniesByNowStopsWhatWasApproved(t *testing.T) {
	now := &switching{verdict: approval.Verdict{Effect: approval.AskPerson}}
	d, a, end := waiting(t, deskOptions{judge: now})
	now.set(approval.Verdict{Effect: approval.Deny, Rule: "closed"})
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved}); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil || d.ran.Load() != 0 || d.row(t, "call").Run != approval.RunVoid {
		t.Errorf("ended with %v, ran %d times, run is %s", err, d.ran.Load(), d.row(t, "call").Run)
	}
}

func TestAJudgeThatFailsDenies(t *testing.T) {
	for name, judge := range map[string]approval.Judge{
		"an error": judgeFunc(func() (approval.Verdict, error) {
			return approval.Verdict{Effect: approval.Allow}, errors.New("no disk")
		}),
		"a panic":         judgeFunc(func() (approval.Verdict, error) { panic("boom") }),
		"no verdict":      judgeFunc(func() (approval.Verdict, error) { return approval.Verdict{}, nil }),
		"a strange value": judgeFunc(func() (approval.Verdict, error) { return approval.Verdict{Effect: 99}, nil }),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{judge: judge, AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)}})
			d.run(t, "call")
			if a := d.row(t, "call"); a.Response.Reason != approval.PolicyDenied || d.ran.Load() != 0 {
				t.Errorf("the row is %+v", a.Response)
			}
		})
	}
}

func TestCancelWithdrawsAndSaysByWhom(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	if _, err := d.manager.Cancel(t.Context(), auth.Identity{Subject: "v", Roles: []auth.Role{auth.Viewer}}, "test", a.ApprovalID); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("a viewer got %v", err)
	}
	if err := d.manager.CancelAll(t.Context(), approver(), "test", d.session); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	now := d.row(t, "call")
	if now.Status != approval.Cancelled || now.Response.Reason != approval.UserCancelled || now.Response.By.Subject != "ada" || d.ran.Load() != 0 {
		t.Errorf("the row is %+v", now.Response)
	}
}

func TestALateAnswerIsToldThatItIsLate(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Millisecond}})
	d.run(t, "call")
	a := d.row(t, "call")
	got, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved})
	if !errors.Is(err, approval.ErrExpired) || got.Response.Reason != approval.Timeout {
		t.Errorf("got %v beside %+v", err, got.Response)
	}
	d.manager.Wait()
}

// Nothing but the clock has settled it before.
func TestWhatComesAtTheDeadlineIsTooLateForAnyDoor(t *testing.T) {
	for name, late := range map[string]func(d *desk, approvalID string) (approval.Approval, error){
		"an approval": func(d *desk, id string) (approval.Approval, error) {
			return d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: id, Status: approval.Approved})
		},
		"a denial": func(d *desk, id string) (approval.Approval, error) {
			return d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: id, Status: approval.Denied})
		},
		"a cancel": func(d *desk, id string) (approval.Approval, error) {
			return d.manager.Cancel(t.Context(), approver(), approval.ViaREST, id)
		},
		"a withdrawal": func(d *desk, id string) (approval.Approval, error) {
			return d.manager.Retract(t.Context(), deployer(), approval.ViaREST, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{})
			r := approvaltest.Request(t, d.session, "call")
			r.Origin = approval.Origin{Kind: approval.OriginProgram, Subject: deployer().Subject}
			r.ExpiresAt = time.Now().Add(-time.Second).UTC().Truncate(time.Microsecond)
			row, err := d.Store.Create(t.Context(), approval.New(r))
			if err != nil {
				t.Fatal(err)
			}
			got, err := late(d, row.ApprovalID)
			if !errors.Is(err, approval.ErrExpired) || got.Status != approval.Denied || got.Response.Reason != approval.Timeout {
				t.Errorf("it got %v beside %+v", err, got.Response)
			}
		})
	}
}
