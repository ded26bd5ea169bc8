package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

func TestAHaltDeniesWhatWaitsAndLetsNothingBeginUntilItIsLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, agent.Config{Model: asks(`{"text":"one"}`), Handler: silent()})
		id := k.session(t)
		ada := auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Operator}}
		if _, err := k.Send(t.Context(), ada, id, "go"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := k.runtime.Approvals.Halt(t.Context(), ada, "test", ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		rows, err := k.runtime.Approvals.Find(t.Context(), approval.Query{SessionID: id})
		if err != nil || len(rows) != 1 || rows[0].Response.Reason != approval.Halted || rows[0].Response.By.Subject != "ada" {
			t.Fatalf("the rows are %+v, %v", rows, err)
		}
		s, err := k.runtime.Sessions.Get(t.Context(), id)
		if err != nil || !s.TurnOpen {
			t.Fatalf("the turn went on under the halt: %+v, %v", s, err)
		}
		other := k.session(t)
		if _, err := k.Send(t.Context(), ada, other, "go"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		events, err := k.runtime.Sessions.Events(t.Context(), other, 0, 0)
		if err != nil || len(events) != 2 || events[1].Type != session.TypeUserMessage {
			t.Fatalf("under the halt a turn has begun: %+v, %v", events, err)
		}

		if _, err := k.runtime.Approvals.Lift(t.Context(), ada, "test", ""); err == nil {
			t.Error("an operator has lifted it")
		}
		k.SetApprovalHandler(approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
			return approval.Response{Status: approval.Approved}, nil
		}))
		if _, err := k.runtime.Approvals.Lift(t.Context(), auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}, "test", ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if noted := k.note.all(); strings.Join(noted, ",") != "one" {
			t.Errorf("after the lift ran %v, want the call of the second session alone", noted)
		}
	})
}

func TestWhoInterruptsAHaltedTurnEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, agent.Config{Model: asks(`{"text":"one"}`), Handler: silent()})
		id := k.session(t)
		if err := k.Halt(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada := auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Operator}}
		if _, err := k.Send(t.Context(), ada, id, "go"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := k.Cancel(t.Context(), ada, "test", id); err != nil {
			t.Fatal(err)
		}
		s, err := k.runtime.Sessions.Get(t.Context(), id)
		if err != nil || s.TurnOpen || s.Status != session.StatusCancelled {
			t.Errorf("it is %+v, %v", s, err)
		}
	})
}

func TestWhatWaitsIsWithdrawnWhileTheTurnGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, agent.Config{Model: asks(`{"text":"one"}`, `{"text":"two"}`), Handler: silent()})
		id := k.session(t)
		done := make(chan string)
		go func() {
			words, err := k.Run(t.Context(), id, "go")
			if err != nil {
				t.Error(err)
			}
			done <- words
		}()
		synctest.Wait()
		for _, w := range []approval.Which{{}, {SessionID: id, All: true}, {AgentID: "nobody"}} {
			if rows, err := k.runtime.Approvals.CancelWaiting(t.Context(), admin(), "test", w); err == nil || len(rows) > 0 {
				t.Errorf("%+v withdrew %d", w, len(rows))
			}
		}
		narrow := auth.Identity{Subject: "bob", Roles: []auth.Role{auth.Approver}, Agents: []string{"other"}}
		if _, err := k.runtime.Approvals.CancelWaiting(t.Context(), narrow, "test", approval.Which{SessionID: id}); err == nil {
			t.Error("who is for others has withdrawn them")
		}
		if rows, err := k.runtime.Approvals.CancelWaiting(t.Context(), narrow, "test", approval.Which{All: true}); err != nil || len(rows) > 0 {
			t.Errorf("for others %d were withdrawn, %v", len(rows), err)
		}
		rows, err := k.runtime.Approvals.CancelWaiting(t.Context(), admin(), "test", approval.Which{SessionID: id})
		if err != nil || len(rows) != 2 {
			t.Errorf("%d were withdrawn, %v", len(rows), err)
		}
		if words := <-done; strings.Count(words, "cancelled by root") != 2 {
			t.Errorf("the model read %q", words)
		}
	})
}

func admin() auth.Identity { return auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}} }
