package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
)

func TestWhatAModelWouldBeSentIsWhatItIsSent(t *testing.T) {
	var sent []model.Prompt
	calling := asks(`{"text":"ok"}`, `{"text":"no"}`)
	k := newKit(t, agent.Config{Handler: byArgs(), Instructions: "Be careful.", Model: modelFunc(
		func(ctx context.Context, p model.Prompt, say func(model.Delta)) (model.Reply, error) {
			sent = append(sent, p)
			r, err := calling(ctx, p, say)
			if len(r.Calls) > 0 {
				r.Calls = append(r.Calls, model.Call{Name: "client.requestApproval"})
			}
			return r, err
		})})
	id := k.session(t)
	if _, err := k.Run(t.Context(), id, "go"); err != nil {
		t.Fatal(err)
	}
	events, err := k.log.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var before []session.Event // up to the last reply
	for _, e := range events {
		if e.Type == session.TypeAssistantMessage && len(sent) > 1 && strings.Contains(string(e.Data), " | ") {
			break
		}
		before = append(before, e)
	}
	got, err := agent.NewRoster(k.runtime, k.Agent).Prompt(t.Context(), id, before)
	if diff := cmp.Diff(sent[len(sent)-1], got); err != nil || diff != "" {
		t.Errorf("%v (-sent +shown):\n%s", err, diff)
	}
	if len(sent) != 2 || !strings.HasPrefix(got.System, "Be careful.") || len(got.Messages) != 5 {
		t.Errorf("it is %+v, of %d prompts", got, len(sent))
	}
}
