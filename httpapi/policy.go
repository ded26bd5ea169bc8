package httpapi

import (
	"github.com/lineclear/lineclear/approval"
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
	set, err := s.Approvals.SetMode(c.r.Context(), c.who, door, c.r.PathValue("id"), in.Mode, *in.Version)
	if err != nil && set.AgentID != "" {
		err = &stands{err: err, mode: &set}
	}
	return set, err
}

type suggestionsBody struct {
	Suggestions []approval.Suggestion `json:"suggestions"`
}

func (s *Server) suggestions(c *call, _ none) (suggestionsBody, error) {
	list, err := s.Suggest(c.r.Context(), c.r.PathValue("id"))
	return suggestionsBody{list}, err
}

type grantsBody struct {
	Grants []approval.Grant `json:"grants"`
}

func (s *Server) grants(c *call, _ none) (grantsBody, error) {
	all, err := c.truth("all")
	if err != nil {
		return grantsBody{}, err
	}
	list, err := s.Approvals.Grants(c.r.Context(), approval.GrantQuery{SessionID: c.query("sessionId"), Live: !all})
	return grantsBody{list}, err
}

// revoke ends a grant, and answers with it as it ended.
func (s *Server) revoke(c *call, _ none) (approval.Grant, error) {
	return s.Approvals.Revoke(c.r.Context(), c.who, door, c.r.PathValue("id"))
}
