package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Retention is how long finished things are kept; zero: for ever.
type Retention struct {
	Sessions time.Duration // since a session's last event, with all that was asked in it
	Requests time.Duration // since the answer
	Audit    time.Duration
	Exports  string // the folder for records that are cut off the audit log
}

// Removed counts what Retain removed.
type Removed struct {
	Sessions, Requests, Records int
	Export                      string // the file with the records
}

// What one step removes at most, so that no decision waits long behind it.
const (
	oldAtOnce   = 25 // sessions or requests, each of which is checked
	rowsAtOnce  = 200
	bytesAtOnce = 1 << 20
)

// Retain removes what is too old, in small steps through the writer. It never touches a session in which something
// waits or runs, or one above or below such a session. If it is interrupted, the next call continues.
func (s *Store) Retain(ctx context.Context, r Retention, now time.Time) (done Removed, err error) {
	select {
	case <-s.filled: // what is not in the history yet would not be found
	case <-ctx.Done():
		return done, context.Cause(ctx)
	}
	if r.Requests > 0 {
		if err := s.retainRequests(ctx, now.Add(-r.Requests), &done); err != nil {
			return done, err
		}
	}
	if r.Sessions > 0 {
		if err := s.retainSessions(ctx, now.Add(-r.Sessions), &done); err != nil {
			return done, err
		}
	}
	if err := s.removeMarked(ctx); err != nil { // also what an earlier setting has marked
		return done, err
	}
	return done, s.retainAudit(ctx, r, now, &done)
}

// steps repeats a change until it reports that nothing is left. After each one it rests for as long as that took, so
// that others get the disk.
func (s *Store) steps(ctx context.Context, edge string, do func(*change) (more bool, err error)) error {
	for {
		began := time.Now()
		more, err := write(ctx, s, edge, do)
		if err != nil || !more {
			return err
		}
		if err := rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// tree is a session and all below it.
const tree = "WITH RECURSIVE tree (id) AS (SELECT id FROM sessions WHERE id = ?1 UNION ALL SELECT s.id FROM tree t JOIN sessions s ON s.parent_id = t.id) "

// busy finds a session s in which something waits or runs, or a program may still ask.
const busy = `(s.turn_open = 1 OR s.run <> '' AND s.ended = ''
	OR EXISTS (SELECT 1 FROM waiting w WHERE w.session_id = s.id)
	OR EXISTS (SELECT 1 FROM approvals a WHERE a.session_id = s.id AND a.run = 'claimed'))`

// retainSessions marks the sessions whose last event is too old, each with all below it.
func (s *Store) retainSessions(ctx context.Context, before time.Time, done *Removed) error {
	return s.eachOld(ctx, before, `SELECT created_at, id FROM sessions WHERE (created_at, id) > (?, ?) AND created_at < ?
		AND parent_id IS NULL AND removed = 0 ORDER BY created_at, id LIMIT ?`, func(ids []string) error {
		return s.steps(ctx, "retain.mark", func(c *change) (more bool, err error) {
			for _, id := range ids {
				n, err := c.mark(id, before)
				if err != nil {
					return false, err
				}
				done.Sessions += n
			}
			return false, nil
		})
	})
}

func (c *change) mark(id string, before time.Time) (marked int, err error) {
	err = c.row(tree+`SELECT CASE WHEN EXISTS (SELECT 1 FROM tree t CROSS JOIN sessions s ON s.id = t.id
		WHERE `+busy+` OR (SELECT e.at FROM events e WHERE e.session_id = s.id ORDER BY e.seq DESC LIMIT 1) >= ?2)
		THEN 0 ELSE (SELECT count(*) FROM tree) END`, id, before.UnixMicro()).Scan(&marked)
	if err != nil || marked == 0 {
		return 0, err
	}
	return marked, c.exec(tree+"UPDATE sessions SET removed = 1 WHERE id IN (SELECT id FROM tree)", id)
}

// over finds a request a, of a session s, that was answered before a time and is finished. A refusal that still holds
// stays until its session ends.
const over = `a.status <> 'pending' AND (a.refused = 0 OR s.ended <> '') AND a.answered_at < ? AND NOT ` + busy

// retainRequests removes requests that were answered before a time. It finds them beside the writer, which checks
// them again.
func (s *Store) retainRequests(ctx context.Context, before time.Time, done *Removed) error {
	return s.eachOld(ctx, before, `SELECT h.requested_at, h.id FROM history h CROSS JOIN approvals a ON a.id = h.id CROSS JOIN sessions s ON s.id = a.session_id
		WHERE (h.requested_at, h.id) > (?, ?) AND `+over+` ORDER BY h.requested_at, h.id LIMIT ?`, func(ids []string) error {
		return s.steps(ctx, "retain.requests", func(c *change) (more bool, err error) {
			for bytes := 0; len(ids) > 0 && bytes < bytesAtOnce; ids = ids[1:] {
				size, err := c.removeAnswered(ids[0], before)
				if err != nil {
					return false, err
				}
				if bytes += size; size > 0 {
					done.Requests++
				}
			}
			return len(ids) > 0, nil
		})
	})
}

// removeAnswered removes a request that is over, and returns how many bytes it had.
func (c *change) removeAnswered(id string, before time.Time) (size int, err error) {
	err = c.row(`SELECT coalesce(sum(octet_length(a.request) + coalesce((SELECT octet_length(d.rest) FROM diffs d WHERE d.approval_id = a.id), 0)), 0)
		FROM approvals a JOIN sessions s ON s.id = a.session_id
		WHERE a.id = ? AND `+over, id, before.UnixMicro()).Scan(&size)
	if err != nil || size == 0 {
		return 0, err
	}
	return size, c.removeRequest(id)
}

func (c *change) removeRequest(id string) error {
	return errors.Join(c.exec("DELETE FROM diffs WHERE approval_id = ?", id), c.exec("DELETE FROM approvals WHERE id = ?", id))
}

// eachOld calls do with the ids of old rows, some at a time. The query's parameters are the time and id of the last
// row, the time before which rows are old, and the limit.
func (s *Store) eachOld(ctx context.Context, before time.Time, query string, do func(ids []string) error) error {
	var at int64
	var id string
	for {
		rows, err := s.db.ReadRows(ctx, query, at, id, before.UnixMicro(), oldAtOnce)
		ids, err := scanned("retention", rows, err, func(row scanner) (string, error) {
			err := row.Scan(&at, &id)
			return id, err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := do(ids); err != nil {
			return err
		}
	}
}

// removeMarked removes what is in the marked sessions, and then the sessions.
func (s *Store) removeMarked(ctx context.Context) error {
	var marked bool
	err := s.db.ReadRow(ctx, "SELECT EXISTS (SELECT 1 FROM sessions WHERE removed = 1)").Scan(&marked)
	if err != nil || !marked {
		return err
	}
	return s.steps(ctx, "retain.remove", func(c *change) (more bool, err error) {
		var id string
		err = c.row("SELECT coalesce(min(id), '') FROM sessions WHERE removed = 1").Scan(&id)
		if err != nil || id == "" {
			return false, err
		}
		c.changed = append(c.changed, id)
		return true, c.removeSome(id)
	})
}

// removeSome removes a part of a marked session, or the session itself if nothing else is left.
func (c *change) removeSome(id string) error {
	budget := bytesAtOnce
	requests, err := sized[string](c, &budget, `SELECT id, octet_length(request) + coalesce((SELECT octet_length(rest) FROM diffs WHERE approval_id = id), 0)
		FROM approvals WHERE session_id = ? ORDER BY requested_at, id LIMIT ?`, id)
	if err != nil {
		return err
	}
	for _, request := range requests {
		if err := c.removeRequest(request); err != nil {
			return err
		}
	}
	if len(requests) > 0 {
		return nil
	}
	events, err := sized[int64](c, &budget, "SELECT seq, octet_length(data) FROM events WHERE session_id = ? ORDER BY seq LIMIT ?", id)
	if err != nil {
		return err
	}
	if len(events) > 0 {
		return c.exec("DELETE FROM events WHERE session_id = ? AND seq <= ?", id, events[len(events)-1])
	}
	return errors.Join(
		c.exec("UPDATE grants SET session_id = NULL WHERE session_id = ? AND standing = 1 AND ended = 0", id), // it holds beyond its session
		c.exec("DELETE FROM grants WHERE session_id = ?", id),
		c.exec("DELETE FROM sessions WHERE id = ?", id))
}

// sized returns the first column of rows, as many as the bytes of the second column allow; at least one.
func sized[K any](c *change, budget *int, query string, of any) ([]K, error) {
	rows, err := c.rows(query, of, rowsAtOnce)
	return scanned("retention", rows, err, func(row scanner) (key K, err error) {
		if *budget <= 0 {
			return key, errEnough
		}
		var size int
		if err := row.Scan(&key, &size); err != nil {
			return key, fmt.Errorf("store: retention: %w", err)
		}
		*budget -= size
		return key, nil
	})
}
