package gate_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// gives proposes an answer as it is.
func gives(r approval.Response) approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) { return r, nil })
}

func TestAHandlersAnswerIsCheckedLikeAnyOther(t *testing.T) {
	for name, answer := range map[string]approval.Response{
		"an edit that does not fit":   {Status: approval.Approved, Edit: tool.JSON(`{"command":null,"evil":1}`)},
		"an edit that is no object":   {Status: approval.Approved, Edit: tool.JSON(`"rm -rf /"`)},
		"an edit that is no JSON":     {Status: approval.Approved, Edit: tool.JSON(`{`)},
		"another digest":              {Status: approval.Approved, ArgsDigest: "sha256:other"},
		"another session":             {Status: approval.Approved, SessionID: "foreign"},
		"a scope that nothing knows":  {Status: approval.Approved, Scope: "forever"},
		"a scope that is not offered": {Status: approval.Approved, Scope: "forever"},
		"an edit on a denial":         {Status: approval.Denied, Edit: tool.JSON(`{"command":"id"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: gives(answer)}})
			d.run(t, "call")
			if a := d.row(t, "call"); a.Response.Reason != approval.HandlerFailed || d.ran.Load() != 0 {
				t.Errorf("%s, reason %q, ran %d times", a.Status, a.Response.Reason, d.ran.Load())
			}
		})
	}
}

func TestAHandlersReasonFollowsFromItsAnswer(t *testing.T) {
	for _, reason := range []approval.Reason{approval.Timeout, approval.PolicyDenied, "not today"} {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{
			Handler: gives(approval.Response{Status: approval.Denied, Reason: reason}),
		}})
		d.run(t, "call")
		if a := d.row(t, "call"); a.Response.Reason != approval.UserDenied {
			t.Errorf("with %q the reason is %q", reason, a.Response.Reason)
		}
	}
}

func TestTermsWithAScopeThatNothingKnowsAreRefused(t *testing.T) {
	d := newDesk(t, deskOptions{})
	if _, err := d.gate.Guard(d, approval.Terms{Scopes: []approval.Scope{"forever"}}); err == nil {
		t.Error("they were taken")
	}
}

// broken is a tool that does its work and answers with bytes that are no text.
type broken struct{ ran int }

func (*broken) Spec() tool.Spec { return tool.Spec{Name: "shell"} }

func (b *broken) Run(context.Context, tool.Call) (tool.Result, error) {
	b.ran++
	return tool.Result{Text: "caf\xe9", Structured: tool.JSON(`{"half":`)}, nil
}

func TestAResultThatIsNoTextIsTheResultOfACallThatRan(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)}})
	b := &broken{}
	gated, err := d.gate.Guard(b, approval.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gated.Run(t.Context(), d.call("call"))
	if err != nil || r.Text != "caf\uFFFD" || r.Structured != nil || b.ran != 1 {
		t.Errorf("got %+v, %v; ran %d times", r, err, b.ran)
	}
	if a := d.row(t, "call"); a.Run != approval.RunFinished {
		t.Errorf("its run is %s", a.Run)
	}
}

func TestOfTwoRunsOfOneCallOneRunsIt(t *testing.T) {
	for range 200 {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)}})
		results := make([]tool.Result, 2)
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() { results[i], errs[i] = d.tool.Run(t.Context(), d.call("call")) })
		}
		both.Wait()
		if d.ran.Load() != 1 || d.results(t) != 1 {
			t.Fatalf("it ran %d times and has %d results", d.ran.Load(), d.results(t))
		}
		for i, err := range errs {
			// Who comes second is told that it runs, or has run.
			if err != nil && !errors.Is(err, approval.ErrClaimed) || err == nil && results[i].Text != "ran" {
				t.Fatalf("one got %+v, %v", results[i], err)
			}
		}
		d.manager.Wait()
	}
}

// results counts the results in the session's journal.
func (d *desk) results(t *testing.T) int {
	t.Helper()
	events, err := d.Log.Events(t.Context(), d.session, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Type == session.TypeToolResult {
			n++
		}
	}
	return n
}

func TestACallHasOneResultHoweverOftenItIsRun(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Denied)}})
	for range 3 {
		d.run(t, "call")
	}
	if n := d.results(t); n != 1 {
		t.Errorf("it has %d", n)
	}
}

func TestAPolicyThatDeniesByNowDoesNotUndoWhatMayHaveRun(t *testing.T) {
	now := &switching{verdict: approval.Verdict{Effect: approval.Allow}}
	d := newDesk(t, deskOptions{judge: now})
	r := approvaltest.Request(t, d.session, "call")
	r.Args = d.call("call").Args
	r.ArgsDigest, _ = approval.Digest(r)
	row, err := approval.New(r).Settle(approval.Response{Status: approval.Approved, By: approval.By{Subject: "policy"}}, r.RequestedAt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Create(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Claim(t.Context(), row.ApprovalID, 0, approvaltest.Holds); err != nil {
		t.Fatal(err)
	}
	now.set(approval.Verdict{Effect: approval.Deny, Rule: "closed"})
	if result := d.run(t, "call"); !strings.HasPrefix(result.Text, "Outcome unknown") {
		t.Errorf("the model reads %q", result.Text)
	}
}

func TestTheSameEditInAnotherSpellingIsTheSameAnswer(t *testing.T) {
	d, a, end := waiting(t, deskOptions{})
	for _, edit := range []string{`{"command":"id"}`, `{ "command" : "\u0069d" }`} {
		_, err := d.manager.Decide(t.Context(), approver(), approval.Response{
			ApprovalID: a.ApprovalID, Status: approval.Approved, Edit: tool.JSON(edit),
		})
		if err != nil {
			t.Errorf("%s: %v", edit, err)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestTakingBackAnApprovalIsToldToEveryoneAndMayBeRepeated(t *testing.T) {
	d := newDesk(t, deskOptions{})
	r := approvaltest.Request(t, d.session, "call")
	if _, err := d.Store.Create(t.Context(), approval.New(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved}); err != nil {
		t.Fatal(err)
	}
	told := d.Bus.Subscribe(4, approval.Responses)
	defer told.Close()
	for range 2 {
		row, err := d.manager.Cancel(t.Context(), approver(), "test", r.ApprovalID)
		if err != nil || row.Last().Status != approval.Cancelled || row.Status != approval.Approved || row.Run != approval.RunVoid {
			t.Errorf("cancel: %+v, %v", row.Last(), err)
		}
	}
	e, err := told.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := approval.Responses.From(e); got.Status != approval.Cancelled || got.By.Subject != "ada" || got.Rev != 3 {
		t.Errorf("told %+v", got)
	}
}

func TestAToolThatNoGateMadeRunsNothing(t *testing.T) {
	d := newDesk(t, deskOptions{})
	none := new(gate.Gated)
	_, ran := none.Run(t.Context(), d.call("call"))
	_, refused := none.Refuse(t.Context(), d.call("call"), "no")
	if ran == nil || refused == nil || d.ran.Load() != 0 {
		t.Errorf("it ran with %v, refused with %v", ran, refused)
	}
}

// outOfSpace is a store of which one thing fails.
type outOfSpace struct {
	approval.Store
	what string
}

var errNoSpace = errors.New("no space left")

func (s outOfSpace) Create(ctx context.Context, a approval.Approval) (approval.Approval, error) {
	if s.what == "create" {
		return approval.Approval{}, errNoSpace
	}
	return s.Store.Create(ctx, a)
}

func (s outOfSpace) Get(ctx context.Context, id string) (approval.Approval, error) {
	if s.what == "get" {
		return approval.Approval{}, errNoSpace
	}
	return s.Store.Get(ctx, id)
}

func (s outOfSpace) Settle(ctx context.Context, r approval.Response, g *approval.Grant) (approval.Approval, error) {
	if s.what == "settle" {
		return approval.Approval{}, errNoSpace
	}
	return s.Store.Settle(ctx, r, g)
}

func (s outOfSpace) Claim(ctx context.Context, id string, within time.Duration, holds func() bool) (approval.Approval, error) {
	if s.what == "claim" {
		return approval.Approval{}, errNoSpace
	}
	return s.Store.Claim(ctx, id, within, holds)
}

func (s outOfSpace) Revealed(context.Context, string, approval.By) error { return errNoSpace }

func TestNothingRunsWhereTheStoreFails(t *testing.T) {
	for _, what := range []string{"create", "get", "settle", "claim"} {
		t.Run(what, func(t *testing.T) {
			d := newDesk(t, deskOptions{
				AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)},
				store:        func(d *desk) approval.Store { return outOfSpace{d.Store, what} },
			})
			_, err := d.tool.Run(t.Context(), d.call("call"))
			d.manager.Wait()
			if !errors.Is(err, errNoSpace) || d.ran.Load() != 0 {
				t.Errorf("it ran %d times and ended with %v", d.ran.Load(), err)
			}
		})
	}
}

func TestSecretsAreNotShownWhereThatCanNotBeWrittenDown(t *testing.T) {
	d := newDesk(t, deskOptions{
		AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Denied)},
		store:        func(d *desk) approval.Store { return outOfSpace{Store: d.Store} },
	})
	d.run(t, "call")
	r, err := d.manager.Reveal(t.Context(), approver(), "test", d.row(t, "call").ApprovalID)
	if !errors.Is(err, errNoSpace) || len(r.Args) > 0 {
		t.Errorf("shown was %+v, %v", r, err)
	}
}
