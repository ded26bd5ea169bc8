//go:build postgres

package postgres_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
	"github.com/lineclear/lineclear/tool"
)

// BenchmarkDecisions compares whole decisions (asked, answered, claimed, finished: four commits each) with
// bare commits on the same server, which syncs.
func BenchmarkDecisions(b *testing.B) {
	url := postgrestest.Start(b, "fsync=on").Database(b)
	n := open(b, postgres.Options{URL: url, Node: "one"}, filepath.Join(b.TempDir(), "one"))
	db, err := sql.Open("pgx", url)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
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
	s, err := n.Log.Create(b.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		b.Fatal(err)
	}
	next := make(chan string)
	go func() {
		for i := 0; ; i++ {
			select {
			case next <- fmt.Sprint("call", i):
			case <-b.Context().Done():
				return
			}
		}
	}()
	decide := func() error {
		a, err := n.Store.Create(b.Context(), approval.New(approvaltest.Request(b, s.ID, <-next)))
		if err == nil {
			_, err = n.Store.Settle(b.Context(), answer(a.ApprovalID, approval.Approved, "ada"), nil)
		}
		if err == nil {
			_, err = n.Store.Claim(b.Context(), a.ApprovalID, time.Hour, approvaltest.Holds)
		}
		if err == nil {
			err = n.Store.Finish(b.Context(), a.ApprovalID, tool.Result{Text: "done"})
		}
		return err
	}
	b.Run("decisions, one after the other", func(b *testing.B) {
		for b.Loop() {
			if err := decide(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decisions, 50 at once", func(b *testing.B) {
		b.SetParallelism(25)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if err := decide(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
