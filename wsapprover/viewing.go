package wsapprover

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
)

// What another gateway says of its tabs holds for viewedFor. It says it again every sayViewing, since a message may
// be lost, or the gateway may be gone.
const (
	sayViewing = 10 * time.Second
	viewedFor  = 3 * sayViewing
)

// viewings is who looks at what.
type viewings struct {
	here      map[*tab]string // the approval on each tab's screen
	elsewhere map[viewedAt]viewed
}

// viewedAt is an approval on the screen of tabs of another gateway.
type viewedAt struct{ approvalID, gateway string }

type viewed struct {
	viewers []string
	until   time.Time
}

func newViewings() viewings {
	return viewings{here: map[*tab]string{}, elsewhere: map[viewedAt]viewed{}}
}

// of returns who looks at an approval here.
func (v viewings) of(approvalID string) []string {
	viewers := []string{}
	for t, viewed := range v.here {
		if viewed == approvalID {
			viewers = append(viewers, t.who.Subject)
		}
	}
	return sorted(viewers)
}

// all returns who looks at an approval at any gateway.
func (v viewings) all(approvalID string) []string {
	viewers := v.of(approvalID)
	for at, there := range v.elsewhere {
		if at.approvalID == approvalID {
			viewers = append(viewers, there.viewers...)
		}
	}
	return sorted(viewers)
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// view notes which approval a tab shows, and tells everyone who looks at what.
func (h *Hub) view(t *tab, approvalID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.viewing.here[t]
	if before == approvalID {
		return
	}
	delete(h.viewing.here, t)
	if approvalID != "" {
		h.viewing.here[t] = approvalID
	}
	for _, id := range []string{before, approvalID} {
		if id != "" {
			h.tellViewers(id)
			h.Viewing(approval.Viewing{ApprovalID: id, Viewers: h.viewing.of(id)})
		}
	}
}

// Viewed notes who looks at an approval at another gateway of the cluster; gateway is an id that only that one has.
func (h *Hub) Viewed(gateway string, v approval.Viewing) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := viewedAt{v.ApprovalID, gateway}
	before := h.viewing.elsewhere[at]
	if len(v.Viewers) > 0 {
		h.viewing.elsewhere[at] = viewed{v.Viewers, time.Now().Add(viewedFor)}
	} else {
		delete(h.viewing.elsewhere, at)
	}
	if !slices.Equal(before.viewers, v.Viewers) {
		h.tellViewers(v.ApprovalID)
	}
}

// keepViewing says again what is on the screens here, and forgets what other gateways no longer say, until ctx ends.
func (h *Hub) keepViewing(ctx context.Context) error {
	again := time.NewTicker(sayViewing)
	defer again.Stop()
	for {
		select {
		case now := <-again.C:
			h.sayViewing(now)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (h *Hub) sayViewing(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	said := map[string]bool{}
	for _, id := range h.viewing.here {
		if !said[id] {
			said[id] = true
			h.Viewing(approval.Viewing{ApprovalID: id, Viewers: h.viewing.of(id)})
		}
	}
	for at, there := range h.viewing.elsewhere {
		if now.After(there.until) {
			delete(h.viewing.elsewhere, at)
			h.tellViewers(at.approvalID)
		}
	}
}

// tellViewers tells the tabs that may know who looks at an approval; under mu.
func (h *Hub) tellViewers(approvalID string) {
	out, err := prepare(eventPresence, "", presence{ApprovalID: approvalID, Viewers: h.viewing.all(approvalID)})
	if err != nil {
		h.log.Error("presence could not be sent", zap.Error(err))
		return
	}
	for t := range h.tabs {
		if len(t.who.Agents) == 0 {
			t.offer(out)
		}
	}
}
