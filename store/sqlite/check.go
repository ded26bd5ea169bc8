package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Tables lists the tables.
func (d *DB) Tables(ctx context.Context) (names []string, err error) {
	rows, err := d.db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// Faults has SQLite check a table, or all for none, and returns what is damaged.
func (d *DB) Faults(ctx context.Context, table string) (faults []string, err error) {
	var of []any
	if table != "" {
		of = []any{table}
	}
	for _, pragma := range []string{"integrity_check", "foreign_key_check"} {
		found, err := d.check(ctx, pragma, of...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
		faults = append(faults, found...)
	}
	return faults, nil
}

func (d *DB) check(ctx context.Context, pragma string, table ...any) (faults []string, err error) {
	rows, err := d.db.QueryContext(ctx, "SELECT * FROM pragma_"+pragma+strings.Repeat("(?)", len(table))+" LIMIT 10", table...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var first string
		into := make([]any, len(columns))
		into[0] = &first
		for i := 1; i < len(into); i++ {
			into[i] = new(any)
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if first != "ok" {
			faults = append(faults, pragma+": "+first)
		}
	}
	return faults, rows.Err()
}
