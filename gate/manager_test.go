package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAHandlersWordDecides(t *testing.T) {
	for name, c := range map[string]struct {
		handler approval.Handler
		status  approval.Status
		reason  approval.Reason
		ran     int64
	}{
		"approved runs":                  {approvaltest.Says(approval.Approved), approval.Approved, "", 1},
		"denied does not":                {approvaltest.Says(approval.Denied), approval.Denied, approval.UserDenied, 0},
		"cancelled does not":             {approvaltest.Says(approval.Cancelled), approval.Cancelled, approval.UserCancelled, 0},
		"no word at all is a no":         {approvaltest.Says(""), approval.Denied, approval.HandlerFailed, 0},
		"pending is no answer":           {approvaltest.Says(approval.Pending), approval.Denied, approval.HandlerFailed, 0},
		"an unknown word is a no":        {approvaltest.Says("aproved"), approval.Denied, approval.HandlerFailed, 0},
		"an error is a no":               {approvaltest.Fails(errors.New("no terminal")), approval.Denied, approval.HandlerFailed, 0},
		"no handler reached: no_handler": {approvaltest.Fails(fmt.Errorf("%w: no terminal", approval.ErrNobody)), approval.Denied, approval.NoHandler, 0},
		"a panic is a no":                {approvaltest.Panics(), approval.Denied, approval.HandlerFailed, 0},
		"another request's id is a no":   {approvaltest.AnswersAnother(), approval.Denied, approval.HandlerFailed, 0},
		"a scope not offered is a no":    {scoped("forever"), approval.Denied, approval.HandlerFailed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: c.handler}})
			result := d.run(t, "call")
			a := d.row(t, "call")
			if a.Status != c.status || a.Response.Reason != c.reason || d.ran.Load() != c.ran {
				t.Errorf("%s, reason %q, ran %d times", a.Status, a.Response.Reason, d.ran.Load())
			}
			if result.IsError != (c.ran == 0) {
				t.Errorf("the model reads %+v", result)
			}
		})
	}
}

func scoped(s approval.Scope) approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		return approval.Response{Status: approval.Approved, Scope: s}, nil
	})
}

func TestSilenceIsNoAtTheDeadlineAndSaysThatNobodyAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: 3 * time.Second}})
		began := time.Now()
		result := d.run(t, "call")
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("it waited %s", waited)
		}
		a := d.row(t, "call")
		if a.Status != approval.Denied || a.Response.Reason != approval.Timeout || a.Response.By.Subject != "system" || d.ran.Load() != 0 {
			t.Errorf("the row is %+v", a.Response)
		}
		if !strings.Contains(result.Text, "nobody answered within 3s") || !strings.Contains(result.Text, "No person refused it") {
			t.Errorf("the model reads %q", result.Text)
		}
		d.manager.Wait()
	})
}

func TestWithoutTimeoutItWaitsForAsLongAsItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: gate.NoTimeout}})
		go func() {
			time.Sleep(1000 * time.Hour) // the bubble's clock
			a := d.row(t, "call")
			if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved}); err != nil {
				t.Error(err)
			}
		}()
		if d.run(t, "call"); d.ran.Load() != 1 || !d.row(t, "call").ExpiresAt.IsZero() {
			t.Errorf("ran %d times, row %+v", d.ran.Load(), d.row(t, "call"))
		}
		d.manager.Wait()
	})
}

func TestAnAnswerElsewhereReleasesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := make(chan error, 1)
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approval.HandlerFunc(
			func(ctx context.Context, _ approval.Request) (approval.Response, error) {
				<-ctx.Done()
				released <- ctx.Err()
				return approval.Response{Status: approval.Denied}, nil
			})}})
		go func() {
			synctest.Wait()
			a := d.row(t, "call")
			if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved}); err != nil {
				t.Error(err)
			}
		}()
		d.run(t, "call")
		if err := <-released; err == nil || d.ran.Load() != 1 {
			t.Errorf("the handler was released with %v, the tool ran %d times", err, d.ran.Load())
		}
		d.manager.Wait()
	})
}

func TestTheModesAndTheToolsNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		mode   approval.Mode
		need   approval.Need
		status approval.Status
		rule   string
	}{
		"auto-approve runs unasked":         {approval.AutoApprove, approval.NeedByMode, approval.Approved, "mode auto-approve"},
		"auto-deny refuses unasked":         {approval.AutoDeny, approval.NeedByMode, approval.Denied, "mode auto-deny"},
		"required asks under auto-approve":  {approval.AutoApprove, approval.NeedAsk, approval.Cancelled, "approval.required: true"},
		"required asks under auto-deny":     {approval.AutoDeny, approval.NeedAsk, approval.Cancelled, "approval.required: true"},
		"not required runs under auto-deny": {approval.AutoDeny, approval.NeedNone, approval.Approved, "approval.required: false"},
		"manual asks":                       {approval.Manual, approval.NeedByMode, approval.Cancelled, "mode manual"},
		"no mode is manual":                 {"", approval.NeedByMode, approval.Cancelled, "mode manual"},
		"an unknown mode denies":            {"yolo", approval.NeedByMode, approval.Denied, `unknown mode "yolo"`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{
				AgentOptions: gate.AgentOptions{Mode: c.mode, Handler: approvaltest.Says(approval.Cancelled)},
				terms:        approval.Terms{Need: c.need},
			})
			d.run(t, "call")
			if a := d.row(t, "call"); a.Status != c.status || a.Policy.Rule != c.rule {
				t.Errorf("%s by rule %q", a.Status, a.Policy.Rule)
			}
		})
	}
}

func TestManualWithoutAHandlerIsRefusedAtStartAndDeniedLater(t *testing.T) {
	d := newDesk(t, deskOptions{})
	err := d.gate.Ready()
	if !errors.Is(err, gate.ErrNoHandler) || !strings.Contains(err.Error(), "auto-approve or auto-deny") ||
		!strings.Contains(err.Error(), "SetApprovalHandler") {
		t.Errorf("Ready says %v", err)
	}
	d.run(t, "call")
	if a := d.row(t, "call"); a.Status != approval.Denied || a.Response.Reason != approval.NoHandler {
		t.Errorf("the row is %+v", a.Response)
	}
	d.gate.SetHandler(approvaltest.Says(approval.Approved))
	if err := d.gate.Ready(); err != nil {
		t.Error(err)
	}
}

func TestArgumentsThatDoNotFitAreRefusedWithoutAsking(t *testing.T) {
	for name, args := range map[string]string{
		"another type":      `{"command":1}`,
		"a missing name":    `{}`,
		"an unknown name":   `{"command":"id","also":1}`,
		"a duplicate name":  `{"command":"id","command":"rm"}`,
		"no object":         `["id"]`,
		"no JSON":           `{"command":`,
		"nothing":           ``,
		"a number too long": `{"command":12345678901234567890}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{
				Handler: approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
					t.Error("somebody was asked")
					return approval.Response{}, nil
				})}})
			c := d.call("call")
			c.Args = tool.JSON(args)
			r, err := d.tool.Run(t.Context(), c)
			if err != nil || !r.IsError || !strings.Contains(r.Text, "arguments") {
				t.Errorf("got %+v, %v", r, err)
			}
			if a := d.row(t, "call"); a.Response.Reason != approval.ValidationFailed || d.ran.Load() != 0 {
				t.Errorf("the row is %+v", a.Response)
			}
		})
	}
}

func TestAskingAgainAfterTheAnswerReturnsIt(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Denied)}})
	first := d.run(t, "call")
	d.gate.SetHandler(approvaltest.Says(approval.Approved))
	if again := d.run(t, "call"); again.Text != first.Text || d.ran.Load() != 0 {
		t.Errorf("first %q, again %q, ran %d times", first.Text, again.Text, d.ran.Load())
	}
}

func TestAnOldApprovalIsAskedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{run: time.Minute})
		r := approvaltest.Request(t, d.session, "call")
		r.Args, r.ToolName = d.call("call").Args, "shell"
		var err error
		if r.ArgsDigest, err = approval.Digest(r); err != nil {
			t.Fatal(err)
		}
		old, err := d.Store.Create(t.Context(), approval.New(r))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: old.ApprovalID, Status: approval.Approved}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute) // the bubble's clock
		d.gate.SetHandler(approvaltest.Says(approval.Denied))
		d.run(t, "call")
		if a := d.row(t, "call"); a.Round != 1 || a.Status != approval.Denied || d.ran.Load() != 0 {
			t.Errorf("round %d is %s, ran %d times", a.Round, a.Status, d.ran.Load())
		}
		if again, _ := d.Store.Get(t.Context(), old.ApprovalID); again.Run != approval.RunVoid {
			t.Errorf("the old row's run is %s", again.Run)
		}
		d.manager.Wait()
	})
}

func TestACallThatMayBeRunningElsewhereIsNotRunAgain(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)}})
	r := approvaltest.Request(t, d.session, "call")
	r.Args = d.call("call").Args
	r.ArgsDigest, _ = approval.Digest(r)
	row, err := d.Store.Create(t.Context(), approval.New(r))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Claim(t.Context(), row.ApprovalID, 0, approvaltest.Holds); err != nil {
		t.Fatal(err)
	}
	result := d.run(t, "call")
	if d.ran.Load() != 0 || !strings.Contains(result.Text, "Outcome unknown") {
		t.Errorf("it ran %d times, the model reads %q", d.ran.Load(), result.Text)
	}
}

func TestTheSweepExpiresWhatNobodyWaitsForAndWakesWhomTheBusMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Hour}})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = d.manager.Run(ctx) })
		orphan := approvaltest.Request(t, d.session, "orphan")
		orphan.ExpiresAt = time.Now().Add(5 * time.Second)
		if _, err := d.Store.Create(t.Context(), approval.New(orphan)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(7 * time.Second) // the bubble's clock
		synctest.Wait()
		if a := d.row(t, "orphan"); a.Response.Reason != approval.Timeout {
			t.Errorf("the orphan is %s %s", a.Status, a.Response.Reason)
		}
		stop()
		running.Wait()
		d.manager.Wait()
	})
}
