//go:build postgres

package postgres_test

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/lineclear/lineclear/store/postgres"
)

func TestANodeThatHasMissedCommitsEndsItsWork(t *testing.T) {
	url := server.Database(t)
	lost := make(chan error, 1)
	one := engine(t, postgres.Options{URL: url, Node: "one", Lost: func(err error) { lost <- err }})
	take(t, one)
	for range 3 {
		if err := writes(t, one); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := one.After(t.Context(), 0, 10); err != nil || len(list) != 3 {
		t.Fatalf("%d commits, %v", len(list), err)
	}
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("DELETE FROM commits WHERE position = 1"); err != nil {
		t.Fatal(err)
	}
	if list, err := one.After(t.Context(), 1, 10); err != nil || len(list) != 2 {
		t.Errorf("where none is missing: %d commits, %v", len(list), err)
	}
	if _, err := one.After(t.Context(), 0, 10); !errors.Is(err, postgres.ErrMissed) {
		t.Errorf("where one is missing: %v", err)
	}
	if err := within(t, lost); !errors.Is(err, postgres.ErrMissed) {
		t.Errorf("it is told %v", err)
	}
	if err := one.Held(); !errors.Is(err, postgres.ErrMissed) {
		t.Errorf("it may go on: %v", err)
	}
}
