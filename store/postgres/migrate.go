package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer is returned by Open for a database that a newer version has written.
var ErrNewer = errors.New("the database was written by a newer version")

// Upgrade brings the schema up to date. This node must work and keep its lease. The turns of nodes that began to work
// with the older schema meanwhile are ended.
func (d *DB) Upgrade(ctx context.Context) error {
	current, err := isCurrent(ctx, d.reads)
	if current || err != nil {
		return unwritten(err)
	}
	if err := migrate(ctx, d.reads, false); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return unwritten(d.holding(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE nodes SET turn = 0 WHERE name <> $1", d.o.Node)
		return err
	}))
}

// isCurrent reports whether the schema is this version's; ErrNewer if it is a newer one's.
func isCurrent(ctx context.Context, pool *sql.DB) (bool, error) {
	newest, err := newestSchema()
	if err != nil {
		return false, err
	}
	var have int64
	err = pool.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&have)
	if err == nil && have > newest {
		err = newer(have, newest)
	}
	return have == newest, err
}

func newer(have, newest int64) error {
	return fmt.Errorf("%w of Lineclear (schema %d, this one knows %d): start that version, or restore a backup from before", ErrNewer, have, newest)
}

// newestSchema is the number of the last migration.
func newestSchema() (newest int64, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	for _, file := range files {
		if err == nil {
			newest, err = goose.NumericComponent(file)
		}
	}
	return newest, err
}

// migrate brings the schema up to date; with first, it only makes a missing one. Of several nodes that start at once,
// one does it.
func migrate(ctx context.Context, pool *sql.DB, first bool) (err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, files)
	if err != nil {
		return err
	}
	// The lock ends with the transaction, also behind a pooler.
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if _, err := tx.ExecContext(ctx, "SET LOCAL lock_timeout = 60000; SET LOCAL idle_in_transaction_session_timeout = 60000; "+
		"SELECT pg_advisory_xact_lock(hashtext('lineclear'))"); err != nil {
		return err
	}
	newest, err := newestSchema()
	if err != nil {
		return err
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	if have > newest {
		return newer(have, newest)
	}
	if have == newest || first && have > 0 {
		return nil
	}
	_, err = provider.Up(ctx)
	return err
}
