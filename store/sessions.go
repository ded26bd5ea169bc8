package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Sessions is the store as a session.Log.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

// Sessions keeps conversations and their journals.
type Sessions struct{ store *Store }

var _ session.Log = (*Sessions)(nil)

// Create implements session.Log.
func (l *Sessions) Create(ctx context.Context, s session.Session) (session.Session, error) {
	s, err := s.Filled()
	if err != nil {
		return session.Session{}, err
	}
	return write(ctx, l.store, string(session.TypeCreated), func(c *change) (session.Session, error) { return s, c.createSession(s) })
}

func (c *change) createSession(s session.Session) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("store: session: %w", err)
	}
	var there bool
	if err := c.row("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?)", s.ID).Scan(&there); err != nil {
		return err
	}
	if there {
		return fmt.Errorf("store: session %s exists already", s.ID)
	}
	err = c.exec("INSERT INTO sessions (id, agent_id, parent_id, session, created_at, run) VALUES (?, ?, ?, ?, ?, ?)",
		s.ID, s.AgentID, orNull(s.ParentID), string(data), s.CreatedAt.UnixMicro(), s.RunKey())
	if err != nil {
		return err
	}
	_, err = c.journal(s.ID, session.TypeCreated, session.Created{Session: s})
	return err
}

// joined finds the open session of a run.
const joined = "SELECT session, ended FROM sessions WHERE run = ? AND run <> '' AND ended = '' AND removed = 0"

// Join implements session.Log.
func (l *Sessions) Join(ctx context.Context, s session.Session) (session.Session, error) {
	found, err := scanHead(l.store.db.ReadRow(ctx, joined, s.RunKey()))
	if !errors.Is(err, session.ErrUnknown) {
		return found, err
	}
	if s, err = s.Filled(); err != nil {
		return s, err
	}
	return write(ctx, l.store, string(session.TypeCreated), func(c *change) (session.Session, error) {
		found, err := scanHead(c.row(joined, s.RunKey()))
		if !errors.Is(err, session.ErrUnknown) {
			return found, err
		}
		return s.Head(), c.createSession(s)
	})
}

// EndIdle implements session.Log. It finds and ends them in one transaction.
func (l *Sessions) EndIdle(ctx context.Context, since time.Time, spared func(id string) bool) ([]string, error) {
	return write(ctx, l.store, string(session.TypeEnded), func(c *change) ([]string, error) {
		rows, err := c.rows(`SELECT id FROM sessions s WHERE run <> '' AND ended = ''
			AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.session_id = s.id)
			AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.session_id = s.id AND a.run = 'claimed')
			AND (SELECT at FROM events e WHERE e.session_id = s.id ORDER BY seq DESC LIMIT 1) < ?`, since.UnixMicro())
		idle, err := scanned("sessions", rows, err, func(row scanner) (id string, err error) {
			err = row.Scan(&id)
			return id, err
		})
		if err != nil {
			return nil, err
		}
		idle = slices.DeleteFunc(idle, spared)
		for _, id := range idle {
			if _, err := c.journal(id, session.TypeEnded, session.IdleEnd); err != nil {
				return nil, err
			}
		}
		return idle, nil
	})
}

// Append implements session.Log.
func (l *Sessions) Append(ctx context.Context, id string, body session.Body) (session.Event, error) {
	return write(ctx, l.store, string(body.EventType()), func(c *change) (session.Event, error) {
		if r, ok := body.(session.ToolResult); ok && r.ApprovalID == "" {
			// A call that was never asked about: its tool does not exist, or no model may call it.
			refused := audit.Call{About: audit.About{SessionID: id, ToolCallID: r.CallID, ToolName: r.ToolName}}
			if err := c.audit(audit.CallRefused, bySystem(), refused); err != nil {
				return session.Event{}, err
			}
		}
		return c.journal(id, body.EventType(), body)
	})
}

// journal adds an event to a session, as part of a change, and queues it for the bus.
func (c *change) journal(sessionID string, t session.Type, body any) (session.Event, error) {
	e := session.Event{SessionID: sessionID, Type: t, At: c.now}
	var calls session.Calls
	err := c.row("UPDATE sessions SET seq = seq + 1 WHERE id = ? AND removed = 0 AND (ended = '' OR ? = 1) RETURNING seq, calls, denied, unanswered",
		sessionID, is(t.AfterEnd())).Scan(&e.Seq, &calls.Settled, &calls.Denied, &calls.Unanswered)
	if errors.Is(err, sql.ErrNoRows) {
		return session.Event{}, c.requireOpen(sessionID, t)
	}
	if err != nil {
		return session.Event{}, fmt.Errorf("store: event: %w", err)
	}
	if t == session.TypeTurnFinished || t == session.TypeEnded {
		body = session.WithCalls(body, calls)
	}
	if e.Data, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return session.Event{}, fmt.Errorf("store: event %s: %w", t, err)
	}
	if err := c.follow(sessionID, body); err != nil {
		return session.Event{}, err
	}
	err = c.exec("INSERT INTO events (session_id, seq, type, at, data) VALUES (?, ?, ?, ?, ?)",
		sessionID, e.Seq, string(t), e.At.UnixMicro(), string(e.Data))
	if err != nil {
		return session.Event{}, fmt.Errorf("store: event: %w", err)
	}
	c.tell(news{Of: newEvent, ID: sessionID, Seq: e.Seq}, func() { session.Events.Publish(c.store.bus, e) })
	return e, c.turn(sessionID, t, body)
}

// turn updates whether a session's turn is open, after an event that may change it.
func (c *change) turn(sessionID string, t session.Type, body any) error {
	switch t {
	case session.TypeUserMessage:
		return errors.Join(c.exec("UPDATE sessions SET turn_open = 1 WHERE id = ?", sessionID), c.callRunner(sessionID))
	case session.TypeTurnStarted:
		return c.exec("UPDATE sessions SET turn_open = 1, calls = 0, denied = 0, unanswered = 0 WHERE id = ?", sessionID)
	case session.TypeTurnFinished:
		finished, ok := body.(session.TurnFinished)
		if !ok {
			return fmt.Errorf("store: event %s: it has a %T", t, body)
		}
		err := c.exec(`UPDATE sessions SET turn_open = CASE WHEN EXISTS
			(SELECT 1 FROM events WHERE session_id = ? AND type = 'message.user' AND seq > ?) THEN 1 ELSE 0 END
			WHERE id = ?`, sessionID, finished.Heard, sessionID)
		return errors.Join(err, c.stopped(sessionID))
	default:
		return nil
	}
}

// follow updates what a session's row derives from its events.
func (c *change) follow(sessionID string, body any) error {
	switch body := body.(type) {
	case session.Ended:
		if err := c.endGrants(sessionID); err != nil {
			return err
		}
		return c.exec("UPDATE sessions SET ended = ? WHERE id = ?", string(body.Outcome), sessionID)
	case session.AssistantMessage:
		return c.spend(sessionID, body.Usage)
	case session.TurnFinished:
		return c.spend(sessionID, body.Usage)
	}
	return nil
}

// spend adds to what a session has used.
func (c *change) spend(sessionID string, more session.Usage) error {
	if more == (session.Usage{}) {
		return nil
	}
	var text string
	var used session.Usage
	if err := c.row("SELECT usage FROM sessions WHERE id = ?", sessionID).Scan(&text); err != nil {
		return fmt.Errorf("store: usage: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &used); err != nil {
		return fmt.Errorf("store: usage: %w", err)
	}
	raw, err := json.Marshal(used.Plus(more))
	if err != nil {
		return fmt.Errorf("store: usage: %w", err)
	}
	return c.exec("UPDATE sessions SET usage = ? WHERE id = ?", string(raw), sessionID)
}

// settledCall counts a call that no longer waits. An elicitation is no call.
func (c *change) settledCall(asked approval.Request, r approval.Response) error {
	if asked.Type != approval.ToolConfirmation {
		return nil
	}
	unanswered := r.Reason.Unanswered()
	return c.exec("UPDATE sessions SET calls = calls + 1, denied = denied + ?, unanswered = unanswered + ? WHERE id = ?",
		is(r.Status == approval.Denied && !unanswered), is(unanswered), asked.SessionID)
}

// requireOpen refuses an event that the session can't take.
func (c *change) requireOpen(sessionID string, t session.Type) error {
	var ended string
	err := c.row("SELECT ended FROM sessions WHERE id = ? AND removed = 0", sessionID).Scan(&ended)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return session.ErrUnknown
	case err != nil:
		return fmt.Errorf("store: session: %w", err)
	case ended != "" && !t.AfterEnd():
		return session.ErrEnded
	}
	return nil
}

// Events implements session.Log.
func (l *Sessions) Events(ctx context.Context, id string, after int64, limit int) ([]session.Event, error) {
	rows, err := l.store.db.ReadRows(ctx,
		"SELECT seq, type, at, data FROM events WHERE session_id = ? AND seq > ? AND (SELECT removed FROM sessions WHERE id = session_id) = 0 ORDER BY seq LIMIT ?", id, after, cmp.Or(limit, math.MaxInt64))
	bytes := 0
	events, err := scanned("events", rows, err, func(row scanner) (session.Event, error) {
		e := session.Event{SessionID: id}
		if limit > 0 && bytes >= session.PageBytes {
			return e, errEnough
		}
		var at int64
		var data string
		if err := row.Scan(&e.Seq, &e.Type, &at, &data); err != nil {
			return e, fmt.Errorf("store: events: %w", err)
		}
		e.At, e.Data = time.UnixMicro(at).UTC(), tool.JSON(data)
		bytes += len(data)
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		_, err = l.Get(ctx, id)
	}
	return events, err
}

// selectSessions reads sessions with the rows from which their status follows.
const selectSessions = `
SELECT s.session, s.ended, s.seq, s.usage, s.calls, s.denied, s.unanswered,
       (SELECT '[' || coalesce(string_agg('{"seq":' || w.seq || ',"request":' || a.request || '}', ',' ORDER BY w.seq), '') || ']'
        FROM waiting w JOIN approvals a ON a.id = w.approval_id WHERE w.session_id = s.id),
       coalesce((SELECT e.data FROM events e
         WHERE e.session_id = s.id AND e.type IN ('turn.started', 'turn.finished')
         ORDER BY e.seq DESC LIMIT 1), ''),
       coalesce((SELECT e.data FROM events e
         WHERE e.session_id = s.id AND e.type = 'turn.finished'
         ORDER BY e.seq DESC LIMIT 1), '{}'),
       coalesce((SELECT max(e.seq) FROM events e
         WHERE e.session_id = s.id AND e.type = 'message.user'), 0)
FROM sessions s `

// Get implements session.Log.
func (l *Sessions) Get(ctx context.Context, id string) (session.Session, error) {
	s, err := scanSession(l.store.db.ReadRow(ctx, selectSessions+"WHERE s.id = ? AND s.removed = 0", id))
	if errors.Is(err, sql.ErrNoRows) {
		return session.Session{}, session.ErrUnknown
	}
	return s, err
}

// Head implements session.Log.
func (l *Sessions) Head(ctx context.Context, id string) (session.Session, error) {
	return scanHead(l.store.db.ReadRow(ctx, "SELECT session, ended FROM sessions WHERE id = ? AND removed = 0", id))
}

func scanHead(row scanner) (s session.Session, err error) {
	var made string
	err = row.Scan(&made, &s.Ended)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s, session.ErrUnknown
	case err == nil:
		err = json.Unmarshal([]byte(made), &s)
	}
	if err != nil {
		return s, fmt.Errorf("store: session: %w", err)
	}
	return s.Head(), nil
}

// List implements session.Log.
func (l *Sessions) List(ctx context.Context, q session.Query) ([]session.Session, error) {
	where, args, err := l.wanted(ctx, q)
	if err != nil {
		return nil, err
	}
	// The ids first, so that the costly columns are read only of the wanted sessions.
	const order = "ORDER BY s.created_at DESC, s.id DESC "
	rows, err := l.store.db.ReadRows(ctx, selectSessions+"WHERE s.id IN (SELECT s.id FROM sessions s "+where+order+"LIMIT ?) "+order,
		append(args, q.Most())...)
	return scanned("sessions", rows, err, scanSession)
}

// wanted returns a query's conditions in SQL.
func (l *Sessions) wanted(ctx context.Context, q session.Query) (where string, args []any, err error) {
	where = "WHERE s.removed = 0 "
	if len(q.Agents) > 0 {
		agents, err := json.Marshal(q.Agents)
		if err != nil {
			return "", nil, fmt.Errorf("store: sessions: %w", err)
		}
		where, args = where+"AND s.agent_id IN (SELECT value FROM json_each(?)) ", append(args, string(agents))
	}
	if q.Busy {
		where += `AND s.id IN (SELECT id FROM sessions WHERE turn_open = 1
			UNION SELECT session_id FROM waiting) `
	}
	if q.Before != "" {
		var made int64
		err := l.store.db.ReadRow(ctx, "SELECT created_at FROM sessions WHERE id = ?", q.Before).Scan(&made)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return "", nil, session.ErrUnknown
		case err != nil:
			return "", nil, fmt.Errorf("store: sessions: %w", err)
		}
		where, args = where+"AND (s.created_at, s.id) < (?, ?) ", append(args, made, q.Before)
	}
	return where, args, nil
}

func scanSession(row scanner) (session.Session, error) {
	var made, ended, used, pending, turn, finished string
	var seq, said int64
	var calls session.Calls
	var facts session.Facts
	if err := row.Scan(&made, &ended, &seq, &used, &calls.Settled, &calls.Denied, &calls.Unanswered, &pending, &turn, &finished, &said); err != nil {
		return session.Session{}, fmt.Errorf("store: session: %w", err)
	}
	var s session.Session
	if err := json.Unmarshal([]byte(made), &s); err != nil {
		return session.Session{}, fmt.Errorf("store: session: %w", err)
	}
	if err := json.Unmarshal([]byte(used), &s.Usage); err != nil {
		return session.Session{}, fmt.Errorf("store: session %s: usage: %w", s.ID, err)
	}
	facts.Ended = session.Outcome(ended)
	var err error
	if facts.Pending, err = pendingOf(s.ID, pending); err != nil {
		return session.Session{}, err
	}
	// Only a finished turn has an outcome.
	var newest, last session.TurnFinished
	for _, t := range []struct {
		raw  string
		into *session.TurnFinished
	}{{turn, &newest}, {finished, &last}} {
		if t.raw == "" {
			continue
		}
		if err := json.Unmarshal([]byte(t.raw), t.into); err != nil {
			return session.Session{}, fmt.Errorf("store: session %s: turn: %w", s.ID, err)
		}
	}
	facts.LastTurn = last.Outcome
	facts.TurnOpen = turn != "" && newest.Outcome == "" || said > last.Heard
	s.Ended, s.Seq, s.Status, s.TurnOpen = facts.Ended, seq, session.StatusOf(facts), facts.TurnOpen
	s.PendingApprovals, s.Calls = facts.Pending, calls
	return s, nil
}
