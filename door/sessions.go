package door

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/transcript"
)

// Session returns one session.
func (d *Door) Session(ctx context.Context, id string) (Session, error) {
	s, err := d.b.Sessions.Get(ctx, id)
	return d.session(s), err
}

// Head returns the session without its pending approvals; see session.Log.
func (d *Door) Head(ctx context.Context, id string) (Session, error) {
	s, err := d.b.Sessions.Head(ctx, id)
	return d.session(s), err
}

// Sessions returns the sessions that a query names and the identity may know of,
// newest first.
func (d *Door) Sessions(ctx context.Context, who auth.Identity, q session.Query) ([]Session, error) {
	if !who.May(auth.See) {
		return nil, auth.ErrForbidden
	}
	q.Agents = who.Agents
	list, err := d.b.Sessions.List(ctx, q)
	views := make([]Session, len(list))
	for i, s := range list {
		views[i] = d.session(s)
	}
	return views, err
}

// AgentOf is the agent that a session is with.
func (d *Door) AgentOf(ctx context.Context, sessionID string) (agentID string, err error) {
	s, err := d.b.Sessions.Head(ctx, sessionID)
	return s.AgentID, err
}

// InScope returns session.ErrUnknown for a session that the identity may not know
// of, as if there were none.
func (d *Door) InScope(ctx context.Context, who auth.Identity, sessionID string) error {
	if len(who.Agents) == 0 {
		return nil
	}
	s, err := d.b.Sessions.Head(ctx, sessionID)
	if err == nil && !who.Covers(s.AgentID) {
		err = fmt.Errorf("%w: %q", session.ErrUnknown, sessionID)
	}
	return err
}

// Events returns a page of a session's events after a number; see session.Log.
func (d *Door) Events(ctx context.Context, sessionID string, after int64, limit int) ([]Event, error) {
	list, err := d.b.Sessions.Events(ctx, sessionID, after, limit)
	views := make([]Event, len(list))
	for i, e := range list {
		views[i] = d.event(e)
	}
	return views, err
}

// Messages is a session's journal in the shape of OpenAI's chat API.
func (d *Door) Messages(ctx context.Context, sessionID string) ([]transcript.Message, error) {
	events, err := d.masked(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	return transcript.Messages(events)
}

// Sent is what a session's model would be sent now, in the same shape.
func (d *Door) Sent(ctx context.Context, sessionID string) ([]transcript.Message, error) {
	events, err := d.masked(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	prompt, err := d.b.Agents.Prompt(ctx, sessionID, events)
	prompt.System = d.Text(prompt.System)
	return transcript.Sent(prompt), err
}

// masked are all events of a session as people are shown them.
func (d *Door) masked(ctx context.Context, sessionID string) ([]session.Event, error) {
	views, err := d.Events(ctx, sessionID, 0, 0)
	events := make([]session.Event, len(views))
	for i, v := range views {
		events[i] = v.Event
	}
	return events, err
}

// NewSession begins a conversation with an agent.
func (d *Door) NewSession(ctx context.Context, who auth.Identity, agentID, title string) (Session, error) {
	s, err := d.b.Agents.NewSession(ctx, who, agentID, title)
	return d.session(s), err
}

// External returns the session in which a program asks, with or without a run.
func (d *Door) External(ctx context.Context, who auth.Identity, agentID, client string, run *session.Run) (Session, error) {
	s, err := d.b.Agents.External(ctx, who, agentID, client, run)
	return d.session(s), err
}

// EndRun ends a run on behalf of its program.
func (d *Door) EndRun(ctx context.Context, who auth.Identity, sessionID string) error {
	return d.b.Agents.EndRun(ctx, who, sessionID)
}

// Interrupt stops a session's turn; over is closed when nothing of it runs any more.
func (d *Door) Interrupt(ctx context.Context, who auth.Identity, sessionID string) (over <-chan struct{}, err error) {
	if err := d.InScope(ctx, who, sessionID); err != nil {
		return nil, err
	}
	return d.b.Agents.Interrupt(ctx, who, d.via, sessionID)
}

// End ends a session for good.
func (d *Door) End(ctx context.Context, who auth.Identity, sessionID string) error {
	if err := d.InScope(ctx, who, sessionID); err != nil {
		return err
	}
	return d.b.Agents.End(ctx, who, d.via, sessionID)
}

// Send passes a message on to a session's agent, and returns its number in the
// journal. The text of a tool message is refused: it was meant to be an answer.
func (d *Door) Send(ctx context.Context, who auth.Identity, sessionID, text string) (seq int64, err error) {
	if err := d.InScope(ctx, who, sessionID); err != nil {
		return 0, err
	}
	if transcript.IsToolText(text) {
		return 0, transcript.ErrToolText
	}
	return d.b.Agents.Send(ctx, who, sessionID, text)
}

// Said is what became of a line of chat: see transcript.Said.
type Said struct {
	Seq      int64
	Answered []Approval
	Listed   []transcript.Waiting
	Text     string
}

// Say takes a line of chat: as an answer, or as talk for the agent.
func (d *Door) Say(ctx context.Context, who auth.Identity, sessionID, text string, seen int64) (Said, error) {
	if err := d.InScope(ctx, who, sessionID); err != nil {
		return Said{}, err
	}
	said, err := d.chat.Say(ctx, who, d.via, sessionID, text, seen)
	v := Said{Seq: said.Seq, Listed: said.Listed, Text: said.Text}
	for i := range v.Listed {
		v.Listed[i].Message = d.Text(v.Listed[i].Message)
	}
	if err != nil && len(said.Answered) == 1 {
		_, err = d.outcome(said.Answered[0], err)
	}
	for _, row := range said.Answered {
		v.Answered = append(v.Answered, d.approval(row))
	}
	return v, err
}

// Post takes a tool message as the answer to a request of the session. One that
// comes too late is a *Conflict.
func (d *Door) Post(ctx context.Context, who auth.Identity, sessionID string, m transcript.Message) (Approval, error) {
	if err := d.InScope(ctx, who, sessionID); err != nil {
		return Approval{}, err
	}
	row, err := d.chat.Post(ctx, who, d.via, sessionID, m)
	if errors.Is(err, transcript.ErrNotTool) {
		return Approval{}, err
	}
	return d.outcome(row, err)
}
