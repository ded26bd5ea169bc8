package postgres

import (
	"database/sql"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
)

// found is one row that was read in a transaction, or why there is none.
type found struct {
	values []any
	err    error
}

// readOne reads the first row of a batch's next query.
func readOne(results pgx.BatchResults) found {
	rows, err := results.Query()
	if err != nil {
		return found{err: err}
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return found{err: err}
		}
		return found{err: sql.ErrNoRows}
	}
	values, err := rows.Values()
	rows.Close()
	if err == nil {
		err = rows.Err()
	}
	return found{values, err}
}

// Scan does what (*sql.Row).Scan does.
func (f found) Scan(dest ...any) error {
	if f.err != nil {
		return f.err
	}
	if len(dest) != len(f.values) {
		return fmt.Errorf("store: a row of %d columns is read into %d", len(f.values), len(dest))
	}
	for i, value := range f.values {
		if err := assign(dest[i], value); err != nil {
			return fmt.Errorf("store: column %d: %w", i, err)
		}
	}
	return nil
}

// assign converts a value as database/sql does, for the types of column in use.
func assign(dest, value any) error {
	switch dest := dest.(type) {
	case sql.Scanner:
		return dest.Scan(value)
	case *any:
		*dest = value
		return nil
	case *[]byte:
		var v sql.Null[[]byte]
		err := v.Scan(value)
		*dest = v.V
		return err
	case *time.Time:
		var v sql.NullTime
		err := v.Scan(value)
		*dest = v.Time
		return err
	}
	into := reflect.ValueOf(dest).Elem()
	if value == nil {
		return fmt.Errorf("there is no value for a %s", into.Type())
	}
	var err error
	switch into.Kind() {
	case reflect.String:
		var v sql.NullString
		err = v.Scan(value)
		into.SetString(v.String)
	case reflect.Bool:
		var v sql.NullBool
		err = v.Scan(value)
		into.SetBool(v.Bool)
	case reflect.Int, reflect.Int64:
		var v sql.NullInt64
		err = v.Scan(value)
		into.SetInt(v.Int64)
	default:
		err = fmt.Errorf("a column is not read into a %s", into.Type())
	}
	return err
}
