package wsapprover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
)

const (
	maxSnapshots = 64          // scopes that are remembered
	snapshotTime = time.Minute // to read one
)

// snapshots are the snapshots of the tabs that connect, read and encoded once for
// each scope until something happens: after a restart all tabs come at once.
type snapshots struct {
	mu      sync.Mutex
	byScope map[string]*snapshot
}

// snapshot is what is the case for one scope.
type snapshot struct {
	at     uint64        // how many events had been sent to tabs when it was asked for
	read   chan struct{} // closed when it has been read
	frames []outgoing
	err    error
}

// snapshot returns the frames for a tab that was attached after that many events, with or
// without the requests that wait. An older snapshot would lack what was sent between it and
// the tab.
func (h *Hub) snapshot(ctx context.Context, who auth.Identity, attached uint64, requests bool) ([]outgoing, error) {
	scope := fmt.Sprint(requests, "\n", strings.Join(slices.Sorted(slices.Values(who.Agents)), "\n"))
	h.snapshots.mu.Lock()
	s := h.snapshots.byScope[scope]
	if s == nil || s.at < attached {
		if len(h.snapshots.byScope) >= maxSnapshots {
			clear(h.snapshots.byScope)
		}
		s = &snapshot{at: attached, read: make(chan struct{})}
		h.snapshots.byScope[scope] = s
		h.snapshots.mu.Unlock()
		s.frames, s.err = h.readSnapshot(ctx, who, requests)
		if s.err != nil {
			h.snapshots.forget(scope, s)
		}
		close(s.read)
		return s.frames, s.err
	}
	h.snapshots.mu.Unlock()
	select {
	case <-s.read:
		return s.frames, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (all *snapshots) forget(scope string, s *snapshot) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byScope[scope] == s {
		delete(all.byScope, scope)
	}
}

// readSnapshot reads and encodes. Others may wait for it, so that it does not end
// with the tab that came first.
func (h *Hub) readSnapshot(ctx context.Context, who auth.Identity, requests bool) ([]outgoing, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), snapshotTime)
	defer cancel()
	pages, err := h.Door.Snapshot(ctx, who)
	if err != nil {
		return nil, err
	}
	frames := make([]outgoing, len(pages))
	for i, page := range pages {
		if !requests {
			page.Pending = []door.Request{}
		}
		if frames[i], err = prepare(eventSnapshot, "", page); err != nil {
			return nil, err
		}
		frames[i].size = 0 // however much waits, a tab is not too slow before it has begun
	}
	return frames, nil
}
