package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
)

func TestAProgramSetsTheModeAtRunTime(t *testing.T) {
	k := newKit(t, agent.Config{Handler: silent(), Model: asks(`{"text":"bad"}`)})
	if _, err := k.runtime.Approvals.SetMode(t.Context(), ada(), "test", "demo", approval.AutoDeny, 0); err != nil {
		t.Fatal(err)
	}
	if err := k.SetMode(t.Context(), approval.AutoApprove); err != nil {
		t.Fatal(err)
	}
	if words, err := k.Run(t.Context(), "", "go"); err != nil || words != "noted bad" {
		t.Errorf("it said %q, %v", words, err)
	}
	k.ClearApprovalHandler()
	if err := k.SetMode(t.Context(), approval.Manual); !errors.Is(err, gate.ErrNoHandler) {
		t.Errorf("manual without a handler: %v", err)
	}
}

func TestAProgramCancelsAllThatWaits(t *testing.T) {
	k := newKit(t, agent.Config{Handler: silent(), Model: asks(`{"text":"one"}`, `{"text":"two"}`)})
	k.asking(t, 2)
	if err := k.CancelApprovals(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := k.PendingApprovals(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("left are %+v, %v", left, err)
	}
	if len(k.note.all()) != 0 {
		t.Error("one of them ran")
	}
}

// Which kind of request is asked of whom, and of two at once: the first who
// answers counts.
func ExampleAgent_SetApprovalHandler() {
	model := asks(`{"text":"ok"}`)
	desk := approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		return approval.Response{Status: approval.Approved}, nil
	})
	a, err := agent.New(agent.Config{ID: "demo", Model: model, Tools: []agent.Tool{{Tool: &note{}}}}, agent.Options{})
	if err != nil {
		panic(err)
	}
	a.SetApprovalHandler(approval.ByType(map[approval.Type]approval.Handler{
		approval.ToolConfirmation: approval.Race(desk, silent()),
		approval.Elicitation:      approval.WithTimeout(silent(), 1),
	}))
	ctx := context.Background()
	if err := a.Start(ctx); err != nil {
		panic(err)
	}
	defer a.Stop(0)
	words, err := a.Run(ctx, "", "go")
	if err != nil {
		panic(err)
	}
	fmt.Println(words)
	// Output: noted ok
}

func TestAProgramThatPutsAnAnswerOnTheBusItselfLeavesTheTurnWaiting(t *testing.T) {
	asked := make(chan approval.Request, 2)
	answer := make(chan approval.Response)
	k := newKit(t, agent.Config{Model: asks(`{"text":"x"}`), Handler: approval.HandlerFunc(
		func(ctx context.Context, r approval.Request) (approval.Response, error) {
			asked <- r
			select {
			case a := <-answer:
				return a, nil
			case <-ctx.Done():
				return approval.Response{}, ctx.Err()
			}
		})})
	over := make(chan error, 1)
	var words string
	go func() {
		var err error
		words, err = k.Run(t.Context(), "", "go")
		over <- err
	}()
	r := <-asked
	for _, id := range []string{r.ApprovalID, "01a20000-0000-7000-8000-00000000dead"} {
		approval.Responses.Publish(k.bus, approval.Response{ApprovalID: id, SessionID: r.SessionID, Status: approval.Approved})
	}
	select {
	case answer <- approval.Response{Status: approval.Denied, Message: "not that", By: approval.By{Subject: "ada"}}:
	case err := <-over:
		t.Fatalf("the turn is over: %v", err)
	}
	if err := <-over; err != nil || !strings.HasPrefix(words, "Denied by ada: not that") || len(k.note.all()) > 0 || len(asked) > 0 {
		t.Errorf("the model read %q, %v; noted %v; asked %d times more", words, err, k.note.all(), len(asked))
	}
}
