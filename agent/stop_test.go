package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// deaf is a tool that goes on until it is let go, whatever its context says.
type deaf struct{ began, let chan struct{} }

func (*deaf) Spec() tool.Spec { return tool.Spec{Name: "deaf"} }

func (s *deaf) Run(context.Context, tool.Call) (tool.Result, error) {
	close(s.began)
	<-s.let
	return tool.Result{Text: "done"}, nil
}

func TestWhatIsSaidOnceATurnWasStoppedIsAnswered(t *testing.T) {
	works := &deaf{make(chan struct{}), make(chan struct{})}
	k := newKit(t, agent.Config{
		Mode: approval.AutoApprove, Tools: []agent.Tool{{Tool: works}},
		Model: modelFunc(func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if said := p.Messages[len(p.Messages)-1].Text; said != "go" {
				return model.Reply{Text: "heard " + said}, nil
			}
			return model.Reply{Calls: []model.Call{{Name: "deaf", Args: tool.JSON(`{}`)}}}, nil
		}),
	})
	id := k.session(t)
	sub := k.bus.Subscribe(100, session.Events)
	defer sub.Close()
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
	close(works.let)
	<-over
	var ends []session.Outcome
	for len(ends) < 2 {
		e, err := sub.Next(t.Context())
		if err != nil {
			t.Fatalf("after %v: %v", ends, err)
		}
		v, _ := session.Events.From(e)
		if v.Type == session.TypeTurnFinished {
			var end session.TurnFinished
			if err := v.Decode(&end); err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end.Outcome)
		}
	}
	if !slices.Equal(ends, []session.Outcome{session.Cancelled, session.Completed}) {
		t.Errorf("the turns ended as %v", ends)
	}
	events, err := k.log.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	said := decoded[session.AssistantMessage](t, events, session.TypeAssistantMessage)
	if last := said[len(said)-1]; last.Text != "heard and now" {
		t.Errorf("it said %q", last.Text)
	}
}
