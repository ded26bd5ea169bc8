package agent_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

// ofAPackage matches what only somebody at work on this code can make sense of.
var ofAPackage = regexp.MustCompile(`(^|: )(agent|approval|gate|session|tool|mcp|store|policy|model|auth|terminal|strictjson): `)

// odd is a tool that goes wrong in a way of its own.
type odd struct {
	name string
	run  func() (tool.Result, error)
	now  error
}

func (o odd) Spec() tool.Spec { return tool.Spec{Name: o.name} }

func (o odd) Run(context.Context, tool.Call) (tool.Result, error) { return o.run() }

func (o odd) Now(context.Context, string) (tool.Tool, error) { return o, o.now }

func TestNoTextForAModelHasTheNameOfAPackageInIt(t *testing.T) {
	failing := func(err error) approval.Handler {
		return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) { return approval.Response{}, err })
	}
	wrapped := fmt.Errorf("gate: call: %w", errors.New("why it is"))
	for name, c := range map[string]struct {
		call   string
		config agent.Config
		want   string
	}{
		"a tool that does not exist":          {call: `nosuch {}`, want: `no such tool: "nosuch"; there are: note`},
		"a tool that only clients have":       {call: `client.requestApproval {"approvalId":"a"}`, want: `no such tool: "client.requestApproval"`},
		"arguments that the tool can't take":  {call: `ask_user {}`, config: agent.Config{Tools: []agent.Tool{agent.AskUser(nil)}}, want: "the arguments can't be used"},
		"arguments that are no JSON":          {call: `note {`, want: "the arguments can't be used"},
		"a form that can't be shown":          {call: `ask_user {"question":"q","schema":{"type":"array"}}`, config: agent.Config{Tools: []agent.Tool{agent.AskUser(nil)}}, want: "schema: "},
		"a tool that fails":                   {call: `odd {}`, config: with(odd{run: func() (tool.Result, error) { return tool.Result{}, wrapped }}), want: "The tool odd failed: call: why it is"},
		"a tool that breaks":                  {call: `odd {}`, config: with(odd{run: func() (tool.Result, error) { panic(wrapped) }}), want: "The tool odd broke while it ran: call: why it is"},
		"a tool that is gone":                 {call: `odd {}`, config: with(odd{now: wrapped}), want: "is not what was approved: call: why it is"},
		"a handler that fails":                {call: `note {}`, config: agent.Config{Handler: failing(wrapped)}, want: "the approval handler failed: call: why it is"},
		"a handler that asks nobody":          {call: `note {}`, config: agent.Config{Handler: failing(approval.ErrNobody)}, want: "nobody can be asked"},
		"a handler that answers with a fault": {call: `note {}`, config: agent.Config{Handler: answering(approval.Response{Status: "perhaps"})}, want: "the approval handler failed: "},
		"a handler that offers too much":      {call: `note {}`, config: agent.Config{Handler: answering(approval.Response{Status: approval.Approved, Scope: "forever"})}, want: "the approval handler failed: "},
		"a call that the mode denies":         {call: `note {}`, config: agent.Config{Mode: approval.AutoDeny}, want: "Denied by the policy: mode auto-deny"},
		"a call that a person denies":         {call: `note {}`, config: agent.Config{Handler: answering(approval.Response{Status: approval.Denied, Message: "no"})}, want: "Denied by handler: no"},
	} {
		t.Run(name, func(t *testing.T) {
			tool, args, _ := strings.Cut(c.call, " ")
			c.config.Model = modelFunc(func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
				if last := p.Messages[len(p.Messages)-1]; last.Role != model.User {
					return model.Reply{Text: last.Text}, nil
				}
				return model.Reply{Calls: []model.Call{{Name: tool, Args: []byte(args)}}}, nil
			})
			if c.config.Handler == nil {
				c.config.Handler = answering(approval.Response{Status: approval.Approved})
			}
			k := newKit(t, c.config)
			id := k.session(t)
			if _, err := k.Run(t.Context(), id, "go"); err != nil {
				t.Fatal(err)
			}
			for _, text := range k.results(t, id) {
				if ofAPackage.MatchString(text) || !strings.Contains(text, c.want) {
					t.Errorf("the model reads %q, want %q", text, c.want)
				}
			}
		})
	}
}

func answering(r approval.Response) approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) { return r, nil })
}

func with(o odd) agent.Config {
	o.name = "odd"
	return agent.Config{Tools: []agent.Tool{{Tool: o}}}
}

func TestAnAgentThatHandsOnReadsNoNameOfAPackageEither(t *testing.T) {
	runtime := newKit(t, agent.Config{Handler: silent(), Model: asks()}).runtime
	child, err := agent.New(agent.Config{ID: "child", Mode: approval.AutoApprove, Model: modelFunc(
		func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
			return model.Reply{}, errors.New("model: session: out of order")
		})}, agent.Options{Runtime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	parent, err := agent.New(agent.Config{ID: "parent", Mode: approval.AutoApprove, Tools: []agent.Tool{{Tool: child.Delegate()}}, Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if last := p.Messages[len(p.Messages)-1]; last.Role == model.ToolRole {
				read <- last.Text
				return model.Reply{Text: "so"}, nil
			}
			return model.Reply{Calls: []model.Call{{Name: "ask_child", Args: tool.JSON(`{"task":"look"}`)}}}, nil
		})}, agent.Options{Runtime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*agent.Agent{child, parent} {
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer a.Stop(0)
	}
	if _, err := parent.Run(t.Context(), "", "go"); err != nil {
		t.Fatal(err)
	}
	if text := <-read; text != "The agent child did not finish: out of order" {
		t.Errorf("it reads %q", text)
	}
}
