package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// door is this door's name in approval.By.
const door = "rest"

type modeBody struct {
	Mode    approval.Mode `json:"mode"`
	Version *int64        `json:"version"` // the version that was seen
}

// modeStands is a refused setting beside the mode as it is.
type modeStands struct {
	err  error
	mode approval.ModeSetting
}

func (e *modeStands) Error() string { return e.err.Error() }
func (e *modeStands) Unwrap() error { return e.err }

func (s *Server) setMode(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	body, err := decode[modeBody](r)
	switch {
	case err != nil:
		return err
	case body.Mode == "":
		return &fault{http.StatusUnprocessableEntity, "mode: missing; use manual, auto-approve or auto-deny"}
	case body.Version == nil:
		return &fault{http.StatusUnprocessableEntity, "version: missing; send the modeVersion at which you saw the mode, from GET /api/agents"}
	}
	set, err := s.Approvals.SetMode(r.Context(), who, door, r.PathValue("id"), body.Mode, *body.Version)
	if err != nil {
		if set.AgentID != "" {
			err = &modeStands{err, set}
		}
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, set)
	return nil
}

type approvalsBody struct {
	Approvals []approval.Request `json:"approvals"`
}

// approvals lists what waits.
func (s *Server) approvals(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	pending, err := s.Approvals.Pending(r.Context(), r.URL.Query().Get("session"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, approvalsBody{pending})
	return nil
}

type suggestionsBody struct {
	Suggestions []approval.Suggestion `json:"suggestions"`
}

func (s *Server) suggestions(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	list, err := s.Suggest(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, suggestionsBody{list})
	return nil
}

type grantsBody struct {
	Grants []approval.Grant `json:"grants"`
}

// grants lists what is remembered; ended ones too when all is true.
func (s *Server) grants(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	query := r.URL.Query()
	all := false
	if text := query.Get("all"); text != "" {
		var err error
		if all, err = strconv.ParseBool(text); err != nil {
			return &fault{http.StatusUnprocessableEntity, fmt.Sprintf("all: %q is neither true nor false", text)}
		}
	}
	list, err := s.Approvals.Grants(r.Context(), approval.GrantQuery{SessionID: query.Get("session"), Live: !all})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, grantsBody{list})
	return nil
}

// revoke ends a grant, and answers with it as it ended.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	ended, err := s.Approvals.Revoke(r.Context(), who, door, r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, ended)
	return nil
}
