package store

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
)

func scanInvitation(row scanner) (i auth.Invitation, err error) {
	var fingerprint, maker, raw string
	if err := row.Scan(&fingerprint, &maker, &raw); err != nil {
		return i, fmt.Errorf("store: invitations: %w", err)
	}
	if err := json.Unmarshal([]byte(raw), &i); err != nil {
		return i, fmt.Errorf("store: invitation: %w", err)
	}
	i.Fingerprint, i.Maker = fingerprint, maker
	return i, nil
}

// SaveInvitations implements auth.InvitationStore.
func (t *Credentials) SaveInvitations(ctx context.Context, seen auth.Version, by string, saved ...auth.Invitation) (auth.Version, error) {
	return t.changeAccess(ctx, seen, func(tx *change) (done accessChange, err error) {
		for _, i := range saved {
			if err := tx.saveInvitation(i, by); err != nil {
				return done, err
			}
			done.ids = append(done.ids, i.ID)
		}
		return done, nil
	})
}

func (c *change) saveInvitation(i auth.Invitation, by string) error {
	raw, err := json.Marshal(i)
	if err != nil {
		return fmt.Errorf("store: invitation: %w", err)
	}
	err = c.exec("INSERT INTO invitations (id, fingerprint, maker, invitation) VALUES (?, ?, ?, ?) "+
		"ON CONFLICT (id) DO UPDATE SET invitation = excluded.invitation", i.ID, i.Fingerprint, i.Maker, string(raw))
	if err != nil {
		return err
	}
	given := access(auth.Credential{ID: i.ID, Name: i.Subject, Subject: i.Subject, Roles: i.Roles, Agents: i.Agents, ExpiresAt: i.ExpiresAt})
	switch i.State {
	case auth.InvitationOpen:
		return c.audit(audit.LinkCreated, changedBy(by), given)
	case auth.InvitationWithdrawn, auth.InvitationReplaced:
		return c.audit(audit.LinkWithdrawn, changedBy(by), given)
	default:
		return nil // the login that it began has its own record
	}
}

func scanEnd(row scanner) (ended auth.EndedLogin, err error) {
	var raw string
	if err := row.Scan(&ended.ID, &ended.Proof, &raw); err != nil {
		return ended, fmt.Errorf("store: login ends: %w", err)
	}
	if err := json.Unmarshal([]byte(raw), &ended.LoginEnd); err != nil {
		return ended, fmt.Errorf("store: login end: %w", err)
	}
	return ended, nil
}

// keepEnd stores why a login ended.
func (c *change) keepEnd(dropped auth.Credential, why auth.LoginEnd) error {
	ended, ok := dropped.Ended(why)
	if !ok {
		return nil
	}
	raw, err := json.Marshal(ended.LoginEnd)
	if err != nil {
		return fmt.Errorf("store: login end: %w", err)
	}
	return c.exec("INSERT INTO login_ends (id, proof, ended) VALUES (?, ?, ?) "+
		"ON CONFLICT (id) DO UPDATE SET proof = excluded.proof, ended = excluded.ended", ended.ID, ended.Proof, string(raw))
}

// Forget implements auth.InvitationStore.
func (t *Credentials) Forget(ctx context.Context, seen auth.Version, ids ...string) (auth.Version, error) {
	return t.changeAccess(ctx, seen, func(tx *change) (accessChange, error) {
		for _, id := range ids {
			for _, query := range []string{"DELETE FROM invitations WHERE id = ?", "DELETE FROM login_ends WHERE id = ?"} {
				if err := tx.exec(query, id); err != nil {
					return accessChange{}, err
				}
			}
		}
		return accessChange{ids: ids}, nil
	})
}
