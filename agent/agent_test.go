package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func TestOneDenialLeavesTheOtherCallsOfAReply(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), Model: asks(`{"text":"ok 1"}`, `{"text":"bad"}`, `{"text":"ok 2"}`)})
	words, err := k.Run(t.Context(), "", "go")
	want := "noted ok 1 | Denied by ada: not that. Do not repeat the call unchanged. | noted ok 2"
	if err != nil || words != want {
		t.Errorf("the agent said %q, %v", words, err)
	}
	if n := len(k.note.all()); n != 2 {
		t.Errorf("%d calls ran", n)
	}
}

func TestAnUnknownToolIsToldAndTheTurnGoesOn(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if last := p.Messages[len(p.Messages)-1]; last.Role == model.ToolRole {
				return model.Reply{Text: last.Text}, nil
			}
			return model.Reply{Calls: []model.Call{{Name: "client.requestApproval", Args: tool.JSON(`{}`)}}}, nil
		})})
	words, err := k.Run(t.Context(), "", "go")
	if err != nil || !strings.Contains(words, `no such tool: "client.requestApproval"; there are: note`) {
		t.Errorf("the agent said %q, %v", words, err)
	}
}

func TestAModelThatNeverStopsAskingIsStopped(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), MaxTurns: 3, Model: modelFunc(
		func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
			return model.Reply{Calls: []model.Call{{Name: "note", Args: tool.JSON(`{"text":"ok"}`)}}}, nil
		})})
	id := k.session(t)
	_, err := k.Run(t.Context(), id, "go")
	if !errors.Is(err, agent.ErrTurnLimit) || len(k.note.all()) != 3 {
		t.Errorf("ended with %v after %d calls", err, len(k.note.all()))
	}
	if s, _ := k.log.Get(t.Context(), id); s.Status != session.StatusError {
		t.Errorf("the session is %s", s.Status)
	}
	k.results(t, id)
}

func TestAModelThatFailsEndsTheTurnAndTheNextMessageIsAnswered(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	k := newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
			if broken.Load() {
				return model.Reply{}, errors.New("no connection")
			}
			return model.Reply{Text: "here"}, nil
		})})
	id := k.session(t)
	if _, err := k.Run(t.Context(), id, "one"); err == nil || !strings.Contains(err.Error(), "no connection") {
		t.Errorf("got %v", err)
	}
	broken.Store(false)
	if words, err := k.Run(t.Context(), id, "two"); err != nil || words != "here" {
		t.Errorf("the agent said %q, %v", words, err)
	}
}

func TestCancelWithdrawsWhatWaitsAndStopsWhatRuns(t *testing.T) {
	k := newKit(t, agent.Config{
		Handler: approval.HandlerFunc(func(ctx context.Context, r approval.Request) (approval.Response, error) {
			if strings.Contains(string(r.Args), "wait") {
				return approval.Response{Status: approval.Approved}, nil
			}
			<-ctx.Done()
			return approval.Response{}, ctx.Err()
		}),
		Model: asks(`{"text":"never answered"}`, `{"wait":true}`),
	})
	id := k.asking(t, 2)
	<-k.note.waiting // the other call runs
	if err := k.Cancel(t.Context(), ada(), "test", id); err != nil {
		t.Fatal(err)
	}
	s, err := k.log.Get(t.Context(), id)
	if err != nil || s.Status != session.StatusCancelled || pending(t, k) != 0 {
		t.Errorf("the session is %s, %d pending, %v", s.Status, pending(t, k), err)
	}
	for _, text := range k.results(t, id) {
		if !strings.Contains(text, "cancelled by ada") {
			t.Errorf("a result says %q", text)
		}
	}
	if len(k.note.all()) != 0 {
		t.Errorf("%v ran", k.note.all())
	}
}

func pending(t *testing.T, k *kit) int {
	t.Helper()
	list, err := k.PendingApprovals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestStopLeavesRequestsPending(t *testing.T) {
	k := newKit(t, agent.Config{Handler: silent(), Model: asks(`{"text":"x"}`)})
	id := k.asking(t, 1)
	k.Stop(0)
	if s, _ := k.log.Get(t.Context(), id); s.Status != session.StatusWaitingApproval || pending(t, k) != 1 {
		t.Errorf("the session is %s with %d pending", s.Status, pending(t, k))
	}
	if _, err := k.Send(t.Context(), ada(), id, "late"); !errors.Is(err, agent.ErrNotStarted) {
		t.Errorf("a message after the stop: %v", err)
	}
}

func TestWhatIsSaidDuringATurnIsAnsweredToo(t *testing.T) {
	busy, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	k := newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			once.Do(func() { close(busy); <-release })
			return model.Reply{Text: "re: " + p.Messages[len(p.Messages)-1].Text}, nil
		})})
	id := k.session(t)
	if _, err := k.Send(t.Context(), ada(), id, "one"); err != nil {
		t.Fatal(err)
	}
	<-busy
	answered := make(chan string, 1)
	go func() {
		words, err := k.Run(context.Background(), id, "two")
		answered <- fmt.Sprint(words, err)
	}()
	said := k.bus.Subscribe(8, session.Events)
	defer said.Close()
	for {
		events, err := k.log.Events(t.Context(), id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if events[len(events)-1].Type == session.TypeUserMessage && len(events) > 3 {
			break
		}
		if _, err := said.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	if got := <-answered; got != "re: two<nil>" {
		t.Errorf("got %q", got)
	}
}

func TestWhenTheCallersTimeIsOverTheTurnIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &note{}
		a, err := agent.New(agent.Config{ID: "demo", Model: asks(`{"text":"x"}`), Handler: silent(), Tools: []agent.Tool{{Tool: k}}}, agent.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer a.Stop(0)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := a.Run(ctx, "", "go"); err == nil {
			t.Error("it ended well")
		}
		if list, err := a.PendingApprovals(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%d still pending, %v", len(list), err)
		}
	})
}

func TestWhoMayNotTalkIsRefused(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), Model: asks()})
	id := k.session(t)
	for _, role := range []auth.Role{auth.Viewer, auth.Approver, auth.Agent, ""} {
		who := auth.Identity{Subject: "x", Roles: []auth.Role{role}}
		if _, err := k.Send(t.Context(), who, id, "hi"); !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("%s may send: %v", role, err)
		}
		if _, err := k.NewSession(t.Context(), who, ""); !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("%s may start a session: %v", role, err)
		}
	}
	if err := k.Cancel(t.Context(), auth.Identity{Subject: "x", Roles: []auth.Role{auth.Viewer}}, "test", id); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("a viewer may cancel: %v", err)
	}
}

func TestDeltasSayWhereTheyBeginInTheCountOfJavaScript(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(_ context.Context, _ model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
			for _, text := range []string{"a", "é", "😀", "b"} {
				onDelta(model.Delta{Text: text})
			}
			return model.Reply{Text: "aé😀b"}, nil
		})})
	sub := k.bus.Subscribe(16, session.Deltas)
	if _, err := k.Run(t.Context(), "", "go"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1, 2, 4} {
		e, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := session.Deltas.From(e); d.Offset != want {
			t.Errorf("%q begins at %d, want %d", d.Text, d.Offset, want)
		}
	}
	sub.Close()
}
