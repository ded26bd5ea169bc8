package store

import (
	"context"

	"github.com/lineclear/lineclear/store/sqlite"
)

// Reach sets how many rows a search examines at once.
func (s *Store) Reach(rows int) { s.reach = rows }

// FillAtOnce is how many rows of an earlier version are added to the history at once.
const FillAtOnce = fillAtOnce

// CopiedTables are the tables that a copy has.
var CopiedTables = tables

// Tables lists the tables of the database.
func (s *Store) Tables(ctx context.Context) ([]string, error) { return s.db.Tables(ctx) }

// Plans has the steps by which SQLite answers each query that was made so far.
func (s *Store) Plans(ctx context.Context) (map[string][]string, error) {
	if db, ok := s.db.(*sqlite.DB); ok {
		return db.Plans(ctx)
	}
	return nil, nil
}
