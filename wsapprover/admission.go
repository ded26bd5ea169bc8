package wsapprover

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/auth"
)

// requestID is the header by which a request is found in the log; who serves the
// hub sets it.
const requestID = "X-Request-Id"

// ServeHTTP takes a tab in: single-use ticket, our subprotocol, our origin. It
// returns as soon as the tab has been handed to Run, so that the request's
// buffers are given back.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	offered := websocket.Subprotocols(r)
	if !websocket.IsWebSocketUpgrade(r) || !slices.Contains(offered, Protocol) {
		http.Error(w, "this is a WebSocket: offer the subprotocols "+Protocol+" and "+TicketPrefix+"…",
			http.StatusUpgradeRequired)
		return
	}
	if !h.Origins.OriginAllowed(r) {
		http.Error(w, "WebSockets from that origin are not taken", http.StatusForbidden)
		return
	}
	who, access, done, err := h.admit(r.Context(), ticketOf(offered))
	if err != nil && !errors.Is(err, auth.ErrUnknown) {
		done()
		h.log.Error("a ticket could not be looked up", zap.Error(err), zap.String("requestId", r.Header.Get(requestID)))
		http.Error(w, "the gateway could not look the ticket up now: try again", http.StatusServiceUnavailable)
		return
	}
	if err != nil || !who.May(auth.See) {
		done()
		h.log.Warn("a WebSocket was refused: its ticket is not valid", zap.String("from", r.RemoteAddr),
			zap.String("requestId", r.Header.Get(requestID)))
		http.Error(w, "the ticket is not valid: get a fresh one by POST /api/ws-ticket", http.StatusUnauthorized)
		return
	}
	leave, ok := h.takeSeat(who)
	if !ok {
		done()
		h.log.Warn("a WebSocket was refused: too many are open", zap.String("subject", who.Subject),
			zap.String("requestId", r.Header.Get(requestID)))
		http.Error(w, "too many WebSockets are open: close some of your tabs", http.StatusTooManyRequests)
		return
	}
	left := func() {
		leave()
		done()
	}
	ws, err := h.upgrader.Upgrade(w, r, nil)
	if err != nil {
		left()
		return // Upgrade has answered
	}
	select {
	case h.arrivals <- arrival{tab: newTab(h, ws, who), access: access, done: left}:
	case <-h.closed:
		left()
		_ = ws.Close() // the client reconnects; there is nobody left to tell
	}
}

// admit uses a ticket up. The access outlives the request that brought it.
func (h *Hub) admit(ctx context.Context, ticket string) (
	who auth.Identity, access context.Context, done context.CancelFunc, err error,
) {
	access, done = context.WithoutCancel(ctx), func() {}
	if who, err = h.Tickets.Redeem(ctx, ticket); err != nil || h.Keyring == nil {
		return who, access, done, err
	}
	who, in, out, err := h.Keyring.Resume(access, who.Credential)
	if err != nil {
		return who, access, done, err
	}
	return who, in, out, nil
}

// takeSeat takes room for one more tab, if there is any.
func (h *Hub) takeSeat(who auth.Identity) (leave func(), taken bool) {
	free, ok := h.Places.Take(who)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !ok || h.total >= h.limits.Tabs {
		free()
		return nil, false
	}
	h.total++
	return func() {
		free()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.total--
	}, true
}

// arrival is a tab on its way in, and how long it may stay.
type arrival struct {
	tab    *tab
	access context.Context
	done   func()
}

// serve serves the tab until it is gone, the hub ends, or the access is over.
func (a arrival) serve(ctx context.Context) {
	defer a.done()
	// The tab works under the access itself: in the moment in which that is over,
	// nothing more that the tab sends is taken.
	work, end := context.WithCancelCause(a.access)
	defer end(context.Canceled)
	defer context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })()
	over := func() {
		a.tab.close(websocket.ClosePolicyViolation, "your access was revoked or changed, or its time is over")
	}
	defer context.AfterFunc(a.access, over)()
	a.tab.run(work, func() {
		if a.access.Err() != nil { // reading has ended for that, and may have noticed it first
			over()
		}
	})
}

func ticketOf(offered []string) string {
	for _, p := range offered {
		if len(p) > len(TicketPrefix) && p[:len(TicketPrefix)] == TicketPrefix {
			return p[len(TicketPrefix):]
		}
	}
	return ""
}
