package wsapprover

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/transcript"
)

// What a client says in its hello that it can do.
const (
	canApprove  = "approvals"
	canFillIn   = "elicitation"
	canRunTools = "clientTools"
)

// ability is whether a tab takes requests and answers them.
type ability int

const (
	undeclared ability = iota // no hello yet
	able
	unable
)

var errNoCapability = errors.New("this client can't answer")

// onHello notes what the tab can do. Where that makes it one that is to be shown
// what waits, or to be shown anything at all, a snapshot follows.
func (t *tab) onHello(ctx context.Context, f frame) (ack, error) {
	h, err := decoded[hello](f)
	if err != nil {
		return ack{}, err
	}
	for _, c := range h.Capabilities {
		if c != canApprove && c != canFillIn && c != canRunTools {
			return ack{}, fmt.Errorf("%w: capabilities: %q; there are: approvals, elicitation, clientTools", errInvalid, c)
		}
	}
	runs := slices.Contains(h.Capabilities, canRunTools)
	if !runs && len(h.Tools) > 0 {
		return ack{}, fmt.Errorf("%w: tools: need the capability clientTools", errInvalid)
	}
	can := unable
	if slices.Contains(h.Capabilities, canApprove) {
		can = able
	}
	t.hub.mu.Lock()
	before := t.approvals
	t.approvals, t.clientTools = can, h.Tools
	t.hub.mu.Unlock()
	if runs {
		t.hub.Clients.addTab(t)
	} else {
		t.hub.Clients.removeTab(t)
	}
	t.hub.Clients.Show(ctx)
	if can != before && (before == unable || t.hub.requireHello && before == undeclared) {
		t.catchUpOnRequests(ctx)
	}
	if can != able {
		return ack{Note: "this client is sent no requests for approval and can't answer: it does not list the capability approvals"}, nil
	}
	return ack{}, nil
}

// catchUpOnRequests sends a snapshot to a tab that has said what it can do. What is
// offered meanwhile waits behind it.
func (t *tab) catchUpOnRequests(ctx context.Context) {
	t.hub.mu.Lock()
	t.mu.Lock()
	t.attached, t.held = t.hub.sent, true
	place := len(t.queue)
	t.mu.Unlock()
	t.hub.mu.Unlock()
	frames, err := t.snapshot(ctx)
	if err != nil {
		t.notGreeted(err)
		return
	}
	t.release(place, frames)
}

// notGreeted closes a tab that can't be shown what is the case.
func (t *tab) notGreeted(err error) {
	t.hub.log.Error("a tab could not be given its snapshot", zap.Error(err))
	t.close(websocket.CloseTryAgainLater, "the gateway could not read its store: reconnect")
}

// asked reports whether the tab is sent requests and may answer them; under h.mu.
func (h *Hub) asked(t *tab) bool {
	return t.approvals == able || t.approvals == undeclared && !h.requireHello
}

// mayAnswer refuses an answer of a tab that has not said that it takes approvals.
func (t *tab) mayAnswer() error {
	t.hub.mu.Lock()
	defer t.hub.mu.Unlock()
	why := "its hello does not list the capability approvals"
	switch {
	case t.hub.asked(t):
		return nil
	case t.approvals == undeclared:
		why = "this gateway takes no answer before its hello"
	}
	return fmt.Errorf(`%w: %s: send hello with "capabilities": ["approvals"] first`, errNoCapability, why)
}

// mayAnswerInWords is mayAnswer for a line of chat that would answer what waits.
func (t *tab) mayAnswerInWords(ctx context.Context, m message) error {
	refused := t.mayAnswer()
	if refused == nil {
		return nil
	}
	if transcript.IsToolText(m.Text) {
		return refused
	}
	if _, is := transcript.ReadWords(m.Text); !is {
		return nil
	}
	found, err := t.hub.Door.Session(ctx, m.SessionID)
	if err != nil || len(found.PendingApprovals) == 0 {
		return err
	}
	return refused
}
