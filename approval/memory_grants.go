package approval

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

var (
	_ Store  = (*Memory)(nil)
	_ Grants = (*Memory)(nil)
)

// insertGrant adds a grant; where there are too many, the oldest gives way.
func (s *Memory) insertGrant(ctx context.Context, g Grant, now time.Time) error {
	live, oldest := 0, -1
	for i, other := range s.grants {
		if other.SharesRoom(g) && other.Ended.Reason == "" {
			live++
			if oldest < 0 {
				oldest = i
			}
		}
	}
	if live >= GrantsPerSession {
		if err := s.end(ctx, oldest, GrantCrowdedOut, BySystem(), now); err != nil {
			return err
		}
	}
	s.grants = append(s.grants, g)
	return s.tellGrant(ctx, EventGranted, g)
}

// tellGrant journals what became of a grant in its session, if it has one.
func (s *Memory) tellGrant(ctx context.Context, eventType string, g Grant) error {
	if g.SessionID == "" {
		return nil
	}
	return s.journal.Record(ctx, g.SessionID, eventType, g)
}

// GiveGrant implements Store.
func (s *Memory) GiveGrant(ctx context.Context, g Grant) (Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now().UTC()
	switch {
	case ctx.Err() != nil:
		return Grant{}, context.Cause(ctx)
	case s.halt(g.AgentID).On:
		return Grant{}, ErrHalted
	}
	for _, other := range s.grants {
		if other.Alive(now) && other.SameAs(g) {
			return other, nil
		}
	}
	return g, s.insertGrant(ctx, g, now)
}

// consumeGrant counts a call that an answer clears by a grant.
func (s *Memory) consumeGrant(_ context.Context, r Response, now time.Time) error {
	if !r.ByGrant() {
		return nil
	}
	for i, g := range s.grants {
		if g.ID == r.GrantID {
			used, err := g.Use(now)
			if err == nil {
				s.grants[i] = used
			}
			return err
		}
	}
	return ErrGrantEnded
}

func (s *Memory) end(ctx context.Context, i int, reason GrantReason, by By, now time.Time) error {
	ended, changed := s.grants[i].End(reason, by, now)
	if !changed {
		return nil
	}
	s.grants[i] = ended
	return s.tellGrant(ctx, EventGrantEnd, ended)
}

// Held implements Grants.
func (s *Memory) Held(_ context.Context, sessionID, agentID, toolName string) ([]Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var held []Grant
	for i := len(s.grants) - 1; i >= 0; i-- {
		g := s.grants[i]
		if (g.Standing || g.SessionID == sessionID) && g.AgentID == agentID && g.ToolName == toolName && g.Ended.Reason == "" {
			held = append(held, g)
		}
	}
	return held, nil
}

// remember adds a row that was refused, and ends the refusals that an approval lifts.
func (s *Memory) remember(a Approval) {
	if r, ok := a.Refused(); ok {
		s.refusals = append(s.refusals, r)
	}
	if !a.Lifts() {
		return
	}
	for i, r := range s.refusals {
		if s.rows[r.ApprovalID].SessionID == a.SessionID {
			s.refusals[i].Touches = r.Left(a.Touches)
		}
	}
	s.refusals = slices.DeleteFunc(s.refusals, func(r Refusal) bool { return len(r.Touches) == 0 })
}

// Refused implements Grants.
func (s *Memory) Refused(_ context.Context, sessionID string) ([]Refusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Refusal
	for _, r := range slices.Backward(s.refusals) {
		if s.rows[r.ApprovalID].SessionID == sessionID && len(found) < MaxRefusals {
			found = append(found, r)
		}
	}
	return found, nil
}

// Revealed implements Store.
func (s *Memory) Revealed(ctx context.Context, approvalID string, by By) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, ok := s.rows[approvalID]
	if !ok {
		return ErrUnknown
	}
	return s.journal.Record(ctx, row.SessionID, EventRevealed, Revealed{ApprovalID: approvalID, By: by})
}

// Extend implements Store.
func (s *Memory) Extend(ctx context.Context, approvalID string, until time.Time) (Approval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.rows[approvalID]
	if !ok {
		return before, ErrUnknown
	}
	after, err := before.Extend(until, time.Now())
	if err == nil {
		err = s.journal.Record(ctx, after.SessionID, EventExtended, ExtensionOf(after))
	}
	if err != nil {
		return before, err
	}
	s.put(after)
	return after, nil
}

// ListGrants implements Store. The grants of a session that has ended have
// ended with it.
func (s *Memory) ListGrants(ctx context.Context, q GrantQuery) ([]Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Grant
	for i := len(s.grants) - 1; i >= 0; i-- {
		g := s.grants[i]
		if err := s.journal.Live(ctx, g.SessionID); err != nil && !g.Standing {
			g, _ = g.End(GrantSessionEnded, BySystem(), time.Now().UTC())
		}
		if q.Matches(g) && (!q.All() || len(list) < MaxGrants) {
			list = append(list, g)
		}
	}
	return list, nil
}

// EndGrant implements Store.
func (s *Memory) EndGrant(ctx context.Context, grantID string, reason GrantReason, by By) (Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return Grant{}, context.Cause(ctx)
	}
	for i, g := range s.grants {
		if g.ID == grantID {
			err := s.end(ctx, i, reason, by, time.Now().UTC())
			return s.grants[i], err
		}
	}
	return Grant{}, ErrNoGrant
}

// SetModes implements Store.
func (s *Memory) SetModes(ctx context.Context, next ...ModeSetting) ([]ModeSetting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	all := make([]ModeSetting, 0, len(next))
	for _, n := range next {
		set, err := s.modes[n.AgentID].Set(n, time.Now().UTC())
		if err != nil {
			return []ModeSetting{set}, err
		}
		all = append(all, set)
	}
	for _, set := range all {
		s.modes[set.AgentID] = set
		Modes.Publish(s.bus, set)
	}
	return all, nil
}

// ListModes implements Store.
func (s *Memory) ListModes(context.Context) ([]ModeSetting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]ModeSetting, 0, len(s.modes))
	for _, m := range s.modes {
		list = append(list, m)
	}
	return list, nil
}

// SetHalt implements Store.
func (s *Memory) SetHalt(_ context.Context, h Halt) (Halt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.halts[h.AgentID]; now.On == h.On {
		now.AgentID = h.AgentID
		return now, nil
	}
	h = h.Set(time.Now().UTC())
	s.halts[h.AgentID] = h
	if !h.On {
		delete(s.halts, h.AgentID)
	}
	Halts.Publish(s.bus, h)
	return h, nil
}

// ListHalts implements Store.
func (s *Memory) ListHalts(context.Context) ([]Halt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.halts)), nil
}

// halt is the one that is on for an agent; the zero Halt where there is none.
func (s *Memory) halt(agentID string) Halt {
	return cmp.Or(s.halts[agentID], s.halts[""])
}
