package store

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/tool"
)

// checkpointWithin is how long a record waits for a checkpoint at most.
const checkpointWithin = time.Hour

// Record adds a record of something outside the store to the audit log. The caller has masked the secrets in data.
func (s *Store) Record(ctx context.Context, kind audit.Kind, subject, door string, data any) error {
	_, err := write(ctx, s, "record", func(c *change) (struct{}, error) {
		return struct{}{}, c.audit(kind, approval.By{Subject: subject, Via: approval.Via(door)}, data)
	})
	return err
}

// audit adds a record to the chain, as part of a change, and a checkpoint if one is due.
func (c *change) audit(kind audit.Kind, by approval.By, data any) error {
	raw, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("store: audit %s: %w", kind, err)
	}
	last, err := c.newest()
	if err != nil {
		return err
	}
	if (last.Seq+1)%audit.Every == 0 {
		if last, err = c.checkpoint(last); err != nil {
			return err
		}
	}
	r, err := audit.Record{At: c.now, Kind: kind, Subject: by.Subject, Via: string(by.Via), Data: raw}.Sealed(last)
	if err != nil {
		return err
	}
	if err := c.chain(r); err != nil || !kind.ThenSigned() {
		return err
	}
	_, err = c.checkpoint(r.Head())
	return err
}

// newest returns the head of the chain: from memory, or else from the database.
func (c *change) newest() (audit.Head, error) {
	if c.head.Seq > 0 {
		return c.head, nil
	}
	last, _, err := c.lastRecord()
	return last, err
}

func (c *change) lastRecord() (last audit.Head, kind audit.Kind, err error) {
	err = c.row("SELECT seq, hash, kind FROM audit ORDER BY seq DESC LIMIT 1").Scan(&last.Seq, &last.Hash, &kind)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return last, kind, fmt.Errorf("store: audit: %w", err)
	}
	return last, kind, nil
}

// checkpoint signs the chain up to last.
func (c *change) checkpoint(last audit.Head) (audit.Head, error) {
	key, err := c.key()
	if err != nil {
		return last, err
	}
	r, err := audit.Signed(last, c.now, key)
	if err != nil {
		return last, err
	}
	return r.Head(), c.chain(r)
}

// key returns the signing key. It makes one if there is none and nothing has been signed yet.
func (c *change) key() (ed25519.PrivateKey, error) {
	if c.store.signer != nil {
		return c.store.signer, nil
	}
	key, err := readKey(c.store.keyFile)
	if errors.Is(err, ErrNoKey) {
		var before bool
		if err := c.row("SELECT EXISTS (SELECT 1 FROM audit WHERE kind = ?)", string(audit.Checkpointed)).Scan(&before); err != nil {
			return nil, fmt.Errorf("store: audit: %w", err)
		}
		if before {
			return nil, fmt.Errorf("%w, but the audit log is signed: %s", err, noKeyRemedy)
		}
		key, err = makeKey(c.store.keyFile)
	}
	if err != nil {
		return nil, err
	}
	c.store.signer = key
	return key, nil
}

const noKeyRemedy = "if the data folder was moved, rename its key to this path; " +
	"otherwise restore the key from a backup, or start a new one with: gateway audit key --new"

func (c *change) chain(r audit.Record) error {
	c.head = r.Head()
	return c.exec("INSERT INTO audit (seq, at, kind, subject, via, data, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		r.Seq, r.At.UnixMicro(), string(r.Kind), r.Subject, r.Via, string(r.Data), r.Prev, r.Hash)
}

// signing is a job that signs the records that have no checkpoint after them. If it fails, the next one signs them.
func signing() job {
	return job{edge: "checkpoint", ctx: context.Background(), done: make(chan error, 1), do: func(c *change) error {
		last, kind, err := c.lastRecord()
		if err != nil || last.Seq == 0 || kind == audit.Checkpointed {
			return err
		}
		_, err = c.checkpoint(last)
		return err
	}}
}

const selectAudit = "SELECT seq, at, kind, subject, via, data, prev, hash FROM audit "

// Audit reads the audit log from its beginning, for audit.Verify.
func (s *Store) Audit(ctx context.Context) iter.Seq2[audit.Record, error] {
	return auditRecords(func() (*sql.Rows, error) { return s.db.ReadRows(ctx, selectAudit+"ORDER BY seq") })
}

func auditRecords(query func() (*sql.Rows, error)) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		rows, err := query()
		if err != nil {
			yield(audit.Record{}, fmt.Errorf("store: audit: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			var r audit.Record
			var at int64
			var data string
			err := rows.Scan(&r.Seq, &at, &r.Kind, &r.Subject, &r.Via, &data, &r.Prev, &r.Hash)
			if err != nil {
				err = fmt.Errorf("store: audit: %w", err)
			}
			r.At, r.Data = time.UnixMicro(at).UTC(), tool.JSON(data)
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(audit.Record{}, fmt.Errorf("store: audit: %w", err))
		}
	}
}
