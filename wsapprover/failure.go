package wsapprover

import (
	"errors"
	"strings"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

var (
	errInvalid      = errors.New("invalid")
	errUnknownEvent = errors.New("there is no such event")
	errUnknownCall  = errors.New("no client tool waits for that call")
	errLater        = errors.New("answered later") // never sent
	errGone         = errors.New("the tab has gone")
)

// codes maps errors to the codes of the wire; the first that matches counts.
var codes = []struct {
	err  error
	code string
}{
	{errUnknownEvent, "unknown_event"},
	{errUnknownCall, "unknown_call"},
	{errInvalid, "invalid"},
	{auth.ErrForbidden, "forbidden"},
	{approval.ErrUnknown, "unknown_approval"},
	{approval.ErrForeign, "foreign_session"},
	{approval.ErrDigest, "digest_mismatch"},
	{approval.ErrInvalid, "invalid"},
	{approval.ErrExpired, "expired"},
	{approval.ErrDecided, "already_decided"},
	{session.ErrUnknown, "unknown_session"},
	{session.ErrEnded, "session_ended"},
	{session.ErrNoAgent, "unknown_agent"},
}

// refuse answers a frame with an error. What is no fault of the client's is
// told in general words, and logged.
func (t *tab) refuse(id string, err error) {
	failed := failure{Code: "unavailable", Message: "the gateway could not do this now, and nothing has changed: try again"}
	var bad *badFrame
	if errors.As(err, &bad) {
		failed.Code, failed.Message = "bad_frame", err.Error()
	} else {
		for _, c := range codes {
			if errors.Is(err, c.err) {
				failed.Code, failed.Message = c.code, plain(err.Error())
				break
			}
		}
	}
	if failed.Code == "unavailable" {
		t.hub.log.Error("a tab's frame could not be served", zap.String("subject", t.who.Subject), zap.Error(err))
	}
	var s *standing
	if errors.As(err, &s) && (failed.Code == "already_decided" || failed.Code == "expired") {
		failed.Response = t.answered(s.row).Response
	}
	t.send(eventError, id, failed)
}

// plain takes the names of packages off an error's front; they mean nothing to
// people.
func plain(text string) string {
	for _, prefix := range []string{"approval: ", "gate: ", "session: ", "agent: ", "auth: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
