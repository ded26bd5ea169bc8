package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Roster is a gateway's agents. It finds the agent of a session.
type Roster struct {
	runtime  *Runtime
	agents   map[string]*Agent
	order    []*Agent // as they were given
	programs []outsider
	joined   sync.Map // when a program's session was last joined, by session id
}

// outsider is an agent that runs outside and only asks.
type outsider struct {
	id, description string
	gate            *gate.Gate
}

// AddProgram lists an agent that runs outside and only asks, at its gate.
func (r *Roster) AddProgram(id, description string, at *gate.Gate) {
	r.programs = append(r.programs, outsider{id, description, at})
}

// NewRoster makes a roster of agents that share the runtime.
func NewRoster(runtime *Runtime, agents ...*Agent) *Roster {
	r := &Roster{runtime: runtime, agents: map[string]*Agent{}, order: agents}
	for _, a := range agents {
		r.agents[a.config.ID] = a
	}
	return r
}

// Start starts every agent, or none.
func (r *Roster) Start(ctx context.Context) error {
	for _, a := range r.agents {
		if err := a.Start(ctx); err != nil {
			r.Stop(0)
			return err
		}
	}
	return nil
}

// Resume continues the sessions that a process which is gone left with an open turn. If the agent is no longer in the
// configuration, the turn ends with a clear reason.
func (r *Roster) Resume(ctx context.Context) error {
	ids := slices.Collect(maps.Keys(r.agents))
	for more := true; more; {
		var left []session.Session
		var err error
		if left, more, err = r.runtime.Sessions.Left(ctx, ids); err != nil {
			return err
		}
		for _, s := range left {
			if err := r.resume(ctx, s); err != nil {
				return fmt.Errorf("agent: resume session %s: %w", s.ID, err)
			}
		}
	}
	return nil
}

func (r *Roster) resume(ctx context.Context, s session.Session) error {
	a := r.agents[s.AgentID]
	switch {
	case s.Ended != "":
		return r.runtime.orphan(ctx, s, errors.New("the session was ended"))
	case a != nil:
		return a.Resume(s.ID)
	default:
		return r.runtime.orphan(ctx, s, fmt.Errorf("the agent %q is no longer in the configuration", s.AgentID))
	}
}

// Stopped ends the session's turn under way here, which another process was asked to stop. It reports false if there
// is none, and does not wait.
func (r *Roster) Stopped(sessionID string, stop session.Stop) bool {
	for _, a := range r.agents {
		if a.interrupt(sessionID, stoppedBy(stop)) != nil {
			return true
		}
	}
	return false
}

// Heed makes an agent look at a session in which this process works, after another process wrote there: a message, or
// a stop of its turn.
func (r *Roster) Heed(ctx context.Context, sessionID string) error {
	a, err := r.of(ctx, sessionID)
	if err != nil {
		return err
	}
	stop, err := r.runtime.Sessions.Work(ctx, sessionID)
	switch {
	case errors.Is(err, session.ErrElsewhere):
		return nil // another process works there by now
	case err != nil:
		return err
	case stop.By == "":
		return a.Resume(sessionID)
	}
	a.closeOpen(sessionID, stoppedBy(stop))
	return nil
}

// orphan closes the turn of a session that no agent can continue.
func (r *Runtime) orphan(ctx context.Context, s session.Session, why error) error {
	var conv session.Conversation
	if err := r.catchUp(ctx, s.ID, &conv); err != nil {
		return err
	}
	return r.finish(ctx, s.ID, &conv, conv.Turn, session.Usage{}, why)
}

// Stop stops every agent, all at once, and waits for them; see Agent.Stop.
func (r *Roster) Stop(grace time.Duration) {
	var all sync.WaitGroup
	for _, a := range r.agents {
		all.Go(func() { a.Stop(grace) })
	}
	all.Wait()
}

// Info is what people are told of an agent.
type Info struct {
	AgentID     string        `json:"agentId"`
	Kind        session.Kind  `json:"kind"`                  // external: a program that only asks; nobody can talk to it
	Description string        `json:"description,omitempty"` // what the agent is for
	Mode        approval.Mode `json:"mode"`
	ModeVersion int64         `json:"modeVersion"`            // grows with each setting; 0: as configured
	ModeSetBy   string        `json:"modeSetBy,omitempty"`    // who set the mode; left out: the file
	Observed    time.Time     `json:"observedUntil,omitzero"` // until then, calls that a person would be asked about run; absent: it is not observed
	Tools       []ToolInfo    `json:"tools"`

	TimeoutSeconds int64 `json:"timeoutSeconds,omitzero"` // after which an unanswered request is denied; absent: it waits without limit
}

// ToolInfo is what people are told of a tool.
type ToolInfo struct {
	Name        string             `json:"name"`                  // the tool's name
	Description string             `json:"description,omitempty"` // what the tool does, for the model
	Schema      tool.JSON          `json:"schema,omitempty"`      // JSON Schema of the arguments
	Location    tool.Location      `json:"location" enum:"server,client"`
	Server      string             `json:"server,omitempty"` // of an MCP server's tool: the server's name
	Approval    approval.TermsView `json:"approval,omitzero"`
	Resume      tool.Resume        `json:"resume,omitempty"`
	Command     tool.CommandArgs   `json:"command,omitzero"`
	Paths       []string           `json:"paths,omitempty"` // which arguments name files
	Hints       tool.Hints         `json:"hints,omitzero"`
	Sandbox     tool.Sandbox       `json:"sandbox,omitzero"`
}

// Agents lists the agents in the order in which they were given, and after them the programs.
func (r *Roster) Agents() []Info {
	list := make([]Info, 0, len(r.agents))
	add := func(kind session.Kind, id, description string, at *gate.Gate, tools []ToolInfo) {
		mode := at.Setting()
		list = append(list, Info{
			AgentID: id, Kind: kind, Description: description, Tools: tools,
			Mode: mode.Mode, ModeVersion: mode.Version, ModeSetBy: mode.SetBy.Subject, Observed: at.ObservedUntil(),
			TimeoutSeconds: int64(max(0, at.Timeout()).Seconds()),
		})
	}
	for _, a := range r.order {
		add(session.KindAgent, a.config.ID, a.config.Description, a.gate, a.toolInfos())
	}
	for _, p := range r.programs {
		tools := []ToolInfo{}
		for _, t := range p.gate.Own() {
			tools = append(tools, infoOf(p.gate, t, ""))
		}
		add(session.KindExternal, p.id, p.description, p.gate, tools)
	}
	return list
}

// toolInfos are the agent's own tools, and those of its sets as a session last had them.
func (a *Agent) toolInfos() []ToolInfo {
	infos := []ToolInfo{}
	for _, t := range a.tools.all("") {
		infos = append(infos, infoOf(a.gate, t, ""))
	}
	for _, set := range a.config.Toolsets {
		for _, t := range a.gate.Known(set.Name) {
			infos = append(infos, infoOf(a.gate, t, set.Server))
		}
	}
	return infos
}

func infoOf(at *gate.Gate, t *gate.Gated, server string) ToolInfo {
	s := t.Spec()
	return ToolInfo{
		Name: s.Name, Description: s.Description, Schema: s.Schema, Location: cmp.Or(s.Location, "server"), Server: server,
		Approval: at.Terms(t).View(), Resume: s.Resume, Command: s.Command, Paths: s.Paths, Hints: s.Hints, Sandbox: s.Sandbox,
	}
}

// NewSession starts a conversation with an agent.
func (r *Roster) NewSession(ctx context.Context, who auth.Identity, agentID, title string) (session.Session, error) {
	a := r.agents[agentID]
	if a == nil || !who.Covers(agentID) { // those who are for other agents do not learn that this one exists
		return session.Session{}, fmt.Errorf("%w: %q", session.ErrNoAgent, agentID)
	}
	return a.NewSession(ctx, who, title)
}

// External returns the open session in which a program asks under an agent's rules: that
// of its run, or, if run is nil, the one shared by everything it asks outside of runs. It
// creates the session if there is none. client is the program's own name for itself.
func (r *Roster) External(ctx context.Context, who auth.Identity, agentID, client string, run *session.Run) (session.Session, error) {
	if err := who.Check(agentID, auth.Ask); errors.Is(err, auth.ErrOutOfScope) {
		return session.Session{}, fmt.Errorf("%w: this asks under %q: name the one that it is for (agentId, --agent)", err, agentID)
	} else if err != nil {
		return session.Session{}, err
	}
	if !r.runtime.Approvals.Knows(agentID) {
		return session.Session{}, fmt.Errorf("%w: %q", session.ErrNoAgent, agentID)
	}
	// Random, so that another program with the same token can't ask in this run.
	id := uuid.NewString()
	if run != nil && run.Name == "" {
		named := *run
		named.Name, run = "run "+id[:8], &named
	}
	joined, err := r.runtime.Sessions.Join(ctx, session.Session{
		ID: id, Kind: session.KindExternal, AgentID: agentID, Title: client, CreatedBy: who.Subject, Asker: who.Root, Run: run,
	})
	if err == nil {
		r.joined.Store(joined.ID, time.Now())
	}
	return joined, err
}

// EndRun ends a program's session, for the program itself.
func (r *Roster) EndRun(ctx context.Context, who auth.Identity, sessionID string) error {
	s, err := r.runtime.Sessions.Head(ctx, sessionID)
	switch {
	case err != nil:
		return err
	case s.Kind != session.KindExternal || s.Asker != who.Root || who.Check(s.AgentID, auth.Ask) != nil:
		return session.ErrUnknown
	}
	_, err = r.runtime.Sessions.Append(ctx, sessionID, session.Ended{Outcome: session.Completed, By: who.Subject})
	if err != nil && !errors.Is(err, session.ErrEnded) {
		return err
	}
	return r.runtime.Approvals.Withdraw(ctx, sessionID, "the program has ended its run")
}

// EndIdle ends the programs' sessions without a pending or running call that have had no
// event, and have not been joined, since a given time.
func (r *Roster) EndIdle(ctx context.Context, since time.Time) error {
	_, err := r.runtime.Sessions.EndIdle(ctx, since, func(id string) bool {
		at, ok := r.joined.Load(id)
		return ok && at.(time.Time).After(since)
	})
	r.joined.Range(func(id, at any) bool {
		if at.(time.Time).Before(since) {
			r.joined.Delete(id)
		}
		return true
	})
	return err
}

// Prompt returns what the session's model would be sent after these events; nothing if no model works in it.
func (r *Roster) Prompt(ctx context.Context, sessionID string, events []session.Event) (model.Prompt, error) {
	s, err := r.runtime.Sessions.Head(ctx, sessionID)
	a := r.agents[s.AgentID]
	if err != nil || a == nil || s.Kind == session.KindExternal {
		return model.Prompt{}, err
	}
	var conv session.Conversation
	for _, e := range events {
		if err := conv.Add(e); err != nil {
			return model.Prompt{}, fmt.Errorf("agent: session %s: %w", sessionID, err)
		}
	}
	return a.prompt(newTurn(sessionID), &conv, a.budget()), nil
}

// Send says something in a session; see Agent.Send.
func (r *Roster) Send(ctx context.Context, who auth.Identity, sessionID, text string) (int64, error) {
	a, err := r.of(ctx, sessionID)
	if err != nil {
		return 0, err
	}
	return a.Send(ctx, who, sessionID, text)
}

// Interrupt stops a session's turn; see Agent.Interrupt.
func (r *Roster) Interrupt(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) (over <-chan struct{}, err error) {
	a, err := r.of(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	return a.Interrupt(ctx, who, via, sessionID)
}

// End cancels a session for good; see Agent.End.
func (r *Roster) End(ctx context.Context, who auth.Identity, via approval.Via, sessionID string) error {
	s, err := r.runtime.Sessions.Head(ctx, sessionID)
	if err != nil {
		return err
	}
	if s.Kind == session.KindExternal {
		return r.endExternal(ctx, who, via, s)
	}
	a, err := r.of(ctx, sessionID)
	if err != nil {
		return err
	}
	return a.End(ctx, who, via, sessionID)
}

// endExternal ends the session of a program: there is no turn to stop.
func (r *Roster) endExternal(ctx context.Context, who auth.Identity, via approval.Via, s session.Session) error {
	if err := who.Check(s.AgentID, auth.Talk); err != nil {
		return err
	}
	_, err := r.runtime.Sessions.Append(ctx, s.ID, session.Ended{Outcome: session.Cancelled, By: who.Subject})
	if err != nil && !errors.Is(err, session.ErrEnded) {
		return err
	}
	return r.runtime.Approvals.CancelAll(ctx, who, via, s.ID)
}

func (r *Roster) of(ctx context.Context, sessionID string) (*Agent, error) {
	s, err := r.runtime.Sessions.Head(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	a := r.agents[s.AgentID]
	if a == nil {
		return nil, fmt.Errorf("%w: %q, which this session was with", session.ErrNoAgent, s.AgentID)
	}
	return a, nil
}
