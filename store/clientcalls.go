package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// ClientCalls hands calls of client tools to the clients of other nodes. Nodes are named by their turn.
type ClientCalls struct{ s *Store }

// ClientCalls is the store as a session.ClientCalls; nil without a cluster.
func (s *Store) ClientCalls() *ClientCalls {
	if s.others == nil {
		return nil
	}
	return &ClientCalls{s}
}

// Show tells the other nodes who is connected here.
func (c *ClientCalls) Show(ctx context.Context, here session.Clients) error {
	raw, err := json.Marshal(here)
	if err != nil {
		return fmt.Errorf("store: clients: %w", err)
	}
	return c.s.others.Show(ctx, string(raw))
}

// alive returns the SQL condition that the node whose turn is in a column has a valid lease.
func alive(column string) string {
	return "EXISTS (SELECT 1 FROM nodes WHERE nodes.turn = " + column + " AND nodes.until > clock_timestamp())"
}

// Others lists who is connected to each of the other live nodes.
func (c *ClientCalls) Others(ctx context.Context) ([]session.Clients, error) {
	rows, err := c.s.db.ReadRows(ctx, "SELECT turn, clients FROM clients WHERE turn <> ? AND "+alive("clients.turn"), c.s.others.Turn())
	return scanned("clients", rows, err, func(row scanner) (one session.Clients, err error) {
		var raw string
		if err = row.Scan(&one.Node, &raw); err == nil {
			err = json.Unmarshal([]byte(raw), &one)
		}
		if err != nil {
			err = fmt.Errorf("store: clients: %w", err)
		}
		return one, err
	})
}

// Changed receives a value after a change of a call that this node handed out, or that was handed to it.
func (c *ClientCalls) Changed() <-chan struct{} { return c.s.called }

func (s *Store) callChanged(turn string) {
	if turn != strconv.FormatInt(s.others.Turn(), 10) {
		return
	}
	select {
	case s.called <- struct{}{}:
	default: // it will look anyway
	}
}

func (c *change) tellOfCall(node int64) {
	turn := strconv.FormatInt(node, 10)
	c.tell(news{Of: newClientCall, ID: turn}, func() { c.store.callChanged(turn) })
}

// forgetAfter is how long after its deadline a call is kept that was never ended.
const forgetAfter = time.Minute

// Hand gives a call to a node.
func (c *ClientCalls) Hand(ctx context.Context, call session.ClientCall) error {
	raw, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("store: client call: %w", err)
	}
	_, err = write(ctx, c.s, "hand", func(w *change) (struct{}, error) {
		err := w.exec("DELETE FROM client_calls WHERE expires_at < ?", w.now.Add(-forgetAfter).UnixMicro())
		if err == nil {
			err = w.exec("INSERT INTO client_calls (id, runner, node, state, expires_at, call) VALUES (?, ?, ?, ?, ?, ?)",
				call.ID, c.s.others.Turn(), call.Node, session.CallHanded, call.ExpiresAt.UnixMicro(), string(raw))
		}
		if err != nil {
			return struct{}{}, fmt.Errorf("store: client call: %w", err)
		}
		w.tellOfCall(call.Node)
		return struct{}{}, nil
	})
	return err
}

// TakeBack ends a call that no client has started; otherwise it returns session.ErrCallBegun.
func (c *ClientCalls) TakeBack(ctx context.Context, callID string) error {
	return c.step(ctx, session.ErrCallBegun, "DELETE FROM client_calls WHERE id = ? AND runner = ? AND state IN ('handed', 'returned') RETURNING node",
		callID, c.s.others.Turn())
}

// End ends a call that this node has handed out, in any state.
func (c *ClientCalls) End(ctx context.Context, callID string) error {
	return c.step(ctx, nil, "DELETE FROM client_calls WHERE id = ? AND runner = ? RETURNING node", callID, c.s.others.Turn())
}

// Start notes that a client of this node has started a call. Like Return and Finish, it returns session.ErrCallGone
// if this node does not have the call.
func (c *ClientCalls) Start(ctx context.Context, callID string) error {
	return c.step(ctx, session.ErrCallGone, "UPDATE client_calls SET state = 'started' WHERE id = ? AND node = ? AND state IN ('handed', 'started') RETURNING runner",
		callID, c.s.others.Turn())
}

// Return gives back a call that no client of this node has started.
func (c *ClientCalls) Return(ctx context.Context, callID string) error {
	return c.step(ctx, session.ErrCallGone, "UPDATE client_calls SET state = 'returned' WHERE id = ? AND node = ? AND state = 'handed' RETURNING runner",
		callID, c.s.others.Turn())
}

// Finish stores the result of a call.
func (c *ClientCalls) Finish(ctx context.Context, callID string, result tool.Result) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("store: client call: %w", err)
	}
	return c.step(ctx, session.ErrCallGone,
		"UPDATE client_calls SET result = ?, state = 'finished' WHERE id = ? AND node = ? AND state IN ('handed', 'started') RETURNING runner",
		string(raw), callID, c.s.others.Turn())
}

// step changes a call and tells the node that the query returns. It returns none if there is nothing to change.
func (c *ClientCalls) step(ctx context.Context, none error, query string, args ...any) error {
	_, err := write(ctx, c.s, "clientcall", func(w *change) (struct{}, error) {
		var node int64
		switch err := w.row(query, args...).Scan(&node); {
		case errors.Is(err, sql.ErrNoRows):
			return struct{}{}, none
		case err != nil:
			return struct{}{}, fmt.Errorf("store: client call: %w", err)
		}
		w.tellOfCall(node)
		return struct{}{}, nil
	})
	return err
}

// Open lists the calls that this node has handed out, and those that live nodes have handed to it.
func (c *ClientCalls) Open(ctx context.Context) (away, here []session.ClientCall, err error) {
	turn := c.s.others.Turn()
	rows, err := c.s.db.ReadRows(ctx, "SELECT runner, node, state, call, result, NOT "+alive("client_calls.node")+" FROM client_calls WHERE runner = ? OR node = ? AND state <> 'returned' AND "+
		alive("client_calls.runner"), turn, turn)
	_, err = scanned("client calls", rows, err, func(row scanner) (_ struct{}, err error) {
		var call session.ClientCall
		var runner int64
		var raw string
		var result sql.NullString
		if err := row.Scan(&runner, &call.Node, &call.State, &raw, &result, &call.Gone); err != nil {
			return struct{}{}, fmt.Errorf("store: client calls: %w", err)
		}
		err = json.Unmarshal([]byte(raw), &call)
		if err == nil && result.Valid {
			err = json.Unmarshal([]byte(result.String), &call.Result)
		}
		if err != nil {
			return struct{}{}, fmt.Errorf("store: client calls: %w", err)
		}
		if runner == turn {
			away = append(away, call)
		} else {
			here = append(here, call)
		}
		return struct{}{}, nil
	})
	return away, here, err
}
