package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/notify"
)

// Subscriptions is the store as a notify.Store.
func (s *Store) Subscriptions() *Subscriptions { return &Subscriptions{s} }

// Subscriptions keeps the push subscriptions of browsers.
type Subscriptions struct{ store *Store }

var _ notify.Store = (*Subscriptions)(nil)

// ListSubscriptions implements notify.Store.
func (t *Subscriptions) ListSubscriptions(ctx context.Context) ([]notify.Subscription, error) {
	rows, err := t.store.db.ReadRows(ctx, "SELECT login_id, endpoint, public_key, secret, created_at, last_success, refused FROM push_subscriptions")
	return scanned("subscriptions", rows, err, func(row scanner) (s notify.Subscription, err error) {
		var created int64
		var success sql.NullInt64
		if err := row.Scan(&s.LoginID, &s.Endpoint, &s.PublicKey, &s.Secret, &created, &success, &s.Refused); err != nil {
			return s, fmt.Errorf("store: subscription: %w", err)
		}
		s.CreatedAt = time.UnixMicro(created).UTC()
		if success.Valid {
			s.LastSuccess = time.UnixMicro(success.Int64).UTC()
		}
		return s, nil
	})
}

// SaveSubscription implements notify.Store.
func (t *Subscriptions) SaveSubscription(ctx context.Context, by string, s notify.Subscription) error {
	return t.change(ctx, func(c *change) error {
		var known int
		if err := c.row("SELECT count(*) FROM credentials WHERE id = ?", s.LoginID).Scan(&known); err != nil {
			return fmt.Errorf("store: subscription: %w", err)
		}
		if known == 0 {
			return auth.ErrUnknown
		}
		if err := c.exec("DELETE FROM push_subscriptions WHERE login_id = ? OR endpoint = ?", s.LoginID, s.Endpoint); err != nil {
			return err
		}
		err := c.exec("INSERT INTO push_subscriptions (login_id, endpoint, public_key, secret, created_at, refused) VALUES (?, ?, ?, ?, ?, 0)",
			s.LoginID, s.Endpoint, s.PublicKey, s.Secret, s.CreatedAt.UnixMicro())
		if err != nil {
			return err
		}
		return c.audit(audit.PushOn, changedBy(by), push(s))
	})
}

// NoteSubscription implements notify.Store.
func (t *Subscriptions) NoteSubscription(ctx context.Context, s notify.Subscription) error {
	var success any
	if !s.LastSuccess.IsZero() {
		success = s.LastSuccess.UnixMicro()
	}
	return t.change(ctx, func(c *change) error {
		return c.exec("UPDATE push_subscriptions SET last_success = ?, refused = ? WHERE login_id = ? AND endpoint = ?",
			success, s.Refused, s.LoginID, s.Endpoint)
	})
}

// DropSubscription implements notify.Store.
func (t *Subscriptions) DropSubscription(ctx context.Context, by string, s notify.Subscription) error {
	return t.change(ctx, func(c *change) error {
		var known int
		if err := c.row("SELECT count(*) FROM push_subscriptions WHERE login_id = ? AND endpoint = ?", s.LoginID, s.Endpoint).Scan(&known); err != nil {
			return fmt.Errorf("store: subscription: %w", err)
		}
		if known == 0 {
			return nil
		}
		if err := c.exec("DELETE FROM push_subscriptions WHERE login_id = ? AND endpoint = ?", s.LoginID, s.Endpoint); err != nil {
			return err
		}
		return c.audit(audit.PushOff, changedBy(by), push(s))
	})
}

// push returns what the audit log has of a subscription: not the address that messages are sent to.
func push(s notify.Subscription) audit.Push {
	p := audit.Push{AccessID: s.LoginID}
	if at, err := url.Parse(s.Endpoint); err == nil {
		p.Service = at.Host
	}
	return p
}

// change is write for a change that returns nothing.
func (t *Subscriptions) change(ctx context.Context, do func(*change) error) error {
	_, err := write(ctx, t.store, "subscription", func(c *change) (struct{}, error) {
		c.tell(news{Of: newSubscription}, func() {})
		return struct{}{}, do(c)
	})
	return err
}
