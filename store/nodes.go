package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// Rows name the node that works on something by its turn. Whether that node is still alive is checked in the same
// transaction: while it runs, a node that is gone can't come back.

// node returns this node's turn; 0 without a cluster.
func (s *Store) node() int64 {
	if s.others == nil {
		return 0
	}
	return s.others.Turn()
}

// Turn returns this node's turn, by which rows name it; 0 without a cluster.
func (s *Store) Turn() int64 { return s.node() }

// relayKey is the name of a key that the nodes of a cluster share.
const relayKey = "relay"

// RelayKey returns the key that authenticates the messages between nodes. Call it only in a cluster.
func (s *Store) RelayKey(ctx context.Context) ([]byte, error) {
	text, err := s.others.Key(ctx, relayKey, func() (string, error) { return rand.Text() + rand.Text(), nil })
	return []byte(text), err
}

// liveTurns is the SQL list of the turns of the nodes that work.
const liveTurns = "(SELECT turn FROM nodes WHERE turn <> 0)"

// First reports whether this node does the work that one node does for all: retention, push messages, traces.
func (s *Store) First() bool { return s.others == nil || s.others.First() }

// Nodes lists the nodes of the cluster; without a cluster, none.
func (s *Store) Nodes(ctx context.Context) ([]session.Node, error) {
	if s.others == nil {
		return []session.Node{}, nil
	}
	return s.others.Nodes(ctx)
}

// elsewhere reports whether a turn is that of another live node.
func (c *change) elsewhere(turn int64) (is bool, err error) {
	if turn == c.store.node() || turn == 0 {
		return false, nil
	}
	err = c.row("SELECT EXISTS (SELECT 1 FROM nodes WHERE turn = ?)", turn).Scan(&is)
	return is, err
}

// notElsewhere returns approval.ErrElsewhere if another live node wrote the approval last.
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
	var last int64
	err := t.store.db.ReadRow(ctx, "SELECT node FROM approvals WHERE id = ?", id).Scan(&last)
	if err != nil || last == t.store.node() {
		return err
	}
	_, err = write(ctx, t.store, "adopt", func(c *change) (struct{}, error) { return struct{}{}, c.adopt(id) })
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
	if err != nil || turn == l.store.node() && l.store.servesAll() {
		return stop, err
	}
	found, err := write(ctx, l.store, "work", func(c *change) (runner, error) { return c.work(id) })
	if err == nil && found.elsewhere {
		err = session.ErrElsewhere
	}
	return found.stop, err
}

// runner is the result of work.
type runner struct {
	stop      session.Stop
	elsewhere bool // another node works in the session, or may take it
}

// work makes this node the one that works in a session, or leaves the session to others.
func (c *change) work(id string) (r runner, err error) {
	s, err := scanHead(c.row("SELECT session, ended FROM sessions WHERE id = ? AND removed = 0", id))
	if err != nil {
		return r, err
	}
	turn, stop, err := scanRunner(c.row(selectRunner, id))
	if err != nil {
		return r, err
	}
	switch is, err := c.elsewhere(turn); {
	case is || err != nil:
		return runner{elsewhere: true}, err
	case !c.store.serves(s.AgentID):
		c.tell(news{Of: newNodes}, func() {})
		return runner{elsewhere: true}, c.exec("DELETE FROM runners WHERE session_id = ?", id)
	}
	return runner{stop: stop}, c.runs(id)
}

// runs records that this node works in a session.
func (c *change) runs(sessionID string) error {
	return c.exec("INSERT INTO runners (session_id, turn) VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET turn = excluded.turn", sessionID, c.store.node())
}

const selectRunner = "SELECT turn, stop FROM runners WHERE session_id = ?"

// scanRunner reads which node works in a session, by its turn, 0 for none, and the Stop for the session's open turn.
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
	if err != nil || turn == l.store.node() {
		return err
	}
	_, err = write(ctx, l.store, "stop", func(c *change) (struct{}, error) {
		err := c.row(`INSERT INTO runners (session_id, turn, stop) SELECT s.id, 0, ? FROM sessions s WHERE s.id = ? AND s.turn_open = 1
			AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id AND e.seq > ? AND e.type = 'turn.finished')
			ON CONFLICT (session_id) DO UPDATE SET stop = excluded.stop RETURNING turn`, string(said), id, cmp.Or(by.Seq, math.MaxInt64)).Scan(&turn)
		if errors.Is(err, sql.ErrNoRows) {
			return struct{}{}, nil
		}
		c.calls(id, turn, said)
		return struct{}{}, err
	})
	return err
}

// calls tells another node, by its turn, to look at a session. stop is a session.Stop as JSON, or empty.
func (c *change) calls(sessionID string, turn int64, stop []byte) {
	if turn != 0 && turn != c.store.node() {
		c.tell(news{Of: newCall, ID: sessionID, Seq: turn, Value: stop}, func() {})
	}
}

// callRunner tells the other node that works in a session, if there is one, to look at it.
func (c *change) callRunner(sessionID string) error {
	if c.store.others == nil {
		return nil
	}
	turn, _, err := scanRunner(c.row(selectRunner, sessionID))
	c.calls(sessionID, turn, nil)
	return err
}

// stopped clears the Stop of a session whose turn has ended.
func (c *change) stopped(sessionID string) error {
	if c.store.others == nil {
		return nil
	}
	return c.exec("UPDATE runners SET stop = '' WHERE session_id = ? AND stop <> ''", sessionID)
}

// leftAtOnce is how many sessions a node takes over in one transaction, so that other nodes get their share.
const leftAtOnce = 20

// selectLeft finds sessions with an open turn, except those whose parent has one too.
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
	known, err := json.Marshal(slices.DeleteFunc(slices.Clone(agents), func(id string) bool { return !l.store.serves(id) }))
	if err != nil {
		return nil, false, fmt.Errorf("store: agents: %w", err)
	}
	list, err = write(ctx, l.store, "left", func(c *change) ([]session.Session, error) {
		rows, err := c.rows(selectLeft+`AND s.agent_id IN (SELECT value FROM json_each(?))
			AND NOT EXISTS (SELECT 1 FROM runners r WHERE r.session_id = s.id AND r.turn IN `+liveTurns+") "+order+"LIMIT ?",
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
