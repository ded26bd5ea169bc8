package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
)

// ErrNewer is returned by Open for a database that a newer version has written.
var ErrNewer = errors.New("the database was written by a newer version")

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the database in a file up to date. Before it changes one that has data, it keeps a
// copy beside it, as lineclear-schema-N.db: no earlier version can read it any more.
func migrate(ctx context.Context, db *sql.DB, file string) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	known := sources[len(sources)-1].Version
	have, err := provider.GetDBVersion(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("reading the database's version: %w", err)
	case have > known:
		return fmt.Errorf("%w of Lineclear (schema %d, this one knows %d): start that version, or restore a backup from before", ErrNewer, have, known)
	case have == known:
		return nil
	case have > 0:
		if err := keep(ctx, db, filepath.Join(filepath.Dir(file), fmt.Sprintf("lineclear-schema-%d.db", have))); err != nil {
			return fmt.Errorf("keeping a copy of the database before it is brought up to date: %w", err)
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bringing the database up to date: %w", err)
	}
	return nil
}

// keep writes a copy of a database. A file is there under the name only once it is whole.
func keep(ctx context.Context, db *sql.DB, file string) error {
	part, err := os.MkdirTemp(filepath.Dir(file), ".copy-")
	if err != nil {
		return err
	}
	whole := filepath.Join(part, "whole.db")
	if err = snapshot(ctx, db, whole); err == nil {
		err = os.Rename(whole, file)
	}
	return errors.Join(err, os.RemoveAll(part))
}
