package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/store/postgres"
)

// copyPushKey copies the key by which push services know the gateway.
func (s *Store) copyPushKey(to writer) error {
	raw, err := os.ReadFile(filepath.Join(s.dir(), PushKeyName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: push key: %w", err)
	}
	return to.Exec("INSERT INTO keys (name, pem) VALUES (?, ?)", PushKeyName, string(raw))
}

// copyLogins copies people's logins at MCP servers.
func (s *Store) copyLogins(to writer) error {
	files, err := filepath.Glob(filepath.Join(s.dir(), LoginsName, "*.json"))
	if err != nil {
		return fmt.Errorf("store: logins: %w", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("store: logins: %w", err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if err := to.Exec("INSERT INTO mcp_logins (name, login) VALUES (?, ?)", name, string(raw)); err != nil {
			return fmt.Errorf("store: login at %s: %w", name, err)
		}
	}
	return nil
}

// copyKept writes what a single gateway keeps in files to a folder: the push key and people's logins.
func copyKept(ctx context.Context, from *postgres.Moment, dir string) error {
	var pem string
	switch err := from.ReadRow(ctx, "SELECT pem FROM keys WHERE name = ?", PushKeyName).Scan(&pem); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return fmt.Errorf("store: push key: %w", err)
	default:
		if err := paths.Write(filepath.Join(dir, PushKeyName), []byte(pem), 0o600); err != nil {
			return fmt.Errorf("store: push key: %w", err)
		}
	}
	var there bool // an older schema has none
	if err := from.ReadRow(ctx, "SELECT to_regclass('mcp_logins') IS NOT NULL").Scan(&there); err != nil || !there {
		return err
	}
	rows, err := from.ReadRows(ctx, "SELECT name, login FROM mcp_logins WHERE login IS NOT NULL")
	_, err = scanned("logins", rows, err, func(row scanner) (name string, err error) {
		var login string
		if err := row.Scan(&name, &login); err != nil {
			return "", fmt.Errorf("store: logins: %w", err)
		}
		return name, paths.Write(filepath.Join(dir, LoginsName, name+".json"), []byte(login), 0o600)
	})
	return err
}
