package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// What a running gateway looks through table by table finds the same damage as looking at the file at once.
func TestDamageIsFoundAtOnceAndGently(t *testing.T) {
	for name, c := range map[string]struct{ damage, want string }{
		"none":                  {"SELECT 1", ""},
		"an event of no one":    {"INSERT INTO events (session_id, seq, type, at, data) VALUES ('nobody', 1, 'x', 1, '{}')", "damaged"},
		"a changed audit entry": {"UPDATE audit SET subject = 'mallory' WHERE seq = 1", "changed the file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, s, stop := running(t, dir)
			defer stop()
			if _, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo"}); err != nil {
				t.Fatal(err)
			}
			record(t, s, audit.LoginBegun)
			db, err := sql.Open("sqlite", filepath.Join(dir, store.FileName)+"?_pragma=busy_timeout(5000)")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), c.damage); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			for way, inspect := range map[string]func(context.Context) (store.Health, error){"at once": s.Inspect, "gently": s.InspectGently} {
				h, err := inspect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				faults := strings.Join(h.Faults, "\n")
				if (c.want == "") != (faults == "") || !strings.Contains(faults, c.want) {
					t.Errorf("%s: %q, want %q", way, faults, c.want)
				}
			}
		})
	}
}
