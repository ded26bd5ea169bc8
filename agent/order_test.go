package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

// mixed replies once with calls of two tools.
func mixed(calls []model.Call) modelFunc {
	return func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
		if p.Messages[len(p.Messages)-1].Role == model.User {
			return model.Reply{Calls: calls}, nil
		}
		return model.Reply{Text: "done"}, nil
	}
}

func TestCallsOfAReplyAreAskedForInTheOrderOfTheModel(t *testing.T) {
	for range 10 {
		var calls []model.Call
		for i := range 8 {
			call := model.Call{ID: fmt.Sprint(i), Name: "note", Args: tool.JSON(fmt.Sprintf(`{"text":"%d"}`, i))}
			if i%3 == 0 {
				call.Name, call.Args = agent.AskUserName, tool.JSON(fmt.Sprintf(`{"question":"%d?"}`, i))
			}
			if i == 4 {
				call.Name = "nothing"
			}
			calls = append(calls, call)
		}
		all := make(chan struct{})
		waiting := make(chan struct{}, len(calls))
		k := newKit(t, agent.Config{Model: mixed(calls), Handler: approval.HandlerFunc(
			func(ctx context.Context, r approval.Request) (approval.Response, error) {
				waiting <- struct{}{}
				select {
				case <-all:
				case <-ctx.Done():
				}
				return approval.Response{Status: approval.Denied}, nil
			})})
		if err := k.Add(agent.AskUser(k.runtime.Approvals)); err != nil {
			t.Fatal(err)
		}
		id := k.session(t)
		go func() { // all of them wait side by side
			for range len(calls) - 1 {
				<-waiting
			}
			close(all)
		}()
		if _, err := k.Run(t.Context(), id, "go"); err != nil {
			t.Fatal(err)
		}
		rows, err := k.runtime.Approvals.Find(t.Context(), approval.Query{SessionID: id})
		if err != nil {
			t.Fatal(err)
		}
		var places []int
		for _, row := range rows {
			if row.Response.By.Via != approval.ViaPolicy { // which lets questions through
				places = append(places, row.Position)
			}
		}
		if !slices.Equal(places, []int{1, 2, 3, 4, 6, 7, 8}) {
			t.Fatalf("they were asked for in the order %v", places)
		}
	}
}

func TestSilenceIsNoDenial(t *testing.T) {
	k := newKit(t, agent.Config{
		Model: stubborn(`{"text":"no"}`, `{"text":"no"}`, `{"text":"no"}`), MaxDenials: 1, Timeout: 1, Handler: silent(),
	})
	id := k.session(t)
	words, err := k.Run(t.Context(), id, "go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(words, "nobody answered") || !strings.Contains(words, "gone without an answer 3 times now") {
		t.Errorf("the model read %q", words)
	}
	rows, err := k.runtime.Approvals.Find(t.Context(), approval.Query{SessionID: id})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if row.Response.Reason != approval.Timeout || row.Unanswered != i {
			t.Errorf("row %d ended with %s, after %d without an answer", i, row.Response.Reason, row.Unanswered)
		}
	}
}
