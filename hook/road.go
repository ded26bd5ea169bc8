package hook

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
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
		return nil, c, a.Report(ctx, gateway, c)
	}
	o, err := a.Clear(ctx, gateway, q, c)
	if err != nil {
		return nil, c, err
	}
	answer, err = a.Answer(c, o)
	return answer, c, err
}

// Clear asks about a call in the run of its session, waits, and takes the right to run it,
// once. A question in words is answered, and there is nothing to take.
func (a Agent) Clear(ctx context.Context, gateway *client.Client, q client.Question, c Call) (Outcome, error) {
	if err := Harmless(ctx, gateway); err != nil {
		return Outcome{}, err
	}
	if c.Session != "" {
		of := client.RunOf{AgentID: q.AgentID, Client: a.Name, Name: c.run(), WorkingDirectory: c.Directory}
		if c.SubAgent != "" {
			of.Parent = a.Name + " / " + c.SubAgent
		}
		run, err := gateway.BeginRun(ctx, of)
		if err != nil {
			return Outcome{}, err
		}
		q.SessionID = run.ID
	}
	q.Client, q.ToolName, q.Args, q.WorkingDirectory = a.Name, c.Tool, c.Args, c.Directory
	q.Type, q.Key, q.Editable = approval.ToolConfirmation, a.key(c), !a.NoEdits
	q.Metadata = map[string]string{"asked by": a.road()}
	if c.Refused != "" {
		c.Words = a.Name + " has refused this call itself: " + c.Refused + ". Let it try once more?"
	}
	if c.Words != "" {
		q.Type, q.Key, q.Editable, q.Message = approval.Custom, "", false, c.Words
	}
	o, err := ask(ctx, gateway, q, c)
	if told, is := errors.AsType[*client.Problem](err); is && told.Code == "conflict" {
		// The id has been used: this is another call, though it may look the same.
		q.Key = ""
		o, err = ask(ctx, gateway, q, c)
	}
	return o, err
}

// key names the call. An agent's host and its hook make separate requests, even for the same
// call: anything that could join them could be forged by the agent.
func (a Agent) key(c Call) string {
	if c.ID == "" || !a.Host {
		return c.ID
	}
	return "host/" + c.ID
}

func (a Agent) road() string {
	if a.Host {
		return "the agent's host"
	}
	return "the agent's hook"
}

// ask makes one request. A request of another type under the same key is a conflict.
func ask(ctx context.Context, gateway *client.Client, q client.Question, c Call) (Outcome, error) {
	row, err := gateway.AskAndWait(ctx, q)
	if err != nil {
		return Outcome{}, err
	}
	if row.Type != q.Type {
		return Outcome{}, &client.Problem{Code: "conflict", Detail: "the call's id names another request"}
	}
	args := c.Args
	switch {
	case row.Status != approval.Approved:
		return Outcome{Reason: (&client.Refused{Approval: row}).Error()}, nil
	case q.Type == approval.ToolConfirmation:
		args, err = gateway.ClaimAnswered(ctx, row)
	}
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

// Harmless returns an error for a credential that may answer: an agent that gets hold of it
// could approve its own calls; and for one that may not ask, with which every call would be denied.
func Harmless(ctx context.Context, gateway *client.Client) error {
	me, err := gateway.Me(ctx)
	if err == nil && me.May(auth.Answer) {
		err = fmt.Errorf("%s may answer requests, and an agent could use that to approve its own calls: set LINECLEAR_TOKEN to a token "+
			"with the role agent, or remove gateway.localKey from the configuration", me.Subject)
	}
	if err == nil && !me.May(auth.Ask) {
		err = fmt.Errorf("%s may not ask for approvals (%s): set LINECLEAR_TOKEN to a token with the role agent", me.Subject, auth.RoleWords(me.Roles, " and "))
	}
	return err
}

// run is the name of the run in which the call is asked about: each sub-agent has its own.
func (c Call) run() string {
	if c.SubAgent == "" {
		return c.Session
	}
	return c.Session + " / " + c.SubAgent
}

// Report reports the result of a call that Clear has cleared, if the agent names its calls.
func (a Agent) Report(ctx context.Context, gateway *client.Client, c Call) error {
	if c.ID == "" {
		return nil
	}
	rows, err := gateway.Asked(ctx, a.key(c))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Run == approval.RunClaimed && row.Origin.Run == c.run() && row.ToolName == c.Tool {
			_, err := gateway.Report(ctx, row.ApprovalID, c.Result)
			return err
		}
	}
	return nil
}
