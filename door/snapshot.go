package door

import (
	"context"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// How much a snapshot has: of sessions those that are at work or wait, and the
// newest; and how much of it a page has.
const (
	newestSessions = 50
	pageOfRequests = 100
	pageOfSessions = 200
)

// Snapshot is a page of what is the case when a client connects. A client forgets
// nothing before More is false.
type Snapshot struct {
	Pending  []Request       `json:"pending"`
	Sessions []Session       `json:"sessions"`
	Halts    []approval.Halt `json:"halts,omitempty"` // those that are on, on the first page
	More     bool            `json:"more"`            // whether another page follows
}

// Snapshot reads what waits and runs, and the newest sessions, as the identity may
// know of them. There is at least one page.
func (d *Door) Snapshot(ctx context.Context, who auth.Identity) ([]Snapshot, error) {
	pending, err := d.Find(ctx, who, approval.Query{Status: approval.Pending})
	if err != nil {
		return nil, fmt.Errorf("door: snapshot: %w", err)
	}
	sessions, err := d.Sessions(ctx, who, session.Query{Limit: newestSessions})
	if err != nil {
		return nil, fmt.Errorf("door: snapshot: %w", err)
	}
	if len(sessions) == newestSessions { // there may be older ones at work
		oldest := sessions[len(sessions)-1].ID
		for s, err := range session.All(ctx, d.b.Sessions, session.Query{Agents: who.Agents, Busy: true, Before: oldest}) {
			if err != nil {
				return nil, fmt.Errorf("door: snapshot: %w", err)
			}
			sessions = append(sessions, d.session(s))
		}
	}
	requests := make([]Request, len(pending))
	for i, a := range pending {
		requests[i] = a.Request
	}
	all := pages(requests, sessions)
	all[0].Halts = d.Halts(who)
	return all, nil
}

func pages(requests []Request, sessions []Session) []Snapshot {
	pages := []Snapshot{{Pending: []Request{}, Sessions: []Session{}}}
	next := func(i int) *Snapshot {
		for len(pages) <= i {
			pages[len(pages)-1].More = true
			pages = append(pages, Snapshot{Pending: []Request{}, Sessions: []Session{}})
		}
		return &pages[i]
	}
	i := 0
	for some := range slices.Chunk(sessions, pageOfSessions) {
		next(i).Sessions = some
		i++
	}
	i = 0
	bytes := 0
	for _, r := range requests {
		if n := len(next(i).Pending); n == pageOfRequests || n > 0 && bytes+r.Size() > session.PageBytes {
			i, bytes = i+1, 0
		}
		next(i).Pending = append(next(i).Pending, r)
		bytes += r.Size()
	}
	return pages
}
