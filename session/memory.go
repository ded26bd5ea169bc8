package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/tool"
)

// Memory is a Log without a disk, for tests and for programs that need no
// more. It also serves approval.Memory as its journal.
type Memory struct {
	bus *bus.Bus

	mu       sync.Mutex
	sessions map[string]*kept
	order    []string
}

// kept is one session with its journal and the facts that follow from it.
type kept struct {
	session Session
	events  []Event
	facts   Facts
}

// NewMemory makes an empty log that publishes on b.
func NewMemory(b *bus.Bus) *Memory {
	return &Memory{bus: b, sessions: map[string]*kept{}}
}

// Create implements Log.
func (m *Memory) Create(_ context.Context, s Session) (Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.create(s)
}

// Join implements Log.
func (m *Memory) Join(_ context.Context, s Session) (Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.sessions {
		if k.session.RunKey() != "" && k.session.RunKey() == s.RunKey() && k.session.Ended == "" {
			return k.read().Head(), nil
		}
	}
	made, err := m.create(s)
	return made.Head(), err
}

// EndIdle implements Log. A Memory does not know which calls run.
func (m *Memory) EndIdle(_ context.Context, since time.Time, spared func(string) bool) (ids []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.order {
		k := m.sessions[id]
		if k.session.RunKey() == "" || k.session.Ended != "" || len(k.facts.Pending) > 0 || !k.events[len(k.events)-1].At.Before(since) || spared(id) {
			continue
		}
		if _, err := m.add(k, TypeEnded, IdleEnd); err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (m *Memory) create(s Session) (Session, error) {
	s, err := s.Filled()
	if err != nil {
		return Session{}, err
	}
	if m.sessions[s.ID] != nil {
		return Session{}, fmt.Errorf("session: %s exists already", s.ID)
	}
	k := &kept{session: s}
	m.sessions[s.ID] = k
	m.order = append(m.order, s.ID)
	if _, err := m.add(k, TypeCreated, Created{Session: s}); err != nil {
		return Session{}, err
	}
	return k.read(), nil
}

// Filled returns a new session with what its maker left open: id, kind, time.
func (s Session) Filled() (Session, error) {
	if s.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return s, fmt.Errorf("session: id: %w", err)
		}
		s.ID = id.String()
	}
	if s.Kind == "" {
		s.Kind = KindAgent
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = time.Now().UTC().Truncate(time.Microsecond)
	}
	s.Ended, s.Status, s.TurnOpen, s.Seq, s.Usage, s.Calls = "", StatusIdle, false, 1, Usage{}, Calls{}
	return s, nil
}

// Get implements Log.
func (m *Memory) Get(_ context.Context, id string) (Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.sessions[id]
	if k == nil {
		return Session{}, ErrUnknown
	}
	return k.read(), nil
}

// Head implements Log.
func (m *Memory) Head(ctx context.Context, id string) (Session, error) {
	s, err := m.Get(ctx, id)
	return s.Head(), err
}

// List implements Log.
func (m *Memory) List(_ context.Context, q Query) ([]Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	older := m.order
	if q.Before != "" {
		if older = older[:max(0, slices.Index(m.order, q.Before))]; m.sessions[q.Before] == nil {
			return nil, ErrUnknown
		}
	}
	list := []Session{}
	for _, id := range slices.Backward(older) {
		if s := m.sessions[id].read(); q.Matches(s) && len(list) < q.Most() {
			list = append(list, s)
		}
	}
	return list, nil
}

// Append implements Log.
func (m *Memory) Append(ctx context.Context, id string, body Body) (Event, error) {
	if ctx.Err() != nil {
		return Event{}, context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.appendLocked(id, body.EventType(), body)
}

// Work implements Log: there is one process.
func (m *Memory) Work(context.Context, string) (Stop, error) { return Stop{}, nil }

// Stop implements Log.
func (m *Memory) Stop(context.Context, string, Stop) error { return nil }

// Left implements Log.
func (m *Memory) Left(context.Context, []string) (list []Session, more bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.order {
		k := m.sessions[id]
		if above := m.sessions[k.session.ParentID]; k.facts.TurnOpen && (above == nil || !above.facts.TurnOpen) {
			list = append(list, k.read().Head())
		}
	}
	return list, false, nil
}

// Events implements Log.
func (m *Memory) Events(_ context.Context, id string, after int64, limit int) ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.sessions[id]
	if k == nil {
		return nil, ErrUnknown
	}
	events := k.events[min(max(after, 0), int64(len(k.events))):]
	if limit == 0 {
		return slices.Clone(events), nil
	}
	n, bytes := 0, 0
	for n < min(limit, len(events)) && bytes < PageBytes {
		bytes += len(events[n].Data)
		n++
	}
	return slices.Clone(events[:n]), nil
}

// Record adds an event given by the name of its type, for approval.Memory.
func (m *Memory) Record(_ context.Context, id, eventType string, data any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.appendLocked(id, Type(eventType), data)
	return err
}

// Result adds the result of a call and returns the event's number, for approval.Memory.
func (m *Memory) Result(ctx context.Context, id, callID, approvalID, toolName string, r tool.Result) (int64, error) {
	e, err := m.Append(ctx, id, ToolResult{CallID: callID, ApprovalID: approvalID, ToolName: toolName, Result: r})
	return e.Seq, err
}

// Above lists the sessions above one, the nearest first, for approval.Memory.
func (m *Memory) Above(_ context.Context, id string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var above []string
	for k := m.sessions[id]; k != nil && k.session.ParentID != ""; k = m.sessions[k.session.ParentID] {
		above = append(above, k.session.ParentID)
	}
	return above
}

// Live returns ErrUnknown or ErrEnded for a session that takes no new work.
func (m *Memory) Live(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.sessions[id]
	switch {
	case k == nil:
		return ErrUnknown
	case k.session.Ended != "":
		return ErrEnded
	}
	return nil
}

func (m *Memory) appendLocked(id string, t Type, data any) (Event, error) {
	k := m.sessions[id]
	switch {
	case k == nil:
		return Event{}, ErrUnknown
	case k.session.Ended != "" && !t.AfterEnd():
		return Event{}, ErrEnded
	}
	return m.add(k, t, data)
}

// add numbers, keeps and publishes an event, all under the mutex, so that the
// bus has the journal's order.
func (m *Memory) add(k *kept, t Type, data any) (Event, error) {
	raw, err := json.Marshal(WithCalls(data, k.facts.Calls()), json.Deterministic(true))
	if err != nil {
		return Event{}, fmt.Errorf("session: event %s: %w", t, err)
	}
	e := Event{
		SessionID: k.session.ID, Seq: int64(len(k.events)) + 1, Type: t,
		At: time.Now().UTC().Truncate(time.Microsecond), Data: raw,
	}
	if err := k.facts.Add(e); err != nil {
		return Event{}, err
	}
	k.session.Ended = k.facts.Ended
	k.events = append(k.events, e)
	Events.Publish(m.bus, e)
	return e, nil
}

func (k *kept) read() Session {
	s := k.session
	s.Seq, s.Status, s.TurnOpen = int64(len(k.events)), StatusOf(k.facts), k.facts.TurnOpen
	s.PendingApprovals, s.Usage, s.Calls = slices.Clone(k.facts.Pending), k.facts.Usage, k.facts.Calls()
	return s
}
