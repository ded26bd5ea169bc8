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
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
)

// problem is an error as RFC 9457 (Problem Details for HTTP APIs) writes it.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`

	Mode     *approval.ModeSetting `json:"mode,omitempty"`     // of a conflict about an agent's mode: as it is
	NotReady []string              `json:"notReady,omitempty"` // of GET /readyz: what is missing
	Response *approval.Response    `json:"response,omitempty"` // of a conflict about an answer: the one that stands
}

// fault is an error whose text is meant for the client.
type fault struct {
	status int
	detail string
}

func (f *fault) Error() string { return f.detail }

// stands is a refusal beside what stands instead.
type stands struct {
	err      error
	mode     *approval.ModeSetting
	response *approval.Response
}

func (e *stands) Error() string { return e.err.Error() }
func (e *stands) Unwrap() error { return e.err }

// statuses maps errors to status codes; the first that matches counts.
var statuses = []struct {
	err    error
	status int
}{
	{auth.ErrUnknown, http.StatusUnauthorized},
	{auth.ErrOver, http.StatusUnauthorized},
	{auth.ErrNoCredential, http.StatusNotFound},
	{auth.ErrNotFirst, http.StatusConflict},
	{auth.ErrTooManyDevices, http.StatusTooManyRequests},
	{auth.ErrRefused, http.StatusForbidden},
	{auth.ErrInvalid, http.StatusUnprocessableEntity},
	{auth.ErrForbidden, http.StatusForbidden},
	{gate.ErrNotYours, http.StatusForbidden},
	{session.ErrUnknown, http.StatusNotFound},
	{session.ErrNoAgent, http.StatusNotFound},
	{gate.ErrNoAgent, http.StatusNotFound},
	{approval.ErrUnknown, http.StatusNotFound},
	{approval.ErrNoGrant, http.StatusNotFound},
	{gate.ErrNoTool, http.StatusNotFound},
	{approval.ErrExpired, http.StatusGone},
	{session.ErrEnded, http.StatusConflict},
	{approval.ErrDecided, http.StatusConflict},
	{approval.ErrConflict, http.StatusConflict},
	{approval.ErrModeChanged, http.StatusConflict},
	{gate.ErrNoHandler, http.StatusConflict},
	{approval.ErrVoid, http.StatusConflict},
	{approval.ErrClaimed, http.StatusConflict},
	{approval.ErrStale, http.StatusConflict},
	{approval.ErrTold, http.StatusConflict},
	{approval.ErrDigest, http.StatusUnprocessableEntity},
	{approval.ErrForeign, http.StatusUnprocessableEntity},
	{approval.ErrInvalid, http.StatusUnprocessableEntity},
	{approval.ErrRequest, http.StatusUnprocessableEntity},
}

// statusOf is the status code of an error; what is on no list is no fault of
// the client's.
func statusOf(err error) int {
	var f *fault
	if errors.As(err, &f) {
		return f.status
	}
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			return s.status
		}
	}
	return http.StatusServiceUnavailable
}

// fail answers with a problem document. What is no fault of the client's is
// told in general words, and logged.
func (s *Server) fail(c *call, err error) {
	if errors.Is(context.Cause(c.r.Context()), auth.ErrOver) {
		err = auth.ErrOver // whatever it broke off with
	}
	status := statusOf(err)
	p := problem{Title: http.StatusText(status), Status: status, Detail: strings.ToValidUTF8(plain(err.Error()), "\uFFFD")}
	var beside *stands
	if errors.As(err, &beside) {
		p.Mode, p.Response = beside.mode, beside.response
	}
	var unready *unreadyError
	switch {
	case errors.As(err, &unready):
		p.NotReady = unready.missing
	case status == http.StatusServiceUnavailable:
		p.Detail = "the gateway could not do this now, and nothing has changed: try again"
		s.log.Error("a request could not be served", append(s.about(c.r), zap.Error(err))...)
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		s.log.Warn("a request was refused", append(s.about(c.r),
			zap.Int("status", status), zap.String("subject", c.who.Subject), zap.String("why", p.Detail))...)
	case http.StatusTooManyRequests:
		c.w.Header().Set("Retry-After", "1")
	}
	writeJSON(c.w, status, problemType, p)
}

const problemType = "application/problem+json"

// plain takes the names of packages off an error's front; they mean nothing to
// people.
func plain(text string) string {
	for _, prefix := range []string{"approval: ", "gate: ", "session: ", "agent: ", "auth: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
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
