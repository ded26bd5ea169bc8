//go:build postgres

package postgres_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
	"github.com/lineclear/lineclear/tool"
)

// decider makes whole decisions at nodes, in turn: asked, answered, claimed, finished, four commits each.
type decider struct {
	nodes    []node
	sessions []string
	made     atomic.Int64
}

func newDecider(b *testing.B, nodes ...node) *decider {
	d := &decider{nodes: nodes}
	for _, n := range nodes {
		s, err := n.Log.Create(b.Context(), session.Session{AgentID: "demo"})
		if err != nil {
			b.Fatal(err)
		}
		d.sessions = append(d.sessions, s.ID)
	}
	return d
}

// ask asks at a node, and returns the request's id.
func (d *decider) ask(b *testing.B, at int) (string, error) {
	a, err := d.nodes[at].Store.Create(b.Context(), approval.New(approvaltest.Request(b, d.sessions[at], fmt.Sprint("call", d.made.Add(1)))))
	return a.ApprovalID, err
}

func (d *decider) decide(b *testing.B) error {
	at := int(d.made.Load()) % len(d.nodes)
	rows := d.nodes[at].Store
	id, err := d.ask(b, at)
	if err == nil {
		_, err = rows.Settle(b.Context(), answer(id, approval.Approved, "ada"), nil)
	}
	if err == nil {
		_, err = rows.Claim(b.Context(), id, time.Hour, approvaltest.Holds)
	}
	if err == nil {
		err = rows.Finish(b.Context(), id, tool.Result{Text: "done"})
	}
	return err
}

// several decides with 50 callers at once.
func (d *decider) several(b *testing.B) {
	b.SetParallelism(25)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := d.decide(b); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func connected(b *testing.B, url string) *sql.DB {
	db, err := sql.Open("pgx", url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// BenchmarkDecisions compares whole decisions with bare commits on the same server, which syncs.
func BenchmarkDecisions(b *testing.B) {
	url := postgrestest.Start(b, "fsync=on").Database(b)
	dir := b.TempDir()
	var all []node
	for _, name := range []string{"one", "two", "three"} {
		all = append(all, open(b, postgres.Options{URL: url, Node: name}, filepath.Join(dir, name)))
	}
	db := connected(b, url)
	b.Run("bare commits", func(b *testing.B) {
		if _, err := db.Exec("CREATE TABLE IF NOT EXISTS bare (one INT PRIMARY KEY, n BIGINT); INSERT INTO bare VALUES (1, 0) ON CONFLICT DO NOTHING"); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := db.Exec("UPDATE bare SET n = n + 1"); err != nil {
				b.Fatal(err)
			}
		}
	})
	one := newDecider(b, all[0])
	b.Run("decisions, one after the other", func(b *testing.B) {
		for b.Loop() {
			if err := one.decide(b); err != nil {
				b.Fatal(err)
			}
		}
	})
	for n := range all {
		b.Run(fmt.Sprintf("decisions, 50 at once at %d nodes", n+1), newDecider(b, all[:n+1]...).several)
	}
	b.Run("an answer at one node is heard at another", func(b *testing.B) { hearing(b, all[0], all[1]) })
}

// hearing measures how long after it was acknowledged an answer is heard at another node.
func hearing(b *testing.B, one, two node) {
	d := newDecider(b, one)
	answers := two.Bus.Subscribe(1000, approval.Responses)
	defer answers.Close()
	var took []time.Duration
	for b.Loop() {
		id, err := d.ask(b, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := one.Store.Settle(b.Context(), answer(id, approval.Denied, "ada"), nil); err != nil {
			b.Fatal(err)
		}
		answered := time.Now()
		for heard := ""; heard != id; {
			e, err := answers.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			r, _ := approval.Responses.From(e)
			heard = r.ApprovalID
		}
		took = append(took, time.Since(answered))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkWaiting decides beside so many requests that wait and so many old sessions.
func BenchmarkWaiting(b *testing.B) {
	url := postgrestest.Start(b, "fsync=on").Database(b)
	n := open(b, postgres.Options{URL: url, Node: "one"}, filepath.Join(b.TempDir(), "one"))
	d := newDecider(b, n)
	db := connected(b, url)
	if _, err := d.ask(b, 0); err != nil {
		b.Fatal(err)
	}
	fill := func(sessions, waiting int) {
		for _, change := range []string{
			`INSERT INTO sessions (id, agent_id, session, created_at, run, ended) SELECT 'old' || g, agent_id, session, created_at - g, '', 'completed'
				FROM (SELECT * FROM sessions WHERE id NOT LIKE 'old%%' LIMIT 1) s, generate_series((SELECT count(*) FROM sessions WHERE id LIKE 'old%%') + 1, %[1]d) g`,
			`INSERT INTO events (session_id, seq, type, at, data) SELECT id, 1, 'session.created', created_at, '{}' FROM sessions WHERE id LIKE 'old%%' ON CONFLICT DO NOTHING`,
			`INSERT INTO approvals (id, session_id, agent_id, asker, tool_name, call_id, round, status, run, requested_at, expires_at, rev, request, touches)
				SELECT 'waits' || g, session_id, agent_id, asker || (g %% 500), tool_name, 'waits' || g, 0, 'pending', 'none', requested_at, NULL, 1, request, touches
				FROM (SELECT * FROM approvals WHERE status = 'pending' AND id NOT LIKE 'waits%%' LIMIT 1) a, generate_series((SELECT count(*) FROM approvals WHERE id LIKE 'waits%%') + 1, %[2]d) g`,
			"ANALYZE",
		} {
			if _, err := db.Exec(fmt.Sprintf(change+" -- %[1]d %[2]d", sessions, waiting)); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, size := range []struct{ sessions, waiting int }{{0, 1}, {1000, 1000}, {10_000, 10_000}, {1_000_000, 100_000}} {
		fill(size.sessions, size.waiting)
		b.Run(fmt.Sprintf("%d old sessions, %d wait", size.sessions, size.waiting), func(b *testing.B) {
			for b.Loop() {
				if err := d.decide(b); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
