package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// stubborn makes the same call until it has been told so often that it gives up.
func stubborn(args ...string) modelFunc {
	return func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
		tried := 0
		for i := len(p.Messages) - 1; p.Messages[i].Role != model.User; i-- {
			if p.Messages[i].Role == model.ToolRole {
				tried++
			}
		}
		if tried == len(args) {
			return model.Reply{Text: p.Messages[len(p.Messages)-1].Text}, nil
		}
		return model.Reply{Calls: []model.Call{{Name: "note", Args: tool.JSON(args[tried])}}}, nil
	}
}

func TestACallThatWasDeniedIsNotAskedForEver(t *testing.T) {
	const same, other, spelled = `{"text":"no"}`, `{"text":"no!"}`, ` {"text" : "no"} `
	for name, c := range map[string]struct {
		most  int
		calls []string
		asked int
		words string
	}{
		"unless told otherwise it is asked twice": {0, []string{same, same, same, same}, 2, "this same call was denied 3 times before"},
		"or as often as the file says":            {1, []string{same, same}, 1, "denied 1 times before"},
		"however it is spelled":                   {0, []string{same, spelled, same}, 2, "denied 2 times before"},
		"another call is asked":                   {1, []string{same, other}, 2, "Denied by ada"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			k := newKit(t, agent.Config{Model: stubborn(c.calls...), MaxDenials: c.most, Handler: approval.HandlerFunc(
				func(context.Context, approval.Request) (approval.Response, error) {
					asked++
					return approval.Response{Status: approval.Denied, By: approval.By{Subject: "ada"}}, nil
				})})
			id := k.session(t)
			words, err := k.Run(t.Context(), id, "go")
			if err != nil || asked != c.asked || !strings.Contains(words, c.words) {
				t.Errorf("asked %d times, and the model read %q, %v", asked, words, err)
			}
			k.results(t, id)
			rows, err := k.runtime.Approvals.Find(t.Context(), approval.Query{SessionID: id})
			if err != nil || len(rows) != len(c.calls) {
				t.Errorf("%d calls have %d rows, %v", len(c.calls), len(rows), err)
			}
			asked = 0
			if _, err := k.Run(t.Context(), id, "please, try again"); err != nil || asked != c.asked {
				t.Errorf("after a person's word it was asked %d times, %v", asked, err)
			}
		})
	}
}

func spender(u model.Usage) modelFunc {
	return func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
		return model.Reply{Text: "so", Usage: u}, nil
	}
}

func TestWhatRepliesCostIsCountedOnTheSession(t *testing.T) {
	k := newKit(t, agent.Config{Handler: silent(), Prices: agent.Prices{Input: 3, Cached: 0.5, Output: 15}, Model: spender(model.Usage{Input: 1000, Cached: 400, Output: 100})})
	id := k.session(t)
	for range 2 {
		if _, err := k.Run(t.Context(), id, "go"); err != nil {
			t.Fatal(err)
		}
	}
	s, err := k.log.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%d %d %d %.4f", s.Usage.Input, s.Usage.Cached, s.Usage.Output, s.Usage.Cost); got != "2000 800 200 0.0070" {
		t.Errorf("it has used %s", got)
	}
}

func TestASessionThatHasUsedUpWhatItMayEndsItsTurnsInWords(t *testing.T) {
	for want, c := range map[string]agent.Config{
		"1100 tokens, and the limit is 1000 (maxTokens)": {MaxTokens: 1000},
		"0.0045, and the limit is 0.004 (maxCost)":       {MaxCost: 0.004, Prices: agent.Prices{Input: 3, Output: 15}},
	} {
		c.Handler, c.Model = silent(), spender(model.Usage{Input: 1000, Output: 100})
		k := newKit(t, c)
		id := k.session(t)
		if _, err := k.Run(t.Context(), id, "go"); err != nil {
			t.Fatalf("the first: %v", err)
		}
		if _, err := k.Run(t.Context(), id, "go"); !errors.Is(err, agent.ErrSpent) || !strings.Contains(err.Error(), want) {
			t.Errorf("the second: %v", err)
		}
		if s, err := k.log.Get(t.Context(), id); err != nil || s.Status != session.StatusError {
			t.Errorf("the session is %s, %v", s.Status, err)
		}
		if _, err := k.Run(t.Context(), "", "go"); err != nil {
			t.Errorf("another session: %v", err)
		}
	}
}

func TestRepliesThatBreakOffCountToo(t *testing.T) {
	asked := 0
	k := newKit(t, agent.Config{Handler: silent(), MaxTokens: 1000, Prices: agent.Prices{Input: 3}, Model: modelFunc(
		func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
			asked++
			return model.Reply{Usage: model.Usage{Input: 1000}}, &model.Error{Kind: model.Broken, Provider: "x"}
		})})
	id := k.session(t)
	if _, err := k.Run(t.Context(), id, "go"); model.KindOf(err) != model.Broken {
		t.Fatal(err)
	}
	if _, err := k.Run(t.Context(), id, "again"); !errors.Is(err, agent.ErrSpent) || asked != 1 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	if s, err := k.log.Get(t.Context(), id); err != nil || s.Usage.Input != 1000 || s.Usage.Cost != 0.003 {
		t.Errorf("it has used %+v, %v", s.Usage, err)
	}
}

func TestTheLimitOfTurnsHoldsAcrossRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		k := newKit(t, agent.Config{MaxTurns: 3, Mode: approval.AutoApprove, Handler: silent(), Model: modelFunc(
			func(ctx context.Context, _ model.Prompt, _ func(model.Delta)) (model.Reply, error) {
				if asked++; asked%2 == 0 { // where the process ends
					<-ctx.Done()
					return model.Reply{}, context.Cause(ctx)
				}
				return model.Reply{Calls: []model.Call{{Name: "note", Args: tool.JSON(`{"text":"ok"}`)}}}, nil
			})})
		id := k.session(t)
		if _, err := k.Send(t.Context(), ada(), id, "go"); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			synctest.Wait()
			k.Stop(0)
			if err := k.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := k.Resume(id); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if said := len(k.results(t, id)); said != 3 {
			t.Errorf("%d replies for one message", said)
		}
		if s, err := k.log.Get(t.Context(), id); err != nil || s.Status != session.StatusError {
			t.Errorf("the session is %s, %v", s.Status, err)
		}
	})
}
