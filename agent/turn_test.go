package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func TestACallThatIsNoJSONSpoilsNeitherTheTurnNorItsNeighbours(t *testing.T) {
	for _, bad := range []string{`{"text":"abc`, `{"text":1,"text":2}`, `nonsense`, `[]`, "\xff"} {
		k := newKit(t, agent.Config{Handler: byArgs(), Model: asks(`{"text":"ok"}`, bad)})
		words, err := k.Run(t.Context(), "", "go")
		if err != nil || !strings.HasPrefix(words, "noted ok | Not run: the arguments can't be used") {
			t.Errorf("%q: the agent said %q, %v", bad, words, err)
		}
	}
}

func TestACharacterThatIsCutInTwoArrivesWhole(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(_ context.Context, _ model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
			for _, piece := range []string{"caf\xc3", "\xa9 \xf0\x9f", "\x98\x80", "\xff!"} {
				onDelta(model.Delta{Text: piece})
			}
			return model.Reply{Text: "café 😀\xff!"}, nil
		})})
	sub := k.bus.Subscribe(16, session.Deltas)
	defer sub.Close()
	words, err := k.Run(t.Context(), "", "go")
	if err != nil || words != "café 😀\uFFFD!" {
		t.Errorf("the whole is %q, %v", words, err)
	}
	said := ""
	for said != words {
		e, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d, _ := session.Deltas.From(e)
		if said += d.Text; !strings.HasPrefix(words, said) {
			t.Fatalf("the pieces make %q", said)
		}
	}
}

// What is said while a turn is being stopped, or fails, is answered by the next.
func TestWhatIsSaidAsATurnEndsBadlyIsAnswered(t *testing.T) {
	busy, fail := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	k := newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if calls.Add(1) == 1 {
				close(busy)
				<-fail
				return model.Reply{}, errors.New("502")
			}
			return model.Reply{Text: "re: " + p.Messages[len(p.Messages)-1].Text}, nil
		})})
	id := k.session(t)
	if _, err := k.Send(t.Context(), ada(), id, "one"); err != nil {
		t.Fatal(err)
	}
	<-busy
	answered := make(chan string, 1)
	said := k.bus.Subscribe(8, session.Events)
	defer said.Close()
	go func() {
		words, err := k.Run(context.Background(), id, "two")
		if err != nil {
			words = err.Error()
		}
		answered <- words
	}()
	for { // until the message is in the journal
		e, err := said.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s, _ := session.Events.From(e); s.Type == session.TypeUserMessage {
			break
		}
	}
	close(fail)
	if got := <-answered; got != "re: two" {
		t.Errorf("got %q", got)
	}
}

func TestACancelledTurnStartsNothingMore(t *testing.T) {
	var k *kit
	var id string
	k = newKit(t, agent.Config{Mode: approval.AutoApprove, Model: modelFunc(
		func(ctx context.Context, _ model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			go func() { _ = k.Cancel(context.Background(), ada(), "test", id) }()
			<-ctx.Done() // the cancel comes as the reply is whole
			return model.Reply{Calls: []model.Call{{Name: "note", Args: tool.JSON(`{"text":"late"}`)}}}, nil
		})})
	id = k.session(t)
	if words, err := k.Run(t.Context(), id, "go"); err == nil {
		t.Errorf("it ended well, with %q", words)
	}
	if ran := k.note.all(); len(ran) != 0 {
		t.Errorf("%v ran after the cancel", ran)
	}
	if s, _ := k.log.Get(t.Context(), id); s.Status != session.StatusCancelled {
		t.Errorf("the session is %s", s.Status)
	}
	k.results(t, id)
}

func TestTheLimitOfRoundsIsForOneMessage(t *testing.T) {
	var k *kit
	var id string
	said := 0
	k = newKit(t, agent.Config{Handler: byArgs(), MaxTurns: 2, Model: modelFunc(
		func(_ context.Context, _ model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if said++; said < 6 { // another message comes while each is answered
				if _, err := k.Send(context.Background(), ada(), id, "more"); err != nil {
					return model.Reply{}, err
				}
			}
			return model.Reply{Text: "yes"}, nil
		})})
	id = k.session(t)
	if _, err := k.Run(t.Context(), id, "go"); err != nil || said != 6 {
		t.Errorf("it answered %d of 6, %v", said, err)
	}
}

func TestASessionThatIsEndedIsOver(t *testing.T) {
	k := newKit(t, agent.Config{Handler: silent(), Model: asks(`{"text":"x"}`)})
	id := k.asking(t, 1)
	for range 2 {
		if err := k.End(t.Context(), ada(), "test", id); err != nil {
			t.Fatal(err)
		}
	}
	s, err := k.log.Get(t.Context(), id)
	if err != nil || s.Status != session.StatusCancelled || s.Ended != session.Cancelled || len(s.PendingApprovals) != 0 {
		t.Errorf("the session is %+v, %v", s, err)
	}
	k.results(t, id)
	if _, err := k.Send(t.Context(), ada(), id, "more"); !errors.Is(err, session.ErrEnded) {
		t.Errorf("another message: %v", err)
	}
}

func TestWhatAnEndedSessionHadOpenIsClosedAtTheNextStart(t *testing.T) {
	k := newKit(t, agent.Config{Handler: silent(), Model: asks(`{"text":"x"}`)})
	id := k.asking(t, 1)
	k.Stop(0)
	// The process died between the session's end and its turn's.
	if _, err := k.log.Append(t.Context(), id, session.Ended{Outcome: session.Cancelled, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := agent.NewRoster(k.runtime, k.Agent).Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := k.log.Get(t.Context(), id)
	if err != nil || s.TurnOpen || len(s.PendingApprovals) != 0 || s.Status != session.StatusCancelled {
		t.Errorf("the session is %+v, %v", s, err)
	}
	k.results(t, id)
}
