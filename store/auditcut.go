package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/internal/failpoint"
	"github.com/lineclear/lineclear/internal/paths"
)

// The audit log is cut in four steps that can be repeated: store the plan, export the records to a file, record the
// cut in the chain and sign it, delete the records.

// retainAudit cuts off the records that are too old, up to a checkpoint. It first finishes a cut that was
// interrupted.
func (s *Store) retainAudit(ctx context.Context, r Retention, now time.Time, done *Removed) error {
	if err := s.finishCut(ctx, r, done); err != nil || r.Audit == 0 {
		return err
	}
	last, err := s.cutBefore(ctx, now.Add(-r.Audit))
	if err != nil || last == 0 {
		return err
	}
	_, err = write(ctx, s, "audit.plan", func(c *change) (struct{}, error) {
		return struct{}{}, c.exec("INSERT INTO audit_cut (last, said) VALUES (?, 0)", last)
	})
	if err != nil {
		return err
	}
	return s.finishCut(ctx, r, done)
}

// cutBefore returns the last checkpoint before a time; 0 if there is none, or if only checkpoints and records of
// earlier cuts are older.
func (s *Store) cutBefore(ctx context.Context, before time.Time) (last int64, err error) {
	var first, newest int64
	err = s.db.ReadRow(ctx, "SELECT coalesce((SELECT min(seq) FROM audit), 1), coalesce((SELECT max(seq) FROM audit), 0)").Scan(&first, &newest)
	if err != nil {
		return 0, fmt.Errorf("store: audit: %w", err)
	}
	begin, end := first, newest+1 // the first record that is not older is in [begin, end]
	for begin < end {
		middle := (begin + end) / 2
		var at int64
		if err := s.db.ReadRow(ctx, "SELECT at FROM audit WHERE seq = ?", middle).Scan(&at); err != nil {
			return 0, fmt.Errorf("store: audit: %w", err)
		}
		if at < before.UnixMicro() {
			begin = middle + 1
		} else {
			end = middle
		}
	}
	err = s.db.ReadRow(ctx, `SELECT seq FROM audit WHERE seq < ? AND kind = 'checkpoint'
		AND EXISTS (SELECT 1 FROM audit WHERE seq < ? AND kind NOT IN ('checkpoint', 'audit.cut')) ORDER BY seq DESC LIMIT 1`, begin, begin).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("store: audit: %w", err)
	}
	return last, nil
}

// finishCut continues a cut where it was interrupted.
func (s *Store) finishCut(ctx context.Context, r Retention, done *Removed) error {
	var last, first int64
	var said bool
	err := s.db.ReadRow(ctx, "SELECT last, said, (SELECT min(seq) FROM audit) FROM audit_cut LIMIT 1").Scan(&last, &said, &first)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: audit: %w", err)
	}
	if !said {
		if r.Exports == "" {
			return errors.New("store: a cut of the audit log was begun, and there is no folder for the export")
		}
		cut, err := s.exportCut(ctx, r.Exports, first, last)
		if err != nil {
			return fmt.Errorf("store: export of the audit log: %w", err)
		}
		failpoint.Here("after", "audit.export")
		if err := s.sayCut(ctx, cut); err != nil {
			return err
		}
		done.Export = filepath.Join(r.Exports, cut.File)
	}
	return s.steps(ctx, "audit.cut", func(c *change) (more bool, err error) {
		budget := bytesAtOnce
		seqs, err := sized[int64](c, &budget, "SELECT seq, octet_length(data) FROM audit WHERE seq <= ? ORDER BY seq LIMIT ?", last)
		if err != nil {
			return false, err
		}
		if len(seqs) == 0 {
			return false, c.exec("DELETE FROM audit_cut WHERE last = ?", last)
		}
		done.Records += len(seqs)
		return true, c.exec("DELETE FROM audit WHERE seq <= ?", seqs[len(seqs)-1])
	})
}

// sayCut adds the record that lets the chain begin later, and its checkpoint.
func (s *Store) sayCut(ctx context.Context, cut audit.CutOff) error {
	_, err := write(ctx, s, "audit.say", func(c *change) (struct{}, error) {
		return struct{}{}, errors.Join(c.audit(audit.AuditCut, bySystem(), cut), c.exec("UPDATE audit_cut SET said = 1 WHERE last = ?", cut.Last))
	})
	return err
}

// exportCut writes records to a file and verifies it. An existing file of that name is from an earlier attempt and
// has the same records: the name contains the hash of the last one.
func (s *Store) exportCut(ctx context.Context, dir string, first, last int64) (cut audit.CutOff, err error) {
	cut = audit.CutOff{First: first, Last: last}
	if err := s.db.ReadRow(ctx, "SELECT hash FROM audit WHERE seq = ?", last).Scan(&cut.Hash); err != nil {
		return cut, err
	}
	cut.File = fmt.Sprintf("audit-%09d-%09d-%s.jsonl", first, last, cut.Hash[:8])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cut, err
	}
	part := filepath.Join(dir, cut.File+".part")
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return cut, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	after, err := audit.WriteLines(f, s.auditPages(ctx, first, last))
	if err != nil {
		return cut, err
	}
	if err := f.Sync(); err != nil {
		return cut, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return cut, err
	}
	if cut.Digest, err = verified(f, after, cut); err != nil {
		return cut, err
	}
	return cut, errors.Join(os.Rename(part, filepath.Join(dir, cut.File)), paths.SyncFolder(dir))
}

// verified verifies an export and returns its digest.
func verified(f io.Reader, after audit.Head, cut audit.CutOff) (digest string, err error) {
	sum := sha256.New()
	last := audit.Head{Seq: cut.Last, Hash: cut.Hash}
	report, err := audit.Expected{Any: true, After: after, Heads: audit.Heads{last}}.Verify(audit.Lines(io.TeeReader(f, sum)))
	if err == nil && report.Signed.Head() != last {
		err = fmt.Errorf("it does not end with checkpoint %d", last.Seq)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), err
}

// auditPages reads records a page at a time: one long read would keep the write-ahead log from being emptied.
func (s *Store) auditPages(ctx context.Context, first, last int64) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for from := first; from <= last; from += rowsAtOnce {
			until := min(last, from+rowsAtOnce-1)
			for r, err := range auditRecords(func() (*sql.Rows, error) {
				return s.db.ReadRows(ctx, selectAudit+"WHERE seq BETWEEN ? AND ? ORDER BY seq", from, until)
			}) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}
