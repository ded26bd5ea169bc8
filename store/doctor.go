package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
)

// Health is what Examine found in a data folder.
type Health struct {
	Sessions, Events, Approvals, Pending int
	AuditRecords                         int64
	Faults                               []string // each with what to do; empty when all is well
}

func (h *Health) fault(format string, args ...any) {
	h.Faults = append(h.Faults, fmt.Sprintf(format, args...))
}

// Examine reads everything in an open data folder and holds it against what
// must be so: SQLite's own checks, the numbers of every journal, the rows
// against the journals, one result a call, the audit chain, and that nobody
// else can read the files. An error means that it could not be read at all.
func (s *Store) Examine(ctx context.Context) (Health, error) {
	var h Health
	if err := errors.Join(s.examineFile(ctx, &h), h.examineMode(s.dir())); err != nil {
		return h, err
	}
	for found, err := range session.All(ctx, s.Sessions(), session.Query{}) {
		if err != nil {
			return h, err
		}
		h.Sessions++
		rows, err := s.Approvals().Find(ctx, approval.Query{SessionID: found.ID})
		if err != nil {
			return h, err
		}
		answered := map[string]bool{}
		for _, a := range rows {
			h.Approvals++
			if a.Status == approval.Pending {
				h.Pending++
			}
			answered[a.ApprovalID] = a.Status != approval.Pending
		}
		if err := s.examineJournal(ctx, &h, found, answered); err != nil {
			return h, err
		}
	}
	return h, s.examineAudit(ctx, &h, s.Audit(ctx))
}

// Inspect is the part of Examine that holds while changes are made: SQLite's own checks,
// and the audit chain.
func (s *Store) Inspect(ctx context.Context) (Health, error) {
	var h Health
	if err := s.examineFile(ctx, &h); err != nil {
		return h, err
	}
	return h, s.examineAudit(ctx, &h, s.Audit(ctx))
}

// InspectGently is Inspect for a running gateway: it goes table by table and takes at most a fifth of a processor. It
// does not look at pages that no table uses.
func (s *Store) InspectGently(ctx context.Context) (h Health, err error) {
	rows, err := s.read.db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
	tables, err := scanned("tables", rows, err, func(row scanner) (name string, err error) {
		err = row.Scan(&name)
		return name, err
	})
	if err != nil {
		return h, err
	}
	for _, table := range tables {
		for _, pragma := range []string{"integrity_check", "foreign_key_check"} {
			began := time.Now()
			if err := s.check(ctx, &h, pragma, table); err != nil {
				return h, err
			}
			if err := rest(ctx, gentle*time.Since(began)); err != nil {
				return h, err
			}
		}
	}
	return h, s.examineAudit(ctx, &h, func(yield func(audit.Record, error) bool) {
		began, n := time.Now(), 0
		for r, err := range s.Audit(ctx) {
			if n++; n%1000 == 0 && err == nil {
				err = rest(ctx, gentle*time.Since(began))
				began = time.Now()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	})
}

// gentle is how much longer than a piece of an inspection the pause after it is.
const gentle = 4

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// InspectBeside is Inspect for the folder of a running gateway.
func InspectBeside(ctx context.Context, dir, keyFile string) (h Health, err error) {
	db, err := openBeside(dir)
	if err != nil {
		return h, err
	}
	s := &Store{keyFile: keyFile, read: newReader(db)}
	defer func() { err = errors.Join(err, s.read.Close()) }()
	return s.Inspect(ctx)
}

// openBeside opens the database of a folder on which a gateway may run, to read it.
func openBeside(dir string) (*sql.DB, error) {
	path, err := filepath.Abs(filepath.Join(dir, FileName))
	if err != nil {
		return nil, fmt.Errorf("store: data folder: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("store: there is no gateway's data in %s: %w", dir, err)
	}
	db, err := sql.Open("sqlite", uri(path, "mode=ro&_pragma=busy_timeout(5000)"))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return db, nil
}

// examineAudit verifies the chain, with the folder's own key.
func (s *Store) examineAudit(ctx context.Context, h *Health, records iter.Seq2[audit.Record, error]) error {
	var expected audit.Expected
	key, err := PublicKey(s.keyFile)
	switch {
	case errors.Is(err, ErrNoKey):
	case err != nil:
		h.fault("%v", err)
	default:
		expected.Keys = audit.Keys{key}
	}
	report, err := expected.Verify(records)
	h.AuditRecords = report.Last.Seq
	if errors.Is(err, audit.ErrBroken) {
		h.fault("%v: somebody or something has changed the file; compare it with a backup", err)
		return nil
	}
	if err == nil && report.Signed.Seq > 0 && len(expected.Keys) == 0 {
		h.fault("%s is not there, but the audit log is signed: %s", s.keyFile, noKeyRemedy)
	}
	return err
}

// examineFile has SQLite check the file.
func (s *Store) examineFile(ctx context.Context, h *Health) error {
	return errors.Join(s.check(ctx, h, "integrity_check"), s.check(ctx, h, "foreign_key_check"))
}

// check has SQLite check the whole file, or one table.
func (s *Store) check(ctx context.Context, h *Health, pragma string, table ...any) error {
	rows, err := s.read.db.QueryContext(ctx, "SELECT * FROM pragma_"+pragma+strings.Repeat("(?)", len(table))+" LIMIT 10", table...)
	if err != nil {
		return fmt.Errorf("store: %s: %w", pragma, err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var first string
		columns, err := rows.Columns()
		if err != nil {
			return fmt.Errorf("store: %s: %w", pragma, err)
		}
		into := make([]any, len(columns))
		into[0] = &first
		for i := 1; i < len(into); i++ {
			into[i] = new(any)
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("store: %s: %w", pragma, err)
		}
		if first != "ok" {
			h.fault("the database is damaged (%s: %s): restore it from a backup", pragma, first)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("store: %s: %w", pragma, err)
	}
	return nil
}

// examineMode checks who may read the folder; its files are looked at whenever it is opened.
func (h *Health) examineMode(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		h.fault("%s can be read by others (%#o): chmod go-rwx %s", dir, mode, dir)
	}
	return nil
}

// examineJournal replays one session.
func (s *Store) examineJournal(ctx context.Context, h *Health, found session.Session, answered map[string]bool) error {
	events, err := s.Sessions().Events(ctx, found.ID, 0, 0)
	if err != nil {
		return err
	}
	var facts session.Facts
	results := map[string]int{}
	for i, e := range events {
		h.Events++
		if e.Seq != int64(i+1) {
			h.fault("session %s: event %d is missing: restore the folder from a backup", found.ID, i+1)
			return nil
		}
		if err := facts.Add(e); err != nil {
			h.fault("session %s: event %d can't be read: %v", found.ID, e.Seq, err)
			return nil
		}
		if e.Type == session.TypeToolResult {
			var r session.ToolResult
			if err := e.Decode(&r); err != nil {
				h.fault("%v", err)
				continue
			}
			if results[r.CallID]++; results[r.CallID] > 1 {
				h.fault("session %s: call %s has more than one result", found.ID, r.CallID)
			}
		}
	}
	if got := session.StatusOf(facts); got != found.Status || found.Seq != int64(len(events)) {
		h.fault("session %s is %s at event %d, but its journal says %s at %d", found.ID, found.Status, found.Seq, got, len(events))
	}
	if got := facts.Calls(); got != found.Calls {
		h.fault("session %s counts its calls as %+v, but its journal says %+v: restore the folder from a backup", found.ID, found.Calls, got)
	}
	if len(facts.Pending) != len(found.PendingApprovals) {
		h.fault("session %s shows %d requests that wait, but its journal has %d: restore the folder from a backup",
			found.ID, len(found.PendingApprovals), len(facts.Pending))
	}
	for _, p := range facts.Pending {
		if answered[p.ApprovalID] {
			h.fault("approval %s is answered, but session %s's journal still waits for it", p.ApprovalID, found.ID)
		}
	}
	return nil
}
