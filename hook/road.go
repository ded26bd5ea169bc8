package hook

import (
	"context"
	"errors"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

// Respond asks a gateway about the call that an agent has written to its hook, and returns
// what the agent is to read; of a call that has run it reports the result. q has what the
// agent doesn't tell, such as whose rules apply.
func (a Agent) Respond(ctx context.Context, gateway *client.Client, q client.Question, raw []byte) (answer []byte, c Call, err error) {
	c, err = a.Read(raw)
	if err != nil {
		return nil, c, err
	}
	if c.After {
		return nil, c, Report(ctx, gateway, c)
	}
	o, err := a.Clear(ctx, gateway, q, c)
	if err != nil {
		return nil, c, err
	}
	answer, err = a.Answer(c, o)
	return answer, c, err
}

// Clear asks about a call in the run of its session, waits, and takes the right to run it.
func (a Agent) Clear(ctx context.Context, gateway *client.Client, q client.Question, c Call) (Outcome, error) {
	if c.Session != "" {
		run, err := gateway.BeginRun(ctx, client.RunOf{AgentID: q.AgentID, Client: a.Name, Name: c.Session, WorkingDirectory: c.Directory})
		if err != nil {
			return Outcome{}, err
		}
		q.SessionID = run.ID
	}
	q.Client, q.ToolName, q.Args, q.WorkingDirectory = a.Name, c.Tool, c.Args, c.Directory
	q.Key, q.Editable = c.ID, !a.NoEdits
	if c.SubAgent != "" {
		q.Metadata = map[string]string{"sub-agent": c.SubAgent}
	}
	args, row, err := gateway.Clear(ctx, q)
	if refused, is := errors.AsType[*client.Refused](err); is {
		return Outcome{Reason: refused.Error()}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	by := ""
	if row.Response != nil {
		by = row.Response.By.Subject
	}
	return Approved(c, args, by)
}

// Report reports the result of a call that Clear has cleared, if the agent names its calls.
func Report(ctx context.Context, gateway *client.Client, c Call) error {
	if c.ID == "" {
		return nil
	}
	rows, err := gateway.Asked(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Run == approval.RunClaimed && row.Origin.Run == c.Session && row.ToolName == c.Tool {
			_, err := gateway.Report(ctx, row.ApprovalID, c.Result)
			return err
		}
	}
	return nil
}
