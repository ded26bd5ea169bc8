package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/sqlite"
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

// Examine reads everything in an open data folder and checks it: SQLite's own checks, the numbers of every journal,
// the rows against the journals, one result a call, the audit chain, and that other users can't read the folder. An
// error means that it could not be read at all.
func (s *Store) Examine(ctx context.Context) (Health, error) {
	var h Health
	if err := errors.Join(s.examineFile(ctx, &h, ""), h.examineMode(s.dir())); err != nil {
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
	if err := s.examineFile(ctx, &h, ""); err != nil {
		return h, err
	}
	return h, s.examineAudit(ctx, &h, s.Audit(ctx))
}

// InspectGently is Inspect for a running gateway: it goes table by table and takes at most a fifth of a processor. It
// does not look at pages that no table uses.
func (s *Store) InspectGently(ctx context.Context) (h Health, err error) {
	tables, err := s.db.Tables(ctx)
	if err != nil {
		return h, fmt.Errorf("store: tables: %w", err)
	}
	for _, table := range tables {
		began := time.Now()
		if err := s.examineFile(ctx, &h, table); err != nil {
			return h, err
		}
		if err := rest(ctx, gentle*time.Since(began)); err != nil {
			return h, err
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

// gentle is how many times as long as a piece of an inspection the pause after it is.
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
	s := &Store{keyFile: keyFile, db: db}
	defer func() { err = errors.Join(err, db.Close()) }()
	return s.Inspect(ctx)
}

// openBeside opens the database of a folder for reading, beside a running gateway too.
func openBeside(dir string) (*sqlite.DB, error) {
	db, err := sqlite.OpenBeside(filepath.Join(dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: there is no gateway's data in %s: %w", dir, err)
	}
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

// examineFile runs the database's own checks, on one table if it is named.
func (s *Store) examineFile(ctx context.Context, h *Health, table string) error {
	faults, err := s.db.Faults(ctx, table)
	for _, fault := range faults {
		h.fault("the database is damaged (%s): restore it from a backup", fault)
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// examineMode checks who may read the folder; Open checks its files.
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
