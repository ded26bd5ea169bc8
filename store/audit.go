package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/audit"
)

// audit adds a record to the chain, as part of a change.
func (c *change) audit(kind, subject string, data any) error {
	raw, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("store: audit %s: %w", kind, err)
	}
	var last audit.Record
	err = c.row("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").Scan(&last.Seq, &last.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("store: audit: %w", err)
	}
	r, err := audit.Record{At: c.now, Kind: kind, Subject: subject, Data: raw}.Sealed(last)
	if err != nil {
		return err
	}
	return c.exec("INSERT INTO audit (seq, at, kind, subject, data, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
		r.Seq, r.At.UnixMicro(), r.Kind, r.Subject, string(r.Data), r.Prev, r.Hash)
}

// Audit reads the audit log from its beginning, for audit.Verify and export.
func (s *Store) Audit(ctx context.Context) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		rows, err := s.read.rows(ctx, "SELECT seq, at, kind, subject, data, prev, hash FROM audit ORDER BY seq")
		if err != nil {
			yield(audit.Record{}, fmt.Errorf("store: audit: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			var r audit.Record
			var at int64
			var data string
			err := rows.Scan(&r.Seq, &at, &r.Kind, &r.Subject, &data, &r.Prev, &r.Hash)
			r.At, r.Data = time.UnixMicro(at).UTC(), jsontext.Value(data)
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(audit.Record{}, fmt.Errorf("store: audit: %w", err))
		}
	}
}
