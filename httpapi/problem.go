package httpapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
)

// problem is an error as RFC 9457 (Problem Details for HTTP APIs) writes it.
type problem struct {
	Title  string `json:"title"`            // the status in words
	Status int    `json:"status"`           // of HTTP
	Code   code   `json:"code"`             // for programs; the same as in the WebSocket's errors
	Detail string `json:"detail,omitempty"` // what went wrong, and what would do, for people
}

// answeredProblem is a refused answer.
type answeredProblem struct {
	problem
	Response *door.Response `json:"response,omitempty"` // the answer that stands, where there is one
}

// modeProblem is a refusal to set a mode that somebody else has set since it was seen.
type modeProblem struct {
	problem
	Mode *approval.ModeSetting `json:"mode,omitempty"` // as it is
}

// endedProblem refuses a caller who is not logged in.
type endedProblem struct {
	problem
	Ended *auth.LoginEnd `json:"ended,omitempty"` // why the login ended; only its own page is told
}

// unreadyProblem says that the gateway can't do its work now.
type unreadyProblem struct {
	problem
	NotReady []string `json:"notReady,omitempty"` // what is missing
}

// code says what went wrong, for programs. docs/protocol.md says what to do about each.
type code string

// fault is an error whose text is meant for the client.
type fault struct {
	status int
	detail string
}

func (f *fault) Error() string { return f.detail }

// endedError refuses a login that has ended, and tells its own page why.
type endedError struct{ end auth.LoginEnd }

func (e *endedError) Error() string { return e.end.Words() }

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
	writeJSON(c.w, p.Status, problemType, withMore(p, err))
}

// problemOf is an error as a problem document, and whether it is ours: to be logged.
func problemOf(err error) (p problem, ours bool) {
	found := door.FaultOf(err)
	p = problem{Status: found.Status, Code: code(found.Code), Detail: found.Words}
	var own *fault
	var over *endedError
	var unready *unreadyError
	switch {
	case errors.As(err, &own):
		found.Ours, p.Status, p.Code, p.Detail = false, own.status, codeOf(own.status), strings.ToValidUTF8(own.detail, "\uFFFD")
	case errors.As(err, &over):
		found.Ours, p.Status, p.Code, p.Detail = false, http.StatusUnauthorized, codeOf(http.StatusUnauthorized), err.Error()
	case errors.As(err, &unready):
		found.Ours, p.Detail = false, err.Error()
	}
	p.Title = http.StatusText(p.Status)
	return p, found.Ours
}

// withMore adds what else there is to tell of an error.
func withMore(p problem, err error) any {
	var unready *unreadyError
	var over *endedError
	var mode *modeConflict
	var answered *door.Conflict
	switch {
	case errors.As(err, &unready):
		return unreadyProblem{p, unready.missing}
	case errors.As(err, &over):
		return endedProblem{p, &over.end}
	case errors.As(err, &mode):
		return modeProblem{p, mode.mode}
	case errors.As(err, &answered):
		return answeredProblem{p, answered.Response}
	}
	return p
}

// codes are the codes of faults that a door itself finds, by their status.
var codes = map[int]code{
	http.StatusUnauthorized:                "unauthorized",
	http.StatusForbidden:                   "forbidden",
	http.StatusNotFound:                    "not_found",
	http.StatusMethodNotAllowed:            "wrong_method",
	http.StatusConflict:                    "conflict",
	http.StatusRequestEntityTooLarge:       "too_large",
	http.StatusRequestHeaderFieldsTooLarge: "too_large",
	http.StatusMisdirectedRequest:          "wrong_host",
	http.StatusTooManyRequests:             "too_many",
}

// codeOf is the code of a fault, by its status.
func codeOf(status int) code { return cmp.Or(codes[status], "invalid") }

// codesOf are all codes that come with a status, in alphabetical order.
func codesOf(status int) []string {
	all := door.Codes()[status]
	if own := string(codeOf(status)); (codes[status] != "" || len(all) == 0) && !slices.Contains(all, own) {
		all = append(all, own)
	}
	slices.Sort(all)
	return all
}

// Schema implements huma.SchemaProvider.
func (code) Schema(huma.Registry) *huma.Schema {
	all := map[string]bool{string(codeOf(http.StatusBadRequest)): true}
	for status := range codes {
		for _, c := range codesOf(status) {
			all[c] = true
		}
	}
	for _, of := range door.Codes() {
		for _, c := range of {
			all[c] = true
		}
	}
	s := &huma.Schema{Type: huma.TypeString}
	for _, c := range slices.Sorted(maps.Keys(all)) {
		s.Enum = append(s.Enum, c)
	}
	return s
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
