package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Size is how much the parts of a data folder take up, in bytes.
type Size struct {
	Database int64       `json:"database"` // the file
	Free     int64       `json:"free"`     // of it: empty pages, which are used again before the file grows
	Log      int64       `json:"log"`      // the write-ahead log beside it
	Tables   []TableSize `json:"tables"`
	Frees    Frees       `json:"frees"`
}

// TableSize is a table with its indexes.
type TableSize struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Frees is what a Retention would remove now: how many, and roughly how many bytes.
type Frees struct {
	Sessions     int   `json:"sessions"`
	Requests     int   `json:"requests"`
	Records      int   `json:"records"`
	SessionBytes int64 `json:"sessionBytes"`
	RequestBytes int64 `json:"requestBytes"`
	RecordBytes  int64 `json:"recordBytes"`
}

// SizeOf measures a data folder, also while a gateway runs on it.
func SizeOf(ctx context.Context, dir string, r Retention, now time.Time) (z Size, err error) {
	db, err := openBeside(dir)
	if err != nil {
		return z, err
	}
	s := &Store{db: db}
	defer func() { err = errors.Join(err, db.Close()) }()
	if z.Database, z.Log, err = fileSizes(dir); err != nil {
		return z, err
	}
	err = s.db.ReadRow(ctx, "SELECT (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size)").Scan(&z.Free)
	if err != nil {
		return z, fmt.Errorf("store: size: %w", err)
	}
	rows, err := s.db.ReadRows(ctx, `SELECT m.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_schema m ON m.name = d.name
		WHERE d.aggregate = true GROUP BY m.tbl_name ORDER BY 2 DESC, 1`)
	z.Tables, err = scanned("size", rows, err, func(row scanner) (t TableSize, err error) {
		return t, row.Scan(&t.Name, &t.Bytes)
	})
	if err != nil {
		return z, err
	}
	z.Frees, err = s.frees(ctx, r, now)
	return z, err
}

// frees counts what is old enough. Sessions are counted one by one, each without those above and below.
func (s *Store) frees(ctx context.Context, r Retention, now time.Time) (f Frees, err error) {
	for _, part := range []struct {
		keep  time.Duration
		query string
		n     *int
		bytes *int64
	}{
		{r.Sessions, `SELECT count(*), coalesce(sum((SELECT coalesce(sum(octet_length(data)), 0) FROM events e WHERE e.session_id = s.id)
				+ (SELECT coalesce(sum(octet_length(request)), 0) FROM approvals a WHERE a.session_id = s.id)), 0)
			FROM sessions s WHERE created_at < ?1 AND NOT ` + busy + `
			AND (SELECT e.at FROM events e WHERE e.session_id = s.id ORDER BY e.seq DESC LIMIT 1) < ?1`, &f.Sessions, &f.SessionBytes},
		{r.Requests, `SELECT count(*), coalesce(sum(octet_length(a.request)), 0) FROM approvals a JOIN sessions s ON s.id = a.session_id
			WHERE ` + over, &f.Requests, &f.RequestBytes},
		{r.Audit, "SELECT count(*), coalesce(sum(octet_length(data) + 200), 0) FROM audit WHERE at < ?1", &f.Records, &f.RecordBytes},
	} {
		if part.keep == 0 {
			continue
		}
		if err := s.db.ReadRow(ctx, part.query, now.Add(-part.keep).UnixMicro()).Scan(part.n, part.bytes); err != nil {
			return f, fmt.Errorf("store: size: %w", err)
		}
	}
	return f, nil
}
