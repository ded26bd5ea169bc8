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

// Credentials is the store as an auth.CredentialStore.
func (s *Store) Credentials() *Credentials { return &Credentials{s} }

// Credentials keeps tokens and logins, by fingerprint.
type Credentials struct{ store *Store }

var _ auth.CredentialStore = (*Credentials)(nil)

// may checks that a stored credential still has one of the rights for an agent. It returns auth.ErrOver if the
// credential is gone. The local key and requests without a credential are not stored; they were checked earlier.
func (c *change) may(credential, agentID string, oneOf ...auth.Right) error {
	if credential == "" || credential == string(auth.KindLocal) {
		return nil
	}
	held, err := scanCredential(c.row(selectCredentials+" WHERE id = ?", credential))
	if errors.Is(err, sql.ErrNoRows) {
		return auth.ErrOver
	}
	if err != nil {
		return err
	}
	return held.Check(c.now, agentID, oneOf...)
}

// mayAnswer is may for an answer. Those who may talk to the agent may withdraw a request too.
func (c *change) mayAnswer(r approval.Response, agentID string) error {
	if r.Status == approval.Cancelled {
		return c.may(r.By.Credential, agentID, auth.Answer, auth.Talk)
	}
	return c.may(r.By.Credential, agentID, auth.Answer)
}

const selectCredentials = "SELECT fingerprint, proof, credential, used_at, address FROM credentials"

func scanCredential(row scanner) (c auth.Credential, err error) {
	var fingerprint, proof, raw, address string
	var used int64
	if err := row.Scan(&fingerprint, &proof, &raw, &used, &address); err != nil {
		return c, fmt.Errorf("store: credentials: %w", err)
	}
	if err := json.Unmarshal([]byte(raw), &c); err != nil {
		return c, fmt.Errorf("store: credential: %w", err)
	}
	c.Fingerprint, c.Proof, c.Address = fingerprint, proof, address
	if used > 0 {
		c.UsedAt = time.UnixMicro(used).UTC()
	}
	return c, nil
}

// SaveCredentials implements auth.CredentialStore.
func (t *Credentials) SaveCredentials(ctx context.Context, seen auth.Version, by string, saved ...auth.Credential) (auth.Version, error) {
	return t.changeAccess(ctx, seen, func(tx *change) (done accessChange, err error) {
		for _, c := range saved {
			known, err := tx.saveCredential(c, by)
			if err != nil {
				return done, err
			}
			if !known {
				done.added = append(done.added, c)
			}
			done.ids = append(done.ids, c.ID)
		}
		return done, nil
	})
}

// saveCredential stores a credential, and reports whether there was one with its id.
func (c *change) saveCredential(saved auth.Credential, by string) (already bool, err error) {
	saved.UsedAt, saved.Address = time.Time{}, "" // SaveUses stores these
	raw, err := json.Marshal(saved)
	if err != nil {
		return false, fmt.Errorf("store: credential: %w", err)
	}
	var known int
	if err := c.row("SELECT count(*) FROM credentials WHERE id = ?", saved.ID).Scan(&known); err != nil {
		return false, fmt.Errorf("store: credential: %w", err)
	}
	err = c.exec("INSERT INTO credentials (id, fingerprint, proof, credential) VALUES (?, ?, ?, ?) "+
		"ON CONFLICT (id) DO UPDATE SET credential = excluded.credential", saved.ID, saved.Fingerprint, saved.Proof, string(raw))
	if err != nil {
		return false, err
	}
	now := auth.Identity{Subject: saved.Subject, Roles: saved.Roles, Agents: saved.Agents}
	if err := c.endGiven(saved.ID, func(agentID string) bool { return now.Check(agentID, auth.Answer) == nil }, changedBy(by)); err != nil {
		return false, err
	}
	kinds := [2]audit.Kind{audit.LoginBegun, audit.LoginChanged}
	if saved.Kind == auth.KindToken {
		kinds = [2]audit.Kind{audit.TokenCreated, audit.TokenChanged}
	}
	return known > 0, c.audit(kinds[known], changedBy(by), access(saved))
}

// SaveUses implements auth.CredentialStore. It leaves no audit record.
func (t *Credentials) SaveUses(ctx context.Context, used ...auth.Credential) error {
	return t.change(ctx, func(tx *change) error {
		var ids []string
		for _, c := range used {
			ids = append(ids, c.ID)
			if err := tx.exec("UPDATE credentials SET used_at = ?1, address = ?2 WHERE id = ?3 AND used_at <= ?1", c.UsedAt.UnixMicro(), c.Address, c.ID); err != nil {
				return err
			}
		}
		return tx.tellAccess(0, ids)
	})
}

// DropCredentials implements auth.CredentialStore.
func (t *Credentials) DropCredentials(
	ctx context.Context, seen auth.Version, by string, why auth.LoginEnd, dropped ...auth.Credential,
) (auth.Version, error) {
	return t.changeAccess(ctx, seen, func(tx *change) (done accessChange, err error) {
		for _, c := range dropped {
			if err := tx.dropCredential(c, by, why); err != nil {
				return done, err
			}
			done.ids = append(done.ids, c.ID)
		}
		return done, nil
	})
}

func (c *change) dropCredential(dropped auth.Credential, by string, why auth.LoginEnd) error {
	if err := c.exec("DELETE FROM credentials WHERE id = ?", dropped.ID); err != nil {
		return err
	}
	if err := c.keepEnd(dropped, why); err != nil {
		return err
	}
	kind := audit.LoginEnded
	if dropped.Kind == auth.KindToken {
		kind = audit.TokenRevoked
	}
	if !dropped.EndedByItself(by, c.now) {
		if err := c.endGiven(dropped.ID, func(string) bool { return false }, changedBy(by)); err != nil {
			return err
		}
	}
	return c.audit(kind, changedBy(by), access(dropped))
}

// Invited implements auth.CredentialStore.
func (t *Credentials) Invited(ctx context.Context, c auth.Credential, by string) error {
	return t.change(ctx, func(tx *change) error { return tx.audit(audit.LinkCreated, changedBy(by), access(c)) })
}

// changedBy is the By of a change of access, which only the REST door allows.
func changedBy(subject string) approval.By {
	return approval.By{Subject: subject, Via: approval.ViaREST}
}

func access(c auth.Credential) audit.Access {
	a := audit.Access{
		AccessID: c.ID, Name: c.Name, Owner: c.Subject, Agents: c.Agents, From: c.From, ExpiresAt: c.ExpiresAt,
	}
	for _, r := range c.Roles {
		a.Roles = append(a.Roles, string(r))
	}
	return a
}

// change is write for a change that returns nothing.
func (t *Credentials) change(ctx context.Context, do func(*change) error) error {
	_, err := write(ctx, t.store, "credential", func(c *change) (struct{}, error) { return struct{}{}, do(c) })
	return err
}
