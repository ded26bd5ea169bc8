package httpapi

import (
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
	return suggestionsBody{s.Door.Suggestions(about, list)}, err
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
		for i := range rules {
			rules[i].Text = s.Door.Text(rules[i].Text)
		}
		body.Agents = append(body.Agents, agentPolicy{AgentID: a.AgentID, Mode: a.Mode, Rules: rules})
	}
	return body, nil
}

type explainBody struct {
	AgentID  string    `json:"agentId"`
	ToolName string    `json:"toolName"`
	Args     tool.JSON `json:"args,omitzero"` // {} when left out
}

func (s *Server) explain(c *call, in explainBody) (approval.VerdictView, error) {
	switch {
	case in.AgentID == "":
		return approval.VerdictView{}, invalid("agentId: missing")
	case in.ToolName == "":
		return approval.VerdictView{}, invalid("toolName: missing")
	case !c.who.Covers(in.AgentID):
		return approval.VerdictView{}, gate.ErrNoAgent
	}
	var v approval.Verdict
	err := s.costly(c, func() (err error) {
		v, err = s.Explain(c.r.Context(), in.AgentID, in.ToolName, in.Args)
		return err
	})
	return v.View(), err
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
