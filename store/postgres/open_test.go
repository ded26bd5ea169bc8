//go:build postgres

package postgres_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/store/postgres"
)

func TestNodesThatStartAtOnceMakeOneSchema(t *testing.T) {
	url := server.Database(t)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Node: fmt.Sprint(i)})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestWhatCanNotBeOpenedSaysWhy(t *testing.T) {
	newer := server.Database(t)
	db := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: newer, Node: "one"}))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw := must[*sql.DB](t)(sql.Open("pgx", newer))
	defer func() { _ = raw.Close() }()
	if _, err := raw.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ url, want string }{
		"a newer schema":    {newer, "newer version of Lineclear (schema 9999"},
		"nobody there":      {"postgres://lineclear:sesame@127.0.0.1:1/x?sslmode=disable", "127.0.0.1"},
		"no such database":  {server.URL("nothing"), `"nothing"`},
		"a URL that is not": {"postgres://lineclear:sesame@127.0.0.1:port/x", "port"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), postgres.Options{URL: c.url, Node: "one"})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("it says %v", err)
			}
		})
	}
}
