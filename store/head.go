package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/audit"
)

// HeadName is the file beside the database that has the number and hash of the newest audit record. It is written
// after each commit and not synced, so it may be older than the database. A database that is older than the file was
// cut short, or restored from a copy.
const HeadName = "audit.head"

// ErrBehind is returned by Open for a database that lacks records which were committed.
var ErrBehind = errors.New("store: the database lacks records that were written")

// openHead checks the database against the file, and keeps the file open.
func (s *Store) openHead(dir string) error {
	path := filepath.Join(dir, HeadName)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	if seen, ok := parseHead(string(raw)); ok {
		if err := s.reaches(seen, path); err != nil {
			return err
		}
	}
	if s.head, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// reaches refuses a database that lacks a record seen in it before.
func (s *Store) reaches(seen audit.Head, path string) error {
	var first, last int64
	err := s.db.ReadRow(context.Background(), "SELECT coalesce((SELECT min(seq) FROM audit), 0), coalesce((SELECT max(seq) FROM audit), 0)").Scan(&first, &last)
	if err != nil {
		return fmt.Errorf("store: audit: %w", err)
	}
	if seen.Seq < first {
		return nil // it was cut off, as a later record says
	}
	remedy := "put the newer database back; to go on with this one for good, remove " + path
	if last < seen.Seq {
		return fmt.Errorf("%w: audit records %d to %d are missing, so it was cut short or is an older copy: %s", ErrBehind, last+1, seen.Seq, remedy)
	}
	var hash string
	err = s.db.ReadRow(context.Background(), "SELECT hash FROM audit WHERE seq = ?", seen.Seq).Scan(&hash)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && hash != seen.Hash:
		return fmt.Errorf("%w: audit record %d is another one, so it is not the database that was used here last: %s", ErrBehind, seen.Seq, remedy)
	case err != nil:
		return fmt.Errorf("store: audit: %w", err)
	}
	return nil
}

// noteHead remembers the newest record, and writes it to the file. If that fails, the next call writes a newer one.
func (s *Store) noteHead(newest audit.Head) {
	if newest.Seq == 0 || newest == s.newest { // a commit may have no record
		return
	}
	s.newest = newest
	if s.head != nil {
		_, _ = s.head.WriteAt([]byte(formatHead(newest)), 0)
	}
}

// formatHead has the same length for every number, so that it overwrites itself.
func formatHead(h audit.Head) string { return fmt.Sprintf("%020d %s\n", h.Seq, h.Hash) }

// parseHead reports false for an incomplete line, as after a power cut.
func parseHead(text string) (h audit.Head, ok bool) {
	number, hash, found := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
	seq, err := strconv.ParseInt(number, 10, 64)
	h = audit.Head{Seq: seq, Hash: hash}
	return h, found && err == nil && formatHead(h) == text && seq > 0
}
