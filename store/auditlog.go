package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/lineclear/lineclear/audit"
)

// AuditLog is a data folder of which only the audit log is read, without the
// lock: beside a running gateway as well as after it.
type AuditLog struct {
	db   *sql.DB
	from string // the columns and the table; a folder may be from before there were doors
}

// OpenAuditLog opens the audit log of a folder that is there. It writes nothing to
// it, but SQLite may leave its helper files beside the database.
func OpenAuditLog(ctx context.Context, dir string) (*AuditLog, error) {
	path, err := filepath.Abs(filepath.Join(dir, FileName))
	if err != nil {
		return nil, fmt.Errorf("store: data folder: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("store: there is no gateway's data in %s: %w", dir, err)
	}
	const pragmas = "mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(1)"
	l, err := openAuditLog(ctx, uri(path, pragmas))
	if err == nil || !cantMake(err) || !untouched(path) {
		return l, err
	}
	// SQLite wants files beside the database even to read it, which it can't make
	// on a medium that is read-only. Nothing writes there.
	l, again := openAuditLog(ctx, uri(path, pragmas+"&immutable=1"))
	if again != nil {
		return nil, errors.Join(err, again)
	}
	return l, nil
}

// cantMake reports whether an error says that a file can't be made or opened.
func cantMake(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlitelib.SQLITE_CANTOPEN || e.Code()&0xff == sqlitelib.SQLITE_READONLY)
}

// untouched reports whether nothing waits beside the database to be read as
// part of it.
func untouched(path string) bool {
	info, err := os.Stat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

func openAuditLog(ctx context.Context, uri string) (*AuditLog, error) {
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		return nil, fmt.Errorf("store: audit log: %w", err)
	}
	var doors bool
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pragma_table_info('audit') WHERE name = 'via')").Scan(&doors)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: audit log: %w", err), db.Close())
	}
	l := &AuditLog{db: db, from: selectAudit}
	if !doors {
		l.from = "SELECT seq, at, kind, subject, '', data, prev, hash FROM audit "
	}
	return l, nil
}

// Records reads the records from the first one that was made at a time or later;
// the zero time is all. It sees one moment of the log.
func (l *AuditLog) Records(ctx context.Context, since time.Time) iter.Seq2[audit.Record, error] {
	return auditRecords(func() (*sql.Rows, error) {
		if since.IsZero() {
			return l.db.QueryContext(ctx, l.from+"ORDER BY seq")
		}
		return l.db.QueryContext(ctx, l.from+
			"WHERE seq >= (SELECT min(seq) FROM audit WHERE at >= ?) ORDER BY seq", since.UnixMicro())
	})
}

// Head is the newest record's; zero where there is none.
func (l *AuditLog) Head(ctx context.Context) (audit.Head, error) {
	var h audit.Head
	err := l.db.QueryRowContext(ctx, "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").Scan(&h.Seq, &h.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return h, fmt.Errorf("store: audit log: %w", err)
	}
	return h, nil
}

// Close closes the database.
func (l *AuditLog) Close() error { return l.db.Close() }
