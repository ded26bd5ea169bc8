package approval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/tool"
)

// Journal is where Memory writes down what happens in a session;
// *session.Memory is one. Each method refuses a session that can't take it,
// and then Memory changes nothing either.
type Journal interface {
	// Record adds an event.
	Record(ctx context.Context, sessionID, eventType string, data any) error
	// Result adds the result of a call, and returns the event's number.
	Result(ctx context.Context, sessionID, callID, approvalID, toolName string, result tool.Result) (seq int64, err error)
	// Above lists the sessions above one, the nearest first.
	Above(ctx context.Context, sessionID string) []string
	// Live returns an error for a session that is unknown or has ended.
	Live(ctx context.Context, sessionID string) error
}

// The journal's events for approvals.
const (
	EventRequested      = "approval.requested"
	EventResolved       = "approval.resolved"
	EventVoided         = "approval.voided"
	EventGranted        = "grant.given"
	EventGrantEnd       = "grant.ended"
	EventRevealed       = "approval.revealed"
	EventExtended       = "approval.extended"
	EventBelowRequested = "below.requested"
	EventBelowResolved  = "below.resolved"
)

// Revealed is what the journal and the audit log have of a look at a request's
// secrets.
type Revealed struct {
	ApprovalID string `json:"approvalId"`
	By         By     `json:"by"`
}

// Extended is what the journal has of a deadline that the program that asked has moved.
type Extended struct {
	ApprovalID string    `json:"approvalId"`
	ExpiresAt  time.Time `json:"expiresAt"`
	Rev        int64     `json:"rev"` // of the request, from then on
}

// ExtensionOf is what the journal has of a row's new deadline.
func ExtensionOf(a Approval) Extended { return Extended{a.ApprovalID, a.ExpiresAt, a.Rev} }

// Memory is a Store without a disk, for tests and for programs that need no
// more. It is also Grants.
type Memory struct {
	bus     *bus.Bus
	journal Journal

	mu       sync.Mutex
	rows     map[string]Approval
	rests    map[string]string  // the rest of each diff, by approval
	latest   map[callKey]string // the newest round's row of each call
	waiting  map[asking]int     // how many rows of each are pending
	refusals []Refusal          // oldest first
	grants   []Grant            // oldest first
	modes    map[string]ModeSetting
	halts    map[string]Halt // those that are on
}

type callKey struct{ session, call string }

// asking is an agent and the program that asks for it, whose pending rows are counted.
type asking struct{ agent, subject string }

// NewMemory makes an empty store that publishes on b and writes to journal.
func NewMemory(b *bus.Bus, journal Journal) *Memory {
	return &Memory{bus: b, journal: journal, rows: map[string]Approval{}, rests: map[string]string{}, latest: map[callKey]string{}, waiting: map[asking]int{}, modes: map[string]ModeSetting{}, halts: map[string]Halt{}}
}

// put keeps a row as it is now; under s.mu.
func (s *Memory) put(a Approval) {
	of := asking{a.AgentID, a.Origin.Subject}
	if s.rows[a.ApprovalID].Status == Pending {
		s.waiting[of]--
	}
	if a.Status == Pending {
		s.waiting[of]++
	}
	s.rows[a.ApprovalID] = a
}

// Create implements Store.
func (s *Memory) Create(ctx context.Context, a Approval) (Approval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return Approval{}, context.Cause(ctx)
	}
	if err := s.journal.Live(ctx, a.SessionID); err != nil {
		return Approval{}, err
	}
	key := callKey{a.SessionID, a.ToolCallID}
	before, asked := s.rows[s.latest[key]]
	if asked && a.ToolCallID != "" {
		if before.Round >= a.Round {
			return Same(before, a)
		}
		if void, changed := before.Supersede(time.Now()); changed {
			if err := s.journal.Record(ctx, a.SessionID, EventVoided, void.Voided); err != nil {
				return Approval{}, err
			}
			s.put(void)
			Responses.Publish(s.bus, void.Voided)
		}
	}
	a, err := s.halt(a.AgentID).Born(a)
	if err == nil {
		a, err = a.CheckLimit(s.waiting[asking{a.AgentID, a.Origin.Subject}])
	}
	if err != nil {
		return Approval{}, err
	}
	if err := s.consumeGrant(ctx, a.Response, time.Now().UTC()); err != nil {
		return Approval{}, err
	}
	a.Above = s.journal.Above(ctx, a.SessionID)
	rest := a.Preview.Rest
	a.Preview.Rest = ""
	if err := s.journal.Record(ctx, a.SessionID, EventRequested, a.Request); err != nil {
		return Approval{}, err
	}
	s.put(a)
	s.rests[a.ApprovalID], s.latest[key] = rest, a.ApprovalID
	s.remember(a)
	if a.Status == Pending {
		s.tellAbove(ctx, a, EventBelowRequested, a.Request.Below())
		Requests.Publish(s.bus, a.Request)
		return a, nil
	}
	return a, s.journal.Record(ctx, a.SessionID, EventResolved, a.Response)
}

// tellAbove journals in the sessions above; one that has ended is not told.
func (s *Memory) tellAbove(ctx context.Context, a Approval, eventType string, data any) {
	for _, id := range a.Above {
		_ = s.journal.Record(ctx, id, eventType, data)
	}
}

// Same returns the row of a call that was asked before, or ErrConflict if it
// was asked with something else.
func Same(before, again Approval) (Approval, error) {
	if before.ArgsDigest != again.ArgsDigest {
		return before, fmt.Errorf("%w: call %s", ErrConflict, again.ToolCallID)
	}
	return before, nil
}

// Settle implements Store.
func (s *Memory) Settle(ctx context.Context, r Response, g *Grant) (Approval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.rows[r.ApprovalID]
	if !ok {
		return Approval{}, ErrUnknown
	}
	now := time.Now().UTC() // first: it must not be after an end of ctx that is not seen
	if ctx.Err() != nil {
		return before, context.Cause(ctx)
	}
	after, err := before.Settle(r, now)
	if err == nil && after.Response.Status == Approved && before.Status == Pending && s.halt(after.AgentID).On {
		err = ErrHalted
	}
	if err != nil {
		return before, err
	}
	if err := s.consumeGrant(ctx, after.Last(), now); err != nil {
		return before, err
	}
	giving := g != nil && after.Status == Approved
	if giving {
		if err := s.journal.Live(ctx, after.SessionID); err != nil {
			return before, err
		}
	}
	event := EventResolved
	if before.Status != Pending {
		event = EventVoided
	}
	if err := s.journal.Record(ctx, after.SessionID, event, after.Last()); err != nil {
		return before, err
	}
	s.put(after)
	if before.Status == Pending {
		s.remember(after)
		s.tellAbove(ctx, after, EventBelowResolved, after.Response.Below())
	}
	if giving {
		if err := s.insertGrant(ctx, *g, now); err != nil {
			return before, err
		}
	}
	Responses.Publish(s.bus, after.Last())
	return after, nil
}

// Claim implements Store.
func (s *Memory) Claim(ctx context.Context, approvalID string, within time.Duration, still func() bool) (Approval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.rows[approvalID]
	if !ok {
		return Approval{}, ErrUnknown
	}
	if err := s.journal.Live(ctx, before.SessionID); err != nil {
		return before, err
	}
	after, err := before.Claim(within, time.Now())
	if err == nil && s.halt(before.AgentID).On {
		err = ErrHalted
	}
	if err == nil && !still() {
		err = ErrOutdated
	}
	if err != nil {
		return before, err
	}
	s.put(after)
	return after, nil
}

// Adopt implements Store: there is one process.
func (s *Memory) Adopt(context.Context, string) error { return nil }

// Finish implements Store.
func (s *Memory) Finish(ctx context.Context, approvalID string, result tool.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.rows[approvalID]
	if !ok {
		return ErrUnknown
	}
	after, err := before.Finish()
	if err != nil {
		return err
	}
	after.ResultSeq, err = s.journal.Result(ctx, after.SessionID, after.ToolCallID, approvalID, after.ToolName, result)
	if err != nil {
		return err
	}
	s.put(after)
	return nil
}

// Get implements Finder.
func (s *Memory) Get(_ context.Context, approvalID string) (Approval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.rows[approvalID]
	if !ok {
		return Approval{}, ErrUnknown
	}
	return a, nil
}

// Change implements Finder.
func (s *Memory) Change(ctx context.Context, approvalID string) (tool.Preview, error) {
	a, err := s.Get(ctx, approvalID)
	s.mu.Lock()
	defer s.mu.Unlock()
	a.Preview.Rest = s.rests[approvalID]
	return a.Preview.Whole(), err
}

// Find implements Finder.
func (s *Memory) Find(_ context.Context, q Query) ([]Approval, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Approval
	for _, a := range s.rows {
		if q.Matches(a) {
			found = append(found, a)
		}
	}
	slices.SortFunc(found, byAge)
	if q.Newest > 0 && len(found) > q.Newest {
		found = found[len(found)-q.Newest:]
	}
	return found, nil
}

// byAge sorts the oldest rows first.
func byAge(a, b Approval) int {
	return cmp.Or(a.RequestedAt.Compare(b.RequestedAt), strings.Compare(a.ApprovalID, b.ApprovalID))
}

// Search implements Finder.
func (s *Memory) Search(_ context.Context, q Search) (Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, there := s.rows[q.Before]
	if agents, all := q.Of(); q.Before != "" && (!there || !all && !slices.Contains(agents, before.AgentID)) {
		return Found{}, ErrUnknown
	}
	var older []Approval
	for _, a := range s.rows {
		if q.Matches(a) && (q.Before == "" || byAge(a, before) < 0) {
			older = append(older, a)
		}
	}
	slices.SortFunc(older, byAge)
	var found Found
	for _, a := range slices.Backward(older) {
		if found.Add(q, a) {
			break
		}
	}
	return found, nil
}
