package agent

import (
	"context"
	"fmt"
	"sort"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Roster is a gateway's agents, and finds whose a session is.
type Roster struct {
	sessions session.Log
	agents   map[string]*Agent
}

// NewRoster makes a roster of agents that share the sessions' log.
func NewRoster(sessions session.Log, agents ...*Agent) *Roster {
	r := &Roster{sessions: sessions, agents: map[string]*Agent{}}
	for _, a := range agents {
		r.agents[a.config.ID] = a
	}
	return r
}

// Start starts every agent, or none.
func (r *Roster) Start(ctx context.Context) error {
	for _, a := range r.agents {
		if err := a.Start(ctx); err != nil {
			r.Stop()
			return err
		}
	}
	return nil
}

// Stop stops every agent and waits for them.
func (r *Roster) Stop() {
	for _, a := range r.agents {
		a.Stop()
	}
}

// Info is what people are told of an agent.
type Info struct {
	AgentID     string        `json:"agentId"`
	Description string        `json:"description,omitempty"`
	Mode        approval.Mode `json:"mode"`
	Tools       []tool.Spec   `json:"tools"`
}

// Agents lists the agents by name.
func (r *Roster) Agents() []Info {
	list := make([]Info, 0, len(r.agents))
	for id, a := range r.agents {
		list = append(list, Info{
			AgentID: id, Description: a.config.Description, Mode: a.gate.Mode(), Tools: a.tools.Specs(),
		})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].AgentID < list[j].AgentID })
	return list
}

// NewSession starts a conversation with an agent.
func (r *Roster) NewSession(ctx context.Context, who auth.Identity, agentID, title string) (session.Session, error) {
	a := r.agents[agentID]
	if a == nil {
		return session.Session{}, fmt.Errorf("%w: %q", session.ErrNoAgent, agentID)
	}
	return a.NewSession(ctx, who, title)
}

// Send says something in a session; see Agent.Send.
func (r *Roster) Send(ctx context.Context, who auth.Identity, sessionID, text string) (int64, error) {
	a, err := r.of(ctx, sessionID)
	if err != nil {
		return 0, err
	}
	return a.Send(ctx, who, sessionID, text)
}

// Cancel stops a session's turn; see Agent.Cancel.
func (r *Roster) Cancel(ctx context.Context, who auth.Identity, via, sessionID string) error {
	a, err := r.of(ctx, sessionID)
	if err != nil {
		return err
	}
	return a.Cancel(ctx, who, via, sessionID)
}

func (r *Roster) of(ctx context.Context, sessionID string) (*Agent, error) {
	s, err := r.sessions.Get(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	a := r.agents[s.AgentID]
	if a == nil {
		return nil, fmt.Errorf("%w: %q, which this session was with", session.ErrNoAgent, s.AgentID)
	}
	return a, nil
}
