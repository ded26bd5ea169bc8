package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Toolset is a group of tools that may change while the agent runs, such as
// those of a server. Each session has its own.
type Toolset struct {
	Name   string // for people and the model
	Server string // whose tools these are, where they are a server's
	Prefix string // with which the names of its tools begin
	Terms  gate.SetTerms
	// Tools returns the tools as a session has them now. It may take as long as
	// it takes to start what they are of.
	Tools func(ctx context.Context, sessionID string) ([]tool.Tool, error)
}

// refresh offers the session what the toolsets have now. Of one that can't be
// had, the tools stay as they were in this turn, and the model is told that: not
// why, since the words for it are a stranger's.
func (a *Agent) refresh(ctx context.Context, t *turn) error {
	t.missing, t.absent = nil, nil
	found := make([][]tool.Tool, len(a.config.Toolsets))
	errs := make([]error, len(a.config.Toolsets))
	var asked sync.WaitGroup
	for i, set := range a.config.Toolsets { // side by side: each may have to start something
		asked.Go(func() { found[i], errs[i] = set.list(ctx, t.sessionID) })
	}
	asked.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	changed := false
	for i, set := range a.config.Toolsets {
		if errs[i] != nil {
			t.missing = append(t.missing, fmt.Sprintf("The tools of %s can't be used at the moment.", set.Name))
			t.absent = append(t.absent, set.Prefix)
			continue
		}
		other, left := a.gate.SetSessionTools(t.sessionID, set.Name, found[i])
		if len(left) > 0 {
			t.missing = append(t.missing, fmt.Sprintf("Tools of %s that can't be used: %s.", set.Name, strings.Join(left, ", ")))
		}
		changed = changed || other
	}
	if !changed {
		return nil
	}
	// What was remembered of a tool is over when it has become another.
	return a.runtime.Approvals.EndOutdated(ctx, func(string) bool { return false })
}

// list asks a set for its tools; one that panics has none.
func (s Toolset) list(ctx context.Context, sessionID string) (tools []tool.Tool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("agent: tools of %s: %v", s.Name, fault)
		}
	}()
	return s.Tools(ctx, sessionID)
}

// lookAgain is how long a call waits for its tool before it is looked for again.
const lookAgain = time.Second

// ready are the calls that can be brought to a result now. The others were put
// to a person, or approved, by an earlier process, and their tools are not there
// yet: their answers are worth waiting for, as long as their requests wait.
func (a *Agent) ready(ctx context.Context, t *turn, calls []session.ToolCall) ([]session.ToolCall, error) {
	var now []session.ToolCall
	for _, c := range calls {
		late, err := a.late(ctx, t, c)
		if err != nil {
			return nil, err
		}
		if !late {
			now = append(now, c)
		}
	}
	return now, nil
}

func (a *Agent) late(ctx context.Context, t *turn, c session.ToolCall) (bool, error) {
	absent := slices.ContainsFunc(t.absent, func(prefix string) bool { return strings.HasPrefix(c.Name, prefix) })
	if !absent || a.tools.find(t.sessionID, c.Name) != nil {
		return false, nil
	}
	rows, err := a.runtime.Approvals.Find(ctx, approval.Query{SessionID: t.sessionID, ToolCallID: c.ID})
	return slices.ContainsFunc(rows, approval.Approval.Open), err
}
