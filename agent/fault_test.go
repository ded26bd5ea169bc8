package agent_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// flaky is a log on a disk that can be full.
type flaky struct {
	*session.Memory
	full atomic.Bool
}

func (f *flaky) Append(ctx context.Context, id string, body session.Body) (session.Event, error) {
	if f.full.Load() {
		return session.Event{}, errors.New("no space left")
	}
	return f.Memory.Append(ctx, id, body)
}

// ends are the outcomes of the turns of a session.
func (k *kit) ends(t *testing.T, id string) (all []session.Outcome) {
	t.Helper()
	events, err := k.log.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range decoded[session.TurnFinished](t, events, session.TypeTurnFinished) {
		all = append(all, end.Outcome)
	}
	return all
}

// A turn whose end could not be written is gone on with once that can be done.
func TestATurnThatTheStoreFailsIsGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := 0
		var k *kit
		k = newKit(t, agent.Config{Mode: approval.AutoDeny, Model: modelFunc(
			func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
				said++
				k.log.full.Store(said == 1)
				return model.Reply{Text: "here"}, nil
			})})
		id := k.session(t)
		if _, err := k.Run(t.Context(), id, "go"); err == nil {
			t.Error("the turn ended well on a full disk")
		}
		time.Sleep(10 * time.Second) // the bubble's clock: it is tried, and fails
		k.log.full.Store(false)
		time.Sleep(time.Minute)
		if ends := k.ends(t, id); !slices.Equal(ends, []session.Outcome{session.Completed}) {
			t.Errorf("the turns ended as %v", ends)
		}
	})
}

// What is said behind a turn that was stopped does not have that turn go on, although its end could not be written.
func TestATurnThatWasStoppedStaysSoWhereItsEndCouldNotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := &deaf{make(chan struct{}), make(chan struct{})}
		k := newKit(t, agent.Config{
			Mode: approval.AutoApprove, Tools: []agent.Tool{{Tool: works}},
			Model: modelFunc(func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
				if p.Messages[len(p.Messages)-1].Text != "go" {
					return model.Reply{Text: "heard"}, nil
				}
				return model.Reply{Calls: []model.Call{{Name: "deaf", Args: tool.JSON(`{}`)}}}, nil
			}),
		})
		id := k.session(t)
		if _, err := k.Send(t.Context(), ada(), id, "go"); err != nil {
			t.Fatal(err)
		}
		<-works.began
		over, err := k.Interrupt(t.Context(), ada(), approval.ViaREST, id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Send(t.Context(), ada(), id, "and now"); err != nil {
			t.Fatal(err)
		}
		k.log.full.Store(true)
		close(works.let)
		<-over
		k.log.full.Store(false)
		time.Sleep(time.Minute)
		if ends := k.ends(t, id); !slices.Equal(ends, []session.Outcome{session.Cancelled, session.Completed}) {
			t.Errorf("the turns ended as %v", ends)
		}
	})
}
