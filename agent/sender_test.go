package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// A call is on the word of everyone who has said something since the agent was
// last done, and of nobody who spoke before.
func TestACallNamesThoseWhoseMessagesTheAgentIsAtWorkOn(t *testing.T) {
	var k *kit
	var id string
	replies := 0
	k = newKit(t, agent.Config{Handler: byArgs(), Model: modelFunc(
		func(_ context.Context, _ model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			replies++
			call := model.Reply{Calls: []model.Call{{Name: "note", Args: tool.JSON(`{"text":"ok"}`)}}}
			switch replies {
			case 1: // what ada said
				return call, nil
			case 3: // what bob said, and in the middle of it, carol
				carol := auth.Identity{Subject: "carol", Roles: []auth.Role{auth.Operator}}
				if _, err := k.Send(context.Background(), carol, id, "and quickly"); err != nil {
					return model.Reply{}, err
				}
				return call, nil
			case 4:
				return call, nil
			}
			return model.Reply{Text: "done"}, nil
		})})
	id = k.session(t)
	for _, subject := range []string{"ada", "bob"} {
		ended := k.bus.Subscribe(64, session.Events)
		if _, err := k.Send(t.Context(), auth.Identity{Subject: subject, Roles: []auth.Role{auth.Operator}}, id, "go"); err != nil {
			t.Fatal(err)
		}
		for over := false; !over; {
			e, err := ended.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s, _ := session.Events.From(e)
			over = s.Type == session.TypeTurnFinished
		}
		ended.Close()
	}
	rows, err := k.runtime.Approvals.Find(t.Context(), approval.Query{SessionID: id})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range rows {
		got = append(got, row.SentBy)
	}
	want := [][]string{{"ada"}, {"bob", "carol"}, {"bob", "carol"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the calls are on the word of %v, want %v", got, want)
	}
}
