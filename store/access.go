package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/tool"
)

// accessChange is the result of a change of access.
type accessChange struct {
	ids   []string // of the credentials, invitations and ended logins that have changed
	added []auth.Credential
}

// changeAccess is write for a change of access. In a cluster it returns auth.ErrBehind unless seen is the newest
// version, and it tells the other nodes.
func (t *Credentials) changeAccess(ctx context.Context, seen auth.Version, do func(*change) (accessChange, error)) (auth.Version, error) {
	return write(ctx, t.store, "credential", func(c *change) (auth.Version, error) {
		before, err := c.accessVersion(seen)
		if err != nil {
			return seen, err
		}
		done, err := do(c)
		if err != nil {
			return seen, err
		}
		after := before.After(done.added...)
		return after, errors.Join(c.keepVersion(after), c.tellAccess(after.Changes, done.ids))
	})
}

// accessVersion returns the stored version, or auth.ErrBehind if it is not the one seen. Without a cluster it returns
// seen.
func (c *change) accessVersion(seen auth.Version) (now auth.Version, err error) {
	if c.store.others == nil {
		return seen, nil
	}
	if err := c.row("SELECT changes, admins FROM access").Scan(&now.Changes, &now.Admins); err != nil {
		return seen, fmt.Errorf("store: access: %w", err)
	}
	if now.Changes != seen.Changes {
		return seen, auth.ErrBehind
	}
	return now, nil
}

func (c *change) keepVersion(version auth.Version) error {
	if c.store.others == nil {
		return nil
	}
	return c.exec("UPDATE access SET changes = ?, admins = ?", version.Changes, version.Admins)
}

// tellAccess tells the other nodes which rows have changed; with zero changes, which credentials were used.
func (c *change) tellAccess(changes int64, ids []string) error {
	if c.store.others == nil {
		return nil
	}
	raw, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("store: access: %w", err)
	}
	c.tell(news{Of: newAccess, Seq: changes, Value: tool.JSON(raw)}, func() {})
	return nil
}

// foundAccess applies another node's change of access at once, so that those who lost access are not told anything
// that comes after it.
func (s *Store) foundAccess(ctx context.Context, n news) error {
	var ids []string
	if err := json.Unmarshal(n.Value, &ids); err != nil {
		return fmt.Errorf("store: access: %w", err)
	}
	if s.watch.Access == nil {
		return nil
	}
	return s.watch.Access(ctx, n.Seq, ids...)
}

// ReadAccess implements auth.CredentialStore.
func (t *Credentials) ReadAccess(ctx context.Context, ids ...string) (kept auth.Kept, err error) {
	if kept.Version, err = t.version(ctx); err != nil { // first: the rest may be newer
		return kept, err
	}
	where, args := "", []any{}
	if len(ids) > 0 {
		raw, err := json.Marshal(ids)
		if err != nil {
			return kept, fmt.Errorf("store: access: %w", err)
		}
		where, args = " WHERE id IN (SELECT value FROM json_each(?))", append(args, string(raw))
	}
	rows, err := t.store.db.ReadRows(ctx, selectCredentials+where+" ORDER BY id", args...)
	if kept.Credentials, err = scanned("credentials", rows, err, scanCredential); err != nil {
		return kept, err
	}
	rows, err = t.store.db.ReadRows(ctx, "SELECT fingerprint, maker, invitation FROM invitations"+where+" ORDER BY id", args...)
	if kept.Invitations, err = scanned("invitations", rows, err, scanInvitation); err != nil {
		return kept, err
	}
	rows, err = t.store.db.ReadRows(ctx, "SELECT id, proof, ended FROM login_ends"+where, args...)
	kept.Ends, err = scanned("login ends", rows, err, scanEnd)
	return kept, err
}

// version returns the stored version; without a cluster, the zero Version.
func (t *Credentials) version(ctx context.Context) (v auth.Version, err error) {
	if t.store.others == nil {
		return v, nil
	}
	if err := t.store.db.ReadRow(ctx, "SELECT changes, admins FROM access").Scan(&v.Changes, &v.Admins); err != nil {
		return v, fmt.Errorf("store: access: %w", err)
	}
	return v, nil
}

// Behind implements auth.CredentialStore.
func (t *Credentials) Behind(ctx context.Context, seen auth.Version) (bool, error) {
	if t.store.others == nil {
		return false, nil
	}
	now, err := t.version(ctx)
	return now != seen, err
}

// proofKey is the name of the proof key among the keys of a cluster.
const proofKey = "proofs"

// ProofKey implements auth.CredentialStore. Without a cluster each process makes a new one.
func (t *Credentials) ProofKey(ctx context.Context, make func() string) (string, error) {
	if t.store.others == nil {
		return make(), nil
	}
	return t.store.others.Key(ctx, proofKey, func() (string, error) { return make(), nil })
}
