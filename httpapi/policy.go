package httpapi

import (
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

type modeBody struct {
	Mode    approval.Mode `json:"mode"`
	Version *int64        `json:"version"` // the version that was seen
}

func (s *Server) setMode(c *call, in modeBody) (approval.ModeSetting, error) {
	switch {
	case in.Mode == "":
		return approval.ModeSetting{}, invalid("mode: missing; use manual, auto-approve or auto-deny")
	case in.Version == nil:
		return approval.ModeSetting{}, invalid("version: missing; send the modeVersion at which you saw the mode, from GET /api/agents")
	}
	set, err := s.Door.SetMode(c.r.Context(), c.who, c.r.PathValue("id"), in.Mode, *in.Version)
	if err != nil && set.AgentID != "" {
		err = &modeConflict{err, &set}
	}
	return set, err
}

type suggestionsBody struct {
	Suggestions []approval.Suggestion `json:"suggestions"`
}

func (s *Server) suggestions(c *call, _ none) (suggestionsBody, error) {
	about, err := s.Door.Get(c.r.Context(), c.r.PathValue("id"))
	if err != nil {
		return suggestionsBody{}, err
	}
	var list []approval.Suggestion
	err = s.costly(c, func() (err error) {
		list, err = s.Suggest(c.r.Context(), c.r.PathValue("id"))
		return err
	})
	return suggestionsBody{s.Door.Suggestions(about.Request, list)}, err
}

// suggestFor is suggestions for a call that nobody has made.
func (s *Server) suggestFor(c *call, in TriedCall) (suggestionsBody, error) {
	if err := in.check(c); err != nil {
		return suggestionsBody{}, err
	}
	var list []approval.Suggestion
	err := s.costly(c, func() (err error) {
		list, err = s.SuggestFor(c.r.Context(), in)
		return err
	})
	return suggestionsBody{s.Door.Suggestions(s.Door.Tried(in.request()), list)}, err
}

// tool is what a request is about, as its agent has it now.
func (s *Server) tool(c *call, _ none) (tool.Spec, error) {
	return s.Door.Tool(c.r.Context(), c.r.PathValue("id"))
}

type policyBody struct {
	Agents []agentPolicy `json:"agents"` // by name
}

// agentPolicy is what decides for one agent.
type agentPolicy struct {
	AgentID string          `json:"agentId"`
	Mode    approval.Mode   `json:"mode"`
	Rules   []policy.Listed `json:"rules"` // those that deny first
}

func (s *Server) policy(c *call, _ none) (policyBody, error) {
	body := policyBody{Agents: []agentPolicy{}}
	for _, a := range s.Door.Agents(c.who) {
		rules := s.Rules(a.AgentID)
		for _, t := range a.Tools {
			rules = append(rules, policy.ListTool(a.AgentID, t.Name, t.Approval)...)
		}
		rules = append(rules, policy.ListMode(a.AgentID, a.Mode, time.Duration(a.TimeoutSeconds)*time.Second))
		for i := range rules {
			rules[i] = s.listed(rules[i])
		}
		body.Agents = append(body.Agents, agentPolicy{AgentID: a.AgentID, Mode: a.Mode, Rules: rules})
	}
	return body, nil
}

// listed is a rule as people are shown it.
func (s *Server) listed(l policy.Listed) policy.Listed {
	text := s.Door.Text
	l.Rule, l.Reason, l.Place, l.Text, l.Sentence = text(l.Rule), text(l.Reason), text(l.Place), text(l.Text), l.Sentence.Each(text)
	return l
}

// TriedCall is a call that nobody has made: what is asked about is what would become of it.
type TriedCall struct {
	AgentID  string    `json:"agentId"`
	ToolName string    `json:"toolName"`
	Args     tool.JSON `json:"args,omitzero"` // {} when left out
}

func (t TriedCall) check(c *call) error {
	switch {
	case t.AgentID == "":
		return invalid("agentId: missing")
	case t.ToolName == "":
		return invalid("toolName: missing")
	case !c.who.Covers(t.AgentID):
		return gate.ErrNoAgent
	}
	return nil
}

func (t TriedCall) request() approval.Request {
	return approval.Request{Type: approval.ToolConfirmation, AgentID: t.AgentID, ToolName: t.ToolName, Args: t.Args}
}

// Explained is what would become of a call now.
type Explained struct {
	approval.VerdictView
	Observed         bool             `json:"observed,omitzero"`          // the call runs all the same, since its agent is observed
	WorkingDirectory string           `json:"workingDirectory,omitempty"` // in which it was judged
	StandingSeconds  int64            `json:"standingSeconds,omitzero"`   // how long it could be allowed in every session, in the ways of covers; absent: it can't be
	Offer            string           `json:"offer,omitempty"`            // with standingSeconds: what POST /api/grants takes, a digest of all that a grant would be bound to
	Nearest          *policy.Nearest  `json:"nearest,omitempty"`          // the allow rule that comes closest
	Smallest         *policy.Proposal `json:"smallest,omitempty"`         // the narrowest rule that would allow it
}

func (s *Server) explain(c *call, in TriedCall) (Explained, error) {
	if err := in.check(c); err != nil {
		return Explained{}, err
	}
	var e Explained
	err := s.costly(c, func() (err error) {
		e, err = s.Explain(c.r.Context(), in)
		return err
	})
	return s.masked(in, e), err
}

// masked is what people are shown of a call that is tried, as they would be of its request.
func (s *Server) masked(call TriedCall, e Explained) Explained {
	r := call.request()
	r.Policy, r.Risk, r.Covers, r.Commands, r.Approvers = e.Policy, e.Risk, e.Covers, e.Commands, e.Approvers
	shown := s.Door.Tried(r)
	e.Policy, e.Risk, e.Covers, e.Commands, e.Approvers = shown.Policy, shown.Risk, shown.Covers, shown.Commands, shown.Approvers
	e.WorkingDirectory = s.Door.Text(e.WorkingDirectory)
	if n := e.Nearest; n != nil {
		n.Rule, n.Why = s.listed(n.Rule), s.Door.Text(n.Why)
		for i, word := range n.Words {
			n.Words[i] = s.Door.Text(word)
		}
	}
	if p := e.Smallest; p != nil {
		p.Sentence, p.Rule = p.Sentence.Each(s.Door.Text), s.Door.Text(p.Rule)
	}
	return e
}

type grantBody struct {
	TriedCall
	Offer   string                `json:"offer"`            // that of explain: what the giver was shown
	Covers  approval.CoverageKind `json:"covers"`           // one of those that explain offers
	Seconds int64                 `json:"seconds,omitzero"` // how long it holds; as long as is offered when left out
	Uses    int                   `json:"uses,omitzero"`    // how many calls it clears; any number when left out
}

// give allows a call in every session before one is made.
func (s *Server) give(c *call, in grantBody) (g door.Grant, err error) {
	if err := in.check(c); err != nil {
		return g, err
	}
	if in.Covers == "" || in.Offer == "" {
		return g, invalid("covers and offer: missing; use those that POST /api/policy/explain returns")
	}
	r, err := s.Tried(in.TriedCall)
	if err != nil {
		return g, err
	}
	err = s.costly(c, func() (err error) {
		g, err = s.Door.Give(c.r.Context(), c.who, r, in.Offer, approval.GrantTerms{Covers: in.Covers, Seconds: in.Seconds, Uses: in.Uses})
		return err
	})
	return g, err
}

type grantsBody struct {
	Grants []door.Grant `json:"grants"`
}

func (s *Server) grants(c *call, _ none) (grantsBody, error) {
	all, err := c.truth("all")
	if err != nil {
		return grantsBody{}, err
	}
	list, err := s.Door.Grants(c.r.Context(), c.who, approval.GrantQuery{SessionID: c.query("sessionId"), Live: !all})
	return grantsBody{list}, err
}

// revoke ends a grant, and answers with it as it ended.
func (s *Server) revoke(c *call, _ none) (door.Grant, error) {
	return s.Door.Revoke(c.r.Context(), c.who, c.r.PathValue("id"))
}
