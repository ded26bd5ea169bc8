package door

import (
	"errors"
	"net/http"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

// Fault is an error as a client sees it.
type Fault struct {
	Code   string // of the WebSocket's error frame
	Status int    // of HTTP
	Words  string // for people
	Ours   bool   // not the client's fault: logged, and described in general words
}

const unavailable = "the gateway could not do this now, and nothing has changed: try again"

// faults is the one table of errors; the first that matches counts.
var faults = []struct {
	err    error
	code   string
	status int
}{
	{auth.ErrOver, "unauthorized", http.StatusUnauthorized},
	{auth.ErrUnknown, "unauthorized", http.StatusUnauthorized},
	{auth.ErrNoCredential, "unknown_credential", http.StatusNotFound},
	{auth.ErrNoInvitation, "unknown_link", http.StatusNotFound},
	{auth.ErrLinkUsed, "link_used", http.StatusGone},
	{auth.ErrLinkWithdrawn, "link_withdrawn", http.StatusGone},
	{auth.ErrLinkExpired, "link_expired", http.StatusGone},
	{auth.ErrNotFirst, "conflict", http.StatusConflict},
	{auth.ErrBehind, "conflict", http.StatusConflict},
	{auth.ErrTooMuch, "too_many", http.StatusTooManyRequests},
	{auth.ErrRefused, "forbidden", http.StatusForbidden},
	{auth.ErrInvalid, "invalid", http.StatusUnprocessableEntity},
	{auth.ErrForbidden, "forbidden", http.StatusForbidden},
	{gate.ErrNotYours, "forbidden", http.StatusForbidden},
	{session.ErrUnknown, "unknown_session", http.StatusNotFound},
	{session.ErrNoAgent, "unknown_agent", http.StatusNotFound},
	{gate.ErrNoAgent, "unknown_agent", http.StatusNotFound},
	{approval.ErrUnknown, "unknown_approval", http.StatusNotFound},
	{approval.ErrNoGrant, "unknown_grant", http.StatusNotFound},
	{gate.ErrNoTool, "unknown_tool", http.StatusNotFound},
	{approval.ErrExpired, "expired", http.StatusGone},
	{session.ErrEnded, "session_ended", http.StatusConflict},
	{approval.ErrDecided, "already_decided", http.StatusConflict},
	{approval.ErrConflict, "conflict", http.StatusConflict},
	{approval.ErrHalted, "halted", http.StatusConflict},
	{approval.ErrModeChanged, "conflict", http.StatusConflict},
	{gate.ErrNoHandler, "conflict", http.StatusConflict},
	{gate.ErrOutdated, "conflict", http.StatusConflict},
	{approval.ErrVoid, "conflict", http.StatusConflict},
	{approval.ErrClaimed, "conflict", http.StatusConflict},
	{approval.ErrElsewhere, "conflict", http.StatusConflict},
	{session.ErrElsewhere, "conflict", http.StatusConflict},
	{session.ErrBehind, "conflict", http.StatusConflict},
	{session.ErrCallBegun, "conflict", http.StatusConflict},
	{session.ErrCallGone, "conflict", http.StatusConflict},
	{approval.ErrStale, "conflict", http.StatusConflict},
	{approval.ErrHasResult, "conflict", http.StatusConflict},
	{approval.ErrDigest, "digest_mismatch", http.StatusUnprocessableEntity},
	{approval.ErrForeign, "foreign_session", http.StatusUnprocessableEntity},
	{approval.ErrInvalid, "invalid", http.StatusUnprocessableEntity},
	{approval.ErrRequest, "invalid", http.StatusUnprocessableEntity},
	{transcript.ErrNotTool, "invalid", http.StatusUnprocessableEntity},
	{transcript.ErrToolText, "invalid", http.StatusUnprocessableEntity},
}

// Unavailable is the code of what is no fault of the client's.
const Unavailable = "unavailable"

// Codes are the codes of errors by their HTTP status, each once, in alphabetical order.
func Codes() map[int][]string {
	codes := map[int][]string{http.StatusServiceUnavailable: {Unavailable}}
	for _, f := range faults {
		if !slices.Contains(codes[f.status], f.code) {
			codes[f.status] = append(codes[f.status], f.code)
		}
	}
	for _, of := range codes {
		slices.Sort(of)
	}
	return codes
}

// FaultOf says what an error is. What is on no list is no fault of the client's.
func FaultOf(err error) Fault {
	for _, f := range faults {
		if errors.Is(err, f.err) {
			return Fault{Code: f.code, Status: f.status, Words: tool.Words(err)}
		}
	}
	return Fault{Code: Unavailable, Status: http.StatusServiceUnavailable, Words: unavailable, Ours: true}
}
