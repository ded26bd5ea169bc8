package wsapprover

import (
	"errors"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/door"
)

var (
	errInvalid      = errors.New("invalid")
	errUnknownEvent = errors.New("there is no such event")
	errUnknownCall  = errors.New("no client tool waits for that call")
	errLater        = errors.New("answered later") // never sent
	errGone         = errors.New("the tab has gone")
)

// badFrameCode is the code of a frame that can't be read.
const badFrameCode = "bad_frame"

// codes are the codes of the errors that only this door knows.
var codes = []struct {
	err  error
	code string
}{
	{errUnknownEvent, "unknown_event"},
	{errUnknownCall, "unknown_call"},
	{errNoCapability, "no_capability"},
	{errInvalid, "invalid"},
}

// refuse answers a frame with an error. What is no fault of the client's is told in
// general words, and logged.
func (t *tab) refuse(id string, err error) { t.send(eventError, id, t.failure(err)) }

func (t *tab) failure(err error) failure {
	var bad *badFrame
	if errors.As(err, &bad) {
		return failure{Code: badFrameCode, Message: err.Error()}
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return failure{Code: c.code, Message: err.Error()}
		}
	}
	found := door.FaultOf(err)
	if found.Ours {
		t.hub.log.Error("a tab's frame could not be served", zap.String("subject", t.who.Subject), zap.Error(err))
	}
	failed := failure{Code: found.Code, Message: found.Words}
	var conflict *door.Conflict
	if errors.As(err, &conflict) {
		failed.Response = conflict.Response
	}
	return failed
}
