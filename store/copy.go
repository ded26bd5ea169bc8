package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/sqlite"
)

// tables lists the tables that are copied, each after those that it refers to. They have the same columns in every
// engine.
var tables = []string{
	"sessions", "events", "approvals", "waiting", "diffs", "history", "grants", "modes", "halts",
	"audit", "audit_cut", "credentials", "invitations", "login_ends", "push_subscriptions",
}

// ErrOccupied is returned by MoveToShared for a database that has other data.
var ErrOccupied = errors.New("store: the database has data of another gateway: name an empty one")

// Copied counts the rows of a copy, by table.
type Copied map[string]int64

// readers is what a copy is read from.
type readers interface {
	ReadRow(ctx context.Context, query string, args ...any) scanner
	ReadRows(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// MoveToShared copies the data folder of a stopped gateway into the empty database of a cluster. Before it commits,
// it verifies the number of rows and the audit log's chain. An earlier copy is verified again. It waits until no
// gateway works on the database.
func MoveToShared(ctx context.Context, dir, keyFile string, shared postgres.Options) (done Copied, err error) {
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		return nil, fmt.Errorf("store: there is no gateway's data in %s: %w", dir, err)
	}
	from, err := Open(dir, keyFile, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := from.complete(ctx); err != nil {
		return nil, err
	}
	shared.Limit, shared.Alone = 24*time.Hour, true // one transaction, while nothing else is written
	to, err := postgres.Open(ctx, shared)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := errors.Join(to.Take(ctx), to.Upgrade(ctx), begun(to)); err != nil {
		return nil, err
	}
	if done, err = from.copyInto(ctx, to); err != nil {
		to.Rollback()
		return nil, err
	}
	_, err = to.Commit(ctx, "[]", true)
	return done, err
}

func begun(to writer) error {
	_, err := to.Begin()
	return err
}

// complete adds the rows of an earlier version that are still missing from the history.
func (s *Store) complete(ctx context.Context) error {
	for {
		select {
		case <-s.filled:
			return nil
		default:
		}
		if after, _ := s.fillMore(ctx); after > 0 {
			return errors.New("store: the history can't be completed")
		}
	}
}

func (s *Store) copyInto(ctx context.Context, to *postgres.DB) (done Copied, err error) {
	// Reading the folder between two statements may take long.
	if err := to.Exec("SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return nil, err
	}
	var there, same bool
	err = to.Row("SELECT EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM credentials)").Scan(&there)
	if err != nil {
		return nil, err
	}
	if there {
		if same, err = s.sameHead(ctx, to); err != nil || !same {
			return nil, errors.Join(err, ErrOccupied)
		}
	} else {
		for _, table := range tables {
			if err := copyTable(ctx, s.db, to, table); err != nil {
				return nil, err
			}
		}
		if err := errors.Join(s.copyPushKey(to), s.copyLogins(to)); err != nil {
			return nil, err
		}
	}
	if done, err = sameCounts(ctx, s.db, to); err != nil {
		return nil, err
	}
	var h Health
	err = s.examineAudit(ctx, &h, auditRecords(func() (*sql.Rows, error) { return to.Rows(selectAudit + "ORDER BY seq") }))
	if len(h.Faults) > 0 {
		err = errors.Join(err, fmt.Errorf("store: the copy does not hold: %s", strings.Join(h.Faults, "; ")))
	}
	return done, err
}

// sameHead reports whether both databases end with the same audit record.
func (s *Store) sameHead(ctx context.Context, to *postgres.DB) (bool, error) {
	const newest = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1"
	var one, other audit.Head
	err := errors.Join(s.db.ReadRow(ctx, newest).Scan(&one.Seq, &one.Hash), to.Row(newest).Scan(&other.Seq, &other.Hash))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return one == other, err
}

// sameCounts checks that each table has as many rows in both databases, and returns how many.
func sameCounts(ctx context.Context, from readers, to writer) (Copied, error) {
	done := Copied{}
	for _, table := range tables {
		var there, here int64
		err := errors.Join(from.ReadRow(ctx, "SELECT count(*) FROM "+table).Scan(&there), to.Row("SELECT count(*) FROM "+table).Scan(&here))
		if err != nil {
			return nil, fmt.Errorf("store: copy of %s: %w", table, err)
		}
		if there != here {
			return nil, fmt.Errorf("store: the copy of %s has %d rows, and there are %d", table, here, there)
		}
		done[table] = here
	}
	return done, nil
}

// copiedAtOnce is how many rows one statement writes.
const copiedAtOnce = 50

func copyTable(ctx context.Context, from readers, to writer, table string) error {
	rows, err := from.ReadRows(ctx, "SELECT * FROM "+table)
	if err != nil {
		return fmt.Errorf("store: copy of %s: %w", table, err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	columns, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("store: copy of %s: %w", table, err)
	}
	one := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	var values []any
	write := func() error {
		n := len(values) / len(columns)
		if n == 0 {
			return nil
		}
		err := to.Exec("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES "+one+strings.Repeat(", "+one, n-1), values...)
		values = values[:0]
		if err != nil {
			return fmt.Errorf("store: copy of %s: %w", table, err)
		}
		return nil
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("store: copy of %s: %w", table, err)
		}
		if values = append(values, row...); len(values) == copiedAtOnce*len(columns) {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return errors.Join(rows.Err(), write())
}

// CopyOfShared writes the database of a cluster, as it is at one moment, to a new data folder, for
// commands that work on a folder. It copies the named tables; with no names, all of them and the push key.
func CopyOfShared(ctx context.Context, shared postgres.Options, dir string, only ...string) (err error) {
	from, err := postgres.Open(ctx, shared)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	moment, err := from.Moment(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, moment.Close()) }()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store: data folder: %w", err)
	}
	to, err := sqlite.Open(filepath.Join(dir, FileName))
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := begun(to); err != nil {
		return err
	}
	wanted := only
	if len(only) == 0 {
		wanted = tables
	}
	for _, table := range wanted {
		if err := copyTable(ctx, moment, to, table); err != nil {
			to.Rollback()
			return err
		}
	}
	if _, err := to.Commit(ctx, "", false); err != nil || len(only) > 0 {
		return err
	}
	return copyKept(ctx, moment, dir)
}
