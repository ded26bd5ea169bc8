package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
)

// problem is an error as RFC 9457 (Problem Details for HTTP APIs) writes it.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"` // for programs; the same as in the WebSocket's errors
	Detail string `json:"detail,omitempty"`

	Mode     *approval.ModeSetting `json:"mode,omitempty"`     // of a conflict about an agent's mode: as it is
	NotReady []string              `json:"notReady,omitempty"` // of GET /readyz: what is missing
	Response *door.Response        `json:"response,omitempty"` // of a conflict about an answer: the one that stands
}

// fault is an error whose text is meant for the client.
type fault struct {
	status int
	detail string
}

func (f *fault) Error() string { return f.detail }

// modeConflict is a refusal to set a mode, with the current mode.
type modeConflict struct {
	error
	mode *approval.ModeSetting
}

func (e *modeConflict) Unwrap() error { return e.error }

// fail answers with a problem document. What is no fault of the client's is
// told in general words, and logged.
func (s *Server) fail(c *call, err error) {
	if errors.Is(context.Cause(c.r.Context()), auth.ErrOver) {
		err = auth.ErrOver // whatever it broke off with
	}
	p, logged := problemOf(err)
	if logged && !errors.Is(err, context.Canceled) { // nobody is at fault who has left
		s.log.Error("a request could not be served", append(s.about(c.r), zap.Error(err))...)
	}
	switch p.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		s.log.Warn("a request was refused", append(s.about(c.r),
			zap.Int("status", p.Status), zap.String("subject", c.who.Subject), zap.String("why", p.Detail))...)
	case http.StatusTooManyRequests:
		c.w.Header().Set("Retry-After", "1")
		c.w.Header().Set("Connection", "close") // do not hold a connection for the retry
	}
	writeJSON(c.w, p.Status, problemType, p)
}

// problemOf is an error as a problem document, and whether it is ours: to be logged.
func problemOf(err error) (p problem, ours bool) {
	found := door.FaultOf(err)
	p = problem{Status: found.Status, Code: found.Code, Detail: found.Words}
	var own *fault
	var unready *unreadyError
	var mode *modeConflict
	var answered *door.Conflict
	switch {
	case errors.As(err, &own):
		found.Ours, p.Status, p.Code, p.Detail = false, own.status, codeOf(own.status), strings.ToValidUTF8(own.detail, "\uFFFD")
	case errors.As(err, &unready):
		found.Ours, p.Detail, p.NotReady = false, err.Error(), unready.missing
	case errors.As(err, &mode):
		p.Mode = mode.mode
	case errors.As(err, &answered):
		p.Response = answered.Response
	}
	p.Title = http.StatusText(p.Status)
	return p, found.Ours
}

// codeOf is the code of a fault, by its status.
func codeOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "unauthorized"
	case http.StatusForbidden:
		return "forbidden"
	case http.StatusNotFound:
		return "not_found"
	case http.StatusMethodNotAllowed:
		return "wrong_method"
	case http.StatusConflict:
		return "conflict"
	case http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge:
		return "too_large"
	case http.StatusMisdirectedRequest:
		return "wrong_host"
	case http.StatusTooManyRequests:
		return "too_many"
	default:
		return "invalid"
	}
}

const problemType = "application/problem+json"

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
