package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// DelegateName is the name of the tool with which an agent hands work to
// another one.
func DelegateName(agentID string) string { return "ask_" + agentID }

// Delegate is the agent as a tool of other agents. Each call is a session of
// its own, with the call's id, below the one that asks: its requests show the
// path, no grant of the parent covers them, and it is cancelled with the call.
// After a restart the call is entered again and waits for the same session.
func (a *Agent) Delegate() tool.Tool { return delegate{a} }

type delegate struct{ to *Agent }

// Spec implements tool.Tool.
func (d delegate) Spec() tool.Spec {
	return tool.Spec{
		Name:        DelegateName(d.to.config.ID),
		Description: "Hands a task to the agent " + d.to.config.ID + " and returns its answer. " + d.to.config.Description,
		Schema: jsontext.Value(`{"type":"object","properties":{"task":{"type":"string","minLength":1,` +
			`"description":"what it is to do, with everything it needs to know"}},"required":["task"],"additionalProperties":false}`),
		Resume: tool.ResumeReenter,
	}
}

// Run implements tool.Tool.
func (d delegate) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		Task string `json:"task"`
	}
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return tool.Result{}, err
	}
	if err := d.begin(ctx, call, args.Task); err != nil {
		return tool.Result{}, err
	}
	t, err := d.to.rouse(call.ID)
	if errors.Is(err, ErrNotStarted) {
		return tool.Result{}, tool.ErrSuspended // stopped before the asker was
	}
	if err != nil {
		return tool.Result{}, err
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		var why *cancelled
		if !errors.As(context.Cause(ctx), &why) {
			return tool.Result{}, tool.ErrSuspended
		}
		d.to.interrupt(call.ID, why)
		<-t.done
	}
	switch {
	case errors.Is(t.err, ErrStopping):
		return tool.Result{}, tool.ErrSuspended
	case t.err != nil:
		return tool.Failed(fmt.Sprintf("The agent %s did not finish: %v", d.to.config.ID, t.err)), nil
	}
	return tool.Result{Text: t.words}, nil
}

// begin makes the call's session and says the task in it, as far as that has
// not been done before a restart.
func (d delegate) begin(ctx context.Context, call tool.Call, task string) error {
	sessions := d.to.runtime.Sessions
	s, err := sessions.Get(ctx, call.ID)
	if errors.Is(err, session.ErrUnknown) {
		s, err = sessions.Create(ctx, session.Session{
			ID: call.ID, AgentID: d.to.config.ID, ParentID: call.SessionID, Title: task, CreatedBy: call.AgentID,
			Path: cmp.Or(call.Path, call.AgentID) + " › " + d.to.config.ID,
		})
	}
	if err != nil || s.Seq > 1 {
		return err
	}
	_, err = sessions.Append(ctx, call.ID, session.UserMessage{Text: task, By: call.AgentID})
	return err
}
