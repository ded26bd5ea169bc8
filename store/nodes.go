package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// The nodes of a cluster work beside each other. Rows say by the number of its turn which one works on
// what; whether that one is still there is looked up in the same transaction, in which it can't come back.

// node is the turn of this node; 0 where there is no cluster.
func (s *Store) node() int64 {
	if s.others == nil {
		return 0
	}
	return s.others.Turn()
}

// First reports whether this node does what one node does for all: retention, browsers that are called, traces.
func (s *Store) First() bool { return s.others == nil || s.others.First() }

// elsewhere reports whether a turn is that of another node which works.
func (c *change) elsewhere(turn int64) (is bool, err error) {
	if turn == c.store.node() || turn == 0 {
		return false, nil
	}
	err = c.row("SELECT EXISTS (SELECT 1 FROM nodes WHERE turn = ?)", turn).Scan(&is)
	return is, err
}

// notElsewhere is approval.ErrElsewhere for an approval with which another node has to do: it was the last to write it.
func (c *change) notElsewhere(approvalID string) error {
	if c.store.others == nil {
		return nil
	}
	var turn int64
	if err := c.row("SELECT node FROM approvals WHERE id = ?", approvalID).Scan(&turn); err != nil {
		return err
	}
	is, err := c.elsewhere(turn)
	if is {
		return approval.ErrElsewhere
	}
	return err
}

// Adopt implements approval.Store.
func (t *Approvals) Adopt(ctx context.Context, id string) error {
	if t.store.others == nil {
		return nil
	}
	_, err := write(ctx, t.store, "adopt", func(c *change) (struct{}, error) { return struct{}{}, c.adopt(id) })
	return err
}

func (c *change) adopt(id string) error {
	if c.store.others == nil {
		return nil
	}
	return c.exec("UPDATE approvals SET node = ? WHERE id = ? AND status = 'pending' AND node <> ?", c.store.node(), id, c.store.node())
}

// Work implements session.Log.
func (l *Sessions) Work(ctx context.Context, id string) (session.Stop, error) {
	if l.store.others == nil {
		return session.Stop{}, nil
	}
	turn, stop, err := scanRunner(l.store.db.ReadRow(ctx, selectRunner, id))
	if err != nil || turn == l.store.node() {
		return stop, err
	}
	return write(ctx, l.store, "work", func(c *change) (session.Stop, error) {
		if _, err := scanHead(c.row("SELECT session, ended FROM sessions WHERE id = ? AND removed = 0", id)); err != nil {
			return stop, err
		}
		turn, stop, err := scanRunner(c.row(selectRunner, id))
		if err != nil {
			return stop, err
		}
		if is, err := c.elsewhere(turn); is || err != nil {
			return session.Stop{}, errors.Join(err, session.ErrElsewhere)
		}
		return stop, c.runs(id)
	})
}

// runs has this node work in a session.
func (c *change) runs(sessionID string) error {
	return c.exec("INSERT INTO runners (session_id, turn) VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET turn = excluded.turn", sessionID, c.store.node())
}

const selectRunner = "SELECT turn, stop FROM runners WHERE session_id = ?"

// scanRunner reads which turn works in a session, 0 for none, and who wants that to stop.
func scanRunner(row scanner) (turn int64, stop session.Stop, err error) {
	var said string
	err = row.Scan(&turn, &said)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, stop, nil
	}
	if err == nil && said != "" {
		err = json.Unmarshal([]byte(said), &stop)
	}
	if err != nil {
		err = fmt.Errorf("store: runner: %w", err)
	}
	return turn, stop, err
}

// Stop implements session.Log.
func (l *Sessions) Stop(ctx context.Context, id string, by session.Stop) error {
	if l.store.others == nil {
		return nil
	}
	said, err := json.Marshal(by)
	if err != nil {
		return fmt.Errorf("store: stop: %w", err)
	}
	turn, _, err := scanRunner(l.store.db.ReadRow(ctx, selectRunner, id))
	if err != nil || turn == 0 || turn == l.store.node() {
		return err
	}
	_, err = write(ctx, l.store, "stop", func(c *change) (struct{}, error) {
		err := c.row(`UPDATE runners SET stop = ? WHERE session_id = ? AND EXISTS (SELECT 1 FROM sessions WHERE id = session_id AND turn_open = 1)
			AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = runners.session_id AND e.seq > ? AND e.type = 'turn.finished') RETURNING turn`,
			string(said), id, cmp.Or(by.Seq, math.MaxInt64)).Scan(&turn)
		if errors.Is(err, sql.ErrNoRows) {
			return struct{}{}, nil
		}
		c.calls(id, turn, said)
		return struct{}{}, err
	})
	return err
}

// calls tells the node of a turn to look at a session; stop is the JSON of who wants its turn to end.
func (c *change) calls(sessionID string, turn int64, stop []byte) {
	if turn != 0 && turn != c.store.node() {
		c.tell(news{Of: newCall, ID: sessionID, Seq: turn, Value: stop}, func() {})
	}
}

// callRunner tells the node that works in a session, if it is another one, to look at it.
func (c *change) callRunner(sessionID string) error {
	if c.store.others == nil {
		return nil
	}
	turn, _, err := scanRunner(c.row(selectRunner, sessionID))
	c.calls(sessionID, turn, nil)
	return err
}

// stopped forgets who wanted a turn to end that has ended.
func (c *change) stopped(sessionID string) error {
	if c.store.others == nil {
		return nil
	}
	return c.exec("UPDATE runners SET stop = '' WHERE session_id = ? AND stop <> ''", sessionID)
}

// leftAtOnce is how many sessions a node takes over in one transaction; other nodes take their share.
const leftAtOnce = 20

// selectLeft finds sessions with an open turn, but those below another one with an open turn.
const selectLeft = `SELECT s.session, s.ended FROM sessions s WHERE s.turn_open = 1 AND s.removed = 0
	AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_id AND p.turn_open = 1) `

// Left implements session.Log.
func (l *Sessions) Left(ctx context.Context, agents []string) (list []session.Session, more bool, err error) {
	const order = "ORDER BY s.created_at, s.id "
	if l.store.others == nil {
		rows, err := l.store.db.ReadRows(ctx, selectLeft+order)
		list, err := scanned("sessions", rows, err, scanHead)
		return list, false, err
	}
	known, err := json.Marshal(agents)
	if err != nil {
		return nil, false, fmt.Errorf("store: agents: %w", err)
	}
	list, err = write(ctx, l.store, "left", func(c *change) ([]session.Session, error) {
		rows, err := c.rows(selectLeft+`AND s.agent_id IN (SELECT value FROM json_each(?))
			AND NOT EXISTS (SELECT 1 FROM runners r JOIN nodes n ON n.turn = r.turn WHERE r.session_id = s.id AND n.turn <> 0) `+order+"LIMIT ?",
			string(known), leftAtOnce)
		list, err := scanned("sessions", rows, err, scanHead)
		for _, s := range list {
			if err == nil {
				err = c.runs(s.ID)
			}
		}
		return list, err
	})
	return list, len(list) == leftAtOnce, err
}
