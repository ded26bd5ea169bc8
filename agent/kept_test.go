package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// counted counts the events that are read.
type counted struct {
	session.Log
	read atomic.Int64
}

func (c *counted) Events(ctx context.Context, id string, after int64, limit int) ([]session.Event, error) {
	events, err := c.Log.Events(ctx, id, after, limit)
	c.read.Add(int64(len(events)))
	return events, err
}

func TestATurnReadsWhatWasJournaledSinceTheLast(t *testing.T) {
	k := newKit(t, agent.Config{Handler: byArgs(), Model: asks(`{"text":"ok"}`)})
	log := &counted{Log: k.runtime.Sessions}
	k.runtime.Sessions = log
	id := k.session(t)
	turn := func() int64 {
		log.read.Store(0)
		if _, err := k.Run(t.Context(), id, "go"); err != nil {
			t.Fatal(err)
		}
		return log.read.Load()
	}
	turn()
	second := turn()
	for range 20 {
		turn()
	}
	if last := turn(); last != second {
		t.Errorf("the second turn reads %d events, one much later %d", second, last)
	}
}

func TestAgentsOfARuntimeKeepABoundedNumberOfBytesTogether(t *testing.T) {
	says := modelFunc(func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
		return model.Reply{Text: "so it is"}, nil
	})
	k := newKit(t, agent.Config{Handler: byArgs(), Model: says})
	other, err := agent.New(agent.Config{ID: "other", Model: says, Handler: byArgs()}, agent.Options{Runtime: k.runtime})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer other.Stop(0)
	const each = 3 << 20
	for range 4 {
		for _, a := range []*agent.Agent{k.Agent, other} {
			if _, err := a.Run(t.Context(), "", strings.Repeat("x", each)); err != nil {
				t.Fatal(err)
			}
			if kept := agent.Kept(k.runtime); kept < each || kept > agent.MaxKept {
				t.Errorf("%d bytes are kept", kept)
			}
		}
	}
}

// What is kept between turns must not show: a model is sent what the journal says.
func TestAPromptIsThatOfTheJournalHoweverMuchIsKept(t *testing.T) {
	for name, c := range map[string]agent.Config{
		"all of it":             {},
		"within a small budget": {ContextTokens: 900},
		"long results, cut":     {ResultBytes: 40},
	} {
		t.Run(name, func(t *testing.T) {
			var roster *agent.Roster
			var k *kit
			var id string
			turns := 0
			var spoke atomic.Bool
			c.Handler, c.ModelName = byArgs(), "m"
			c.Model = modelFunc(func(ctx context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
				events, err := k.log.Events(ctx, id, 0, 0)
				if err != nil {
					return model.Reply{}, err
				}
				want, err := roster.Prompt(ctx, id, events)
				if err != nil {
					return model.Reply{}, err
				}
				if diff := cmp.Diff(want, p); diff != "" {
					t.Errorf("turn %d: (-journal +sent)\n%s", turns, diff)
				}
				kept := tool.JSON(fmt.Sprintf(`"thought of turn %d"`, turns))
				if p.Messages[len(p.Messages)-1].Role != model.User {
					return model.Reply{Text: "so it is", Kept: kept}, nil
				}
				if turns == 3 && spoke.CompareAndSwap(false, true) { // somebody speaks while the agent is at work
					if _, err := k.log.Append(ctx, id, session.UserMessage{Text: "and that", By: "ben"}); err != nil {
						return model.Reply{}, err
					}
				}
				text := strings.Repeat("ok ", 1+turns%5*10)
				return model.Reply{Kept: kept, Calls: []model.Call{{ID: "a", Name: "note", Args: tool.JSON(fmt.Sprintf(`{"text":%q}`, text))}}}, nil
			})
			k = newKit(t, c)
			roster = agent.NewRoster(k.runtime, k.Agent)
			id = k.session(t)
			for turns = range 12 {
				if _, err := k.Run(t.Context(), id, fmt.Sprint("go ", turns)); err != nil {
					t.Fatal(err)
				}
				if turns == 6 { // a turn that fails is not kept, and the next one reads all of it again
					ctx, cancel := context.WithCancel(t.Context())
					cancel()
					_, _ = k.Run(ctx, id, "never mind")
				}
			}
		})
	}
}
