package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
)

// Logins is the store as an auth.LoginStore.
func (s *Store) Logins() *Logins { return &Logins{s} }

// Logins keeps the logins of browsers, by fingerprint.
type Logins struct{ store *Store }

var _ auth.LoginStore = (*Logins)(nil)

// SaveLogin implements auth.LoginStore, and forgets the logins whose time is over.
func (t *Logins) SaveLogin(ctx context.Context, l auth.Login) error {
	identity, err := json.Marshal(l.Identity)
	if err != nil {
		return fmt.Errorf("store: login: %w", err)
	}
	return t.change(ctx, func(c *change) error {
		if err := c.exec("DELETE FROM logins WHERE expires_at <= ?", c.now.UnixMicro()); err != nil {
			return err
		}
		err := c.exec("INSERT INTO logins (fingerprint, identity, created_at, expires_at) VALUES (?, ?, ?, ?)",
			l.Fingerprint, string(identity), l.CreatedAt.UnixMicro(), l.ExpiresAt.UnixMicro())
		if err != nil {
			return err
		}
		return c.audit(audit.LoginBegun, byLogin(l.Identity), audit.Login{Roles: rolesOf(l.Identity), ExpiresAt: l.ExpiresAt})
	})
}

// FindLogin implements auth.LoginStore.
func (t *Logins) FindLogin(ctx context.Context, fingerprint string) (auth.Login, error) {
	l := auth.Login{Fingerprint: fingerprint}
	var identity string
	var created, expires int64
	err := t.store.read.row(ctx,
		"SELECT identity, created_at, expires_at FROM logins WHERE fingerprint = ?", fingerprint).
		Scan(&identity, &created, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return auth.Login{}, auth.ErrUnknown
	}
	if err != nil {
		return auth.Login{}, fmt.Errorf("store: login: %w", err)
	}
	if err := json.Unmarshal([]byte(identity), &l.Identity); err != nil {
		return auth.Login{}, fmt.Errorf("store: login: %w", err)
	}
	l.CreatedAt, l.ExpiresAt = time.UnixMicro(created).UTC(), time.UnixMicro(expires).UTC()
	return l, nil
}

// DropLogin implements auth.LoginStore.
func (t *Logins) DropLogin(ctx context.Context, fingerprint string) error {
	return t.change(ctx, func(c *change) error {
		var identity string
		err := c.row("DELETE FROM logins WHERE fingerprint = ? RETURNING identity", fingerprint).Scan(&identity)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // nobody has left
		}
		if err != nil {
			return fmt.Errorf("store: logout: %w", err)
		}
		var id auth.Identity
		if err := json.Unmarshal([]byte(identity), &id); err != nil {
			return fmt.Errorf("store: logout: %w", err)
		}
		return c.audit(audit.LoginEnded, byLogin(id), audit.Login{Roles: rolesOf(id)})
	})
}

// byLogin is who comes in or leaves, which only one door lets them.
func byLogin(id auth.Identity) approval.By { return approval.By{Subject: id.Subject, Via: "rest"} }

func rolesOf(id auth.Identity) []string {
	roles := make([]string, len(id.Roles))
	for i, r := range id.Roles {
		roles[i] = string(r)
	}
	return roles
}

// change is write for a change that returns nothing.
func (t *Logins) change(ctx context.Context, do func(*change) error) error {
	_, err := write(ctx, t.store, "login", func(c *change) (struct{}, error) { return struct{}{}, do(c) })
	return err
}
