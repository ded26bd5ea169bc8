package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// questioner asks with these arguments, and repeats what it is told.
func questioner(args string) modelFunc {
	return func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
		if last := p.Messages[len(p.Messages)-1]; last.Role == model.ToolRole {
			return model.Reply{Text: last.Text}, nil
		}
		return model.Reply{Calls: []model.Call{{Name: agent.AskUserName, Args: tool.JSON(args)}}}, nil
	}
}

func TestAPersonsAnswerToAQuestionIsToldApart(t *testing.T) {
	const form = `{"question":"Which one?","schema":{"type":"object","properties":{"port":{"type":"integer","minimum":1}},"required":["port"]}}`
	by := approval.By{Subject: "ada"}
	for name, c := range map[string]struct {
		args   string
		answer approval.Response
		want   string
	}{
		"accepted":                      {form, approval.Response{Status: approval.Approved, FormData: tool.JSON(`{"port": 80}`), By: by}, `{"port":80}`},
		"declined":                      {form, approval.Response{Status: approval.Denied, By: by}, "ada declined to answer."},
		"declined with words":           {form, approval.Response{Status: approval.Denied, Message: "guess", By: by}, "ada declined to answer: guess"},
		"dismissed":                     {form, approval.Response{Status: approval.Cancelled, By: by}, "ada dismissed the question without answering."},
		"an answer that does not fit":   {form, approval.Response{Status: approval.Approved, FormData: tool.JSON(`{"port":0}`), By: by}, "Not run: asking for approval failed"},
		"an answer without the field":   {form, approval.Response{Status: approval.Approved, By: by}, "Not run: asking for approval failed"},
		"a text where no form is given": {`{"question":"Why?"}`, approval.Response{Status: approval.Approved, FormData: tool.JSON(`{"answer":"so"}`), By: by}, `{"answer":"so"}`},
		"a form that is not valid":      {`{"question":"Why?","schema":{"type":"string"}}`, approval.Response{}, `schema: want a schema with "type": "object"`},
	} {
		t.Run(name, func(t *testing.T) {
			var asked approval.Request
			k := newKit(t, agent.Config{Model: questioner(c.args), Handler: approval.HandlerFunc(
				func(_ context.Context, r approval.Request) (approval.Response, error) {
					asked = r
					return c.answer, nil
				})})
			if err := k.Add(agent.AskUser(k.runtime.Approvals)); err != nil {
				t.Fatal(err)
			}
			words, err := k.Run(t.Context(), "", "go")
			if err != nil || !strings.HasPrefix(words, c.want) {
				t.Errorf("the model reads %q, %v", words, err)
			}
			if c.answer.Status != "" && (asked.Type != approval.Elicitation || len(asked.Scopes) != 1 || asked.Message == "") {
				t.Errorf("asked was %+v", asked)
			}
		})
	}
}

func TestAQuestionOutlivesTheAgent(t *testing.T) {
	k := newKit(t, agent.Config{Model: questioner(`{"question":"Why?"}`), Handler: silent()})
	if err := k.Add(agent.AskUser(k.runtime.Approvals)); err != nil {
		t.Fatal(err)
	}
	id := k.asking(t, 1)
	k.Stop(0)
	before, err := k.runtime.Approvals.Pending(t.Context(), id)
	if err != nil || len(before) != 1 {
		t.Fatalf("after the stop: %+v, %v", before, err)
	}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := k.Resume(id); err != nil {
		t.Fatal(err)
	}
	heard := k.bus.Subscribe(64, session.Events)
	defer heard.Close()
	row, err := k.runtime.Approvals.Decide(t.Context(), ada(), approval.Response{
		ApprovalID: before[0].ApprovalID, Status: approval.Approved, FormData: tool.JSON(`{"answer":"so"}`),
	})
	if err != nil || row.Run != approval.RunFinished {
		t.Fatalf("answered: %+v, %v", row, err)
	}
	for over := false; !over; {
		e, err := heard.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		event, _ := session.Events.From(e)
		over = event.Type == session.TypeTurnFinished
	}
	if results := k.results(t, id); len(results) == 0 || results[0] != `{"answer":"so"}` {
		t.Errorf("the results are %v", results)
	}
}
