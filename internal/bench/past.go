package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver, without cgo
)

// measureOldSessions connects a tab where very many sessions are over.
func (b *bench) measureOldSessions(ctx context.Context) error {
	for _, n := range []int{20_000, b.scaled(1_000_000)} {
		err := b.past(ctx, fmt.Sprint("old sessions ", n), n, 1, func(p *process) error {
			return b.connections(p, fmt.Sprintf("a tab connects, %d old sessions", n))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// connections measures tabs that connect one after the other.
func (b *bench) connections(p *process, name string) error {
	var times []time.Duration
	size := 0
	spent := p.cpu()
	for range 50 {
		began := time.Now()
		t, err := p.connect(p.token)
		if err != nil {
			return err
		}
		err = t.settle()
		times = append(times, time.Since(began))
		size = t.bytes
		_ = t.ws.Close()
		if err != nil {
			return err
		}
	}
	b.put(name+": bytes", "kB", float64(size)/1000)
	b.put(name+": p50", "ms", millis(median(times)))
	b.put(name+": CPU of the gateway", "ms", millis(p.cpu()-spent)/50)
	return nil
}

// measureLongJournal starts, decides and reads on a database with very many events.
func (b *bench) measureLongJournal(ctx context.Context) error {
	events := b.scaled(1_000_000)
	return b.past(ctx, "long journal", events/100, 12, func(p *process) error {
		b.put(fmt.Sprintf("start with %d events", events), "ms", millis(p.ready))
		if err := b.turns(ctx, p, fmt.Sprintf("turn with %d events kept", events), 1, 5, 100); err != nil {
			return err
		}
		began := time.Now()
		for range 20 {
			if err := p.get("/api/approvals?status=approved&limit=50"); err != nil {
				return err
			}
		}
		b.put("a page of history", "ms", millis(time.Since(began))/20)
		return nil
	})
}

// past runs a measure on a gateway with many sessions behind it: one session is lived through, and the
// stopped gateway's database is filled with copies of it, each a second older than the one before.
func (b *bench) past(ctx context.Context, name string, copies, turns int, measure func(*process) error) error {
	dir := b.folder(name)
	p, err := b.launch(dir)
	if err != nil {
		return err
	}
	ids, err := p.sessions(ctx, 1)
	if err == nil {
		_, err = p.round(ids, turns)
	}
	p.stop()
	if err != nil {
		return err
	}
	if err := copySession(ctx, filepath.Join(dir, "data", "lineclear.db"), ids[0], copies); err != nil {
		return fmt.Errorf("copies of a session: %w", err)
	}
	for range 2 { // the first start takes in what the copies have changed about the file
		p.stop()
		if p, err = b.launch(dir); err != nil {
			return err
		}
	}
	defer p.stop()
	p.settle()
	return measure(p)
}

// copySession adds copies of a session and of all that is in it. The last twelve digits of its id and of
// the ids in it are the copy's number.
func copySession(ctx context.Context, path, id string, copies int) error {
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=cache_size(-1000000)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, t := range []struct{ table, where, own string }{
		{"sessions", "id = ?1", ""},
		{"events", "session_id = ?1", ""},
		{"approvals", "session_id = ?1", "id"},
		{"history", "id IN (SELECT id FROM approvals WHERE session_id = ?1)", "id"},
	} {
		columns, err := columnsOf(ctx, db, t.table)
		if err != nil {
			return err
		}
		names, values := make([]string, len(columns)), make([]string, len(columns))
		for i, c := range columns {
			names[i], values[i] = c.name, c.name
			switch {
			case c.name == "created_at" || c.name == "requested_at":
				values[i] += " - n.i * 1000000"
			case c.text:
				values[i] = fmt.Sprintf("replace(%s, ?1, substr(?1, 1, 24) || printf('%%012x', n.i))", c.name)
				if t.own != "" { // which has an id of its own
					values[i] = fmt.Sprintf("replace(%s, %s, printf('%%08x', n.i) || substr(%s, 9))", values[i], t.own, t.own)
				}
			}
		}
		_, err = db.ExecContext(ctx, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
			INSERT INTO %s (%s) SELECT %s FROM n CROSS JOIN %s WHERE %s`,
			t.table, strings.Join(names, ", "), strings.Join(values, ", "), t.table, t.where), id, copies)
		if err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
	}
	return nil
}

// column is one that is not computed from others.
type column struct {
	name string
	text bool // and may hold ids
}

func columnsOf(ctx context.Context, db *sql.DB, table string) (all []column, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name, type = 'TEXT' FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.text); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}
