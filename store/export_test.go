package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Reach sets how many rows a search examines at once.
func (s *Store) Reach(rows int) { s.reach = rows }

// FillAtOnce is how many rows of an earlier version are added to the history at once.
const FillAtOnce = fillAtOnce

// Planned returns the steps in the plans of all queries that do makes.
func (s *Store) Planned(ctx context.Context, do func()) (steps []string, err error) {
	s.read.mu.Lock()
	clear(s.read.prepared)
	s.read.mu.Unlock()
	do()
	for query := range s.read.prepared {
		some, err := s.plan(ctx, query)
		if err != nil {
			return nil, err
		}
		steps = append(steps, some...)
	}
	return steps, nil
}

// Scans lists the queries so far that read a whole table, each with how.
func (s *Store) Scans(ctx context.Context) ([]string, error) {
	s.read.mu.Lock()
	queries := make([]string, 0, len(s.read.prepared)+len(s.statements))
	for query := range s.read.prepared {
		queries = append(queries, query)
	}
	s.read.mu.Unlock()
	for query := range s.statements { // of the writer, which has ended
		queries = append(queries, query)
	}
	slices.Sort(queries)
	var scans []string
	for _, query := range queries {
		steps, err := s.plan(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN ") && !strings.Contains(step, " INDEX ") {
				scans = append(scans, step+": "+query)
			}
		}
	}
	return scans, nil
}

func (s *Store) plan(ctx context.Context, query string) ([]string, error) {
	args := make([]any, strings.Count(query, "?"))
	rows, err := s.read.db.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return nil, err
		}
		steps = append(steps, detail)
	}
	return steps, rows.Err()
}
