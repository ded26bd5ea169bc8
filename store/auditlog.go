package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/store/sqlite"
)

// AuditLog reads the audit log of a data folder. It takes no lock, so a gateway may be running on the folder.
type AuditLog struct {
	db   *sqlite.DB
	from string // the columns and the table; an older folder has no column via
}

// OpenAuditLog opens the audit log of an existing folder. It writes nothing to it, but SQLite may leave its helper
// files beside the database.
func OpenAuditLog(ctx context.Context, dir string) (*AuditLog, error) {
	db, err := openBeside(dir)
	if err != nil {
		return nil, err
	}
	var doors bool
	err = db.ReadRow(ctx, "SELECT EXISTS (SELECT 1 FROM pragma_table_info('audit') WHERE name = 'via')").Scan(&doors)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: audit log: %w", err), db.Close())
	}
	l := &AuditLog{db: db, from: selectAudit}
	if !doors {
		l.from = "SELECT seq, at, kind, subject, '', data, prev, hash FROM audit "
	}
	return l, nil
}

// Records reads the records from the first one made at since or later; all of them for the zero time. It reads the
// log as it is at one moment.
func (l *AuditLog) Records(ctx context.Context, since time.Time) iter.Seq2[audit.Record, error] {
	return auditRecords(func() (*sql.Rows, error) {
		if since.IsZero() {
			return l.db.ReadRows(ctx, l.from+"ORDER BY seq")
		}
		return l.db.ReadRows(ctx, l.from+
			"WHERE seq >= (SELECT min(seq) FROM audit WHERE at >= ?) ORDER BY seq", since.UnixMicro())
	})
}

// Head returns the head of the newest record; zero if there is none.
func (l *AuditLog) Head(ctx context.Context) (audit.Head, error) {
	var h audit.Head
	err := l.db.ReadRow(ctx, "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").Scan(&h.Seq, &h.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return h, fmt.Errorf("store: audit log: %w", err)
	}
	return h, nil
}

// Close closes the database.
func (l *AuditLog) Close() error { return l.db.Close() }
