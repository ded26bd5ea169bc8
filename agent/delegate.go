package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

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
		Schema: tool.JSON(`{"type":"object","properties":{"task":{"type":"string","minLength":1,` +
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
		if why := cancelledBy(ctx); why != nil {
			return tool.Result{}, why
		}
		return tool.Result{}, tool.ErrSuspended // the store fails, or the gateway stops: it is tried again
	}
	for {
		result, over, err := d.outcome(ctx, call.ID)
		if over || err != nil {
			return result, err
		}
		t, err := d.to.join(call.ID)
		if err != nil {
			return tool.Result{}, tool.ErrSuspended // it was stopped before the asker was
		}
		select {
		case <-t.done:
			if errors.Is(t.err, ErrStopping) {
				return tool.Result{}, tool.ErrSuspended
			}
		case <-ctx.Done():
			why := cancelledBy(ctx)
			if why == nil {
				return tool.Result{}, tool.ErrSuspended
			}
			if last := d.to.interrupt(call.ID, why); last != nil {
				<-last.done
			}
			return tool.Result{}, why
		}
	}
}

// outcome reads from the journal what has come of the task, and whether it is
// over: a task that is over is not begun again, whatever the process lived
// through.
func (d delegate) outcome(ctx context.Context, id string) (r tool.Result, over bool, err error) {
	var conv session.Conversation
	if err := d.to.runtime.catchUp(context.WithoutCancel(ctx), id, &conv); err != nil {
		return r, false, tool.ErrSuspended
	}
	switch {
	case conv.Waiting():
		return r, false, nil
	case conv.Last.Outcome == session.Completed:
		return tool.Result{Text: conv.LastWords()}, true, nil
	default:
		return tool.Failed(fmt.Sprintf("The agent %s did not finish: %s", d.to.config.ID, conv.Last.Message)), true, nil
	}
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
	_, err = sessions.Append(ctx, call.ID, session.UserMessage{Text: task, By: call.AgentID, SentBy: call.SentBy, Traceparent: call.Traceparent})
	return err
}
