package httpapi

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// problem is an error as RFC 9457 (Problem Details for HTTP APIs) writes it.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`

	Mode *approval.ModeSetting `json:"mode,omitempty"` // of a conflict about an agent's mode: as it is
}

// fault is an error whose text is meant for the client.
type fault struct {
	status int
	detail string
}

func (f *fault) Error() string { return f.detail }

// statusOf is the one table from errors to status codes.
func statusOf(err error) int {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, auth.ErrUnknown):
		return http.StatusUnauthorized
	case errors.Is(err, auth.ErrForbidden):
		return http.StatusForbidden
	case errors.Is(err, session.ErrUnknown), errors.Is(err, session.ErrNoAgent), errors.Is(err, approval.ErrNoAgent),
		errors.Is(err, approval.ErrUnknown), errors.Is(err, approval.ErrNoGrant):
		return http.StatusNotFound
	case errors.Is(err, session.ErrEnded), errors.Is(err, approval.ErrModeChanged), errors.Is(err, approval.ErrNoHandler):
		return http.StatusConflict
	case errors.Is(err, approval.ErrInvalid):
		return http.StatusUnprocessableEntity
	default:
		return http.StatusServiceUnavailable
	}
}

// fail answers with a problem document. What is no fault of the client's is
// told in general words, and logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(err)
	p := problem{Title: http.StatusText(status), Status: status, Detail: err.Error()}
	var stands *modeStands
	if errors.As(err, &stands) {
		p.Mode = &stands.mode
	}
	if status == http.StatusServiceUnavailable {
		p.Detail = "the gateway could not do this now, and nothing has changed: try again"
		s.log.Error("a request could not be served", zap.String("path", r.URL.Path), zap.Error(err))
	}
	writeJSON(w, status, "application/problem+json", p)
}

func writeJSON(w http.ResponseWriter, status int, contentType string, v any) {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		http.Error(w, "the answer could not be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // who has gone away needs no answer
}
