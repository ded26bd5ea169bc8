package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/store"
)

func TestACopyLeavesOutNoTable(t *testing.T) {
	_, s, stop := running(t, t.TempDir())
	defer stop()
	all, err := s.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(name string) bool {
		return name == "goose_db_version" || name == "sqlite_sequence" // of the engine itself
	})
	copied := slices.Sorted(slices.Values(store.CopiedTables))
	if diff := cmp.Diff(all, copied); diff != "" {
		t.Errorf("(-tables +copied):\n%s", diff)
	}
}
