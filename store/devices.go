package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
)

// Terminals returns the device logins that the nodes of a cluster share; nil without a cluster, where they are kept
// in memory.
func (s *Store) Terminals() auth.Terminals {
	if s.others == nil {
		return nil
	}
	return &terminals{s.others}
}

type terminals struct{ others others }

// terminalAnswer is a person's answer; without Who, they refused.
type terminalAnswer struct {
	Who  *standsFor `json:"who,omitempty"`
	Life int64      `json:"life,omitzero"` // nanoseconds
}

// Ask implements auth.Terminals.
func (d *terminals) Ask(ctx context.Context, name, address string, life time.Duration) (auth.Device, string, error) {
	const query = `WITH old AS (
			SELECT code FROM device_logins WHERE until <= clock_timestamp() ORDER BY until LIMIT ?1 FOR UPDATE SKIP LOCKED
		), crowd AS (
			SELECT d.code FROM device_logins AS d
			JOIN (SELECT address, count(*) AS n FROM device_logins GROUP BY address) AS a ON a.address = d.address
			ORDER BY a.n DESC, a.address, d.asked
			LIMIT (SELECT greatest(0, count(*) + 1 - CAST(?2 AS bigint)) FROM device_logins WHERE until > clock_timestamp())
			FOR UPDATE OF d SKIP LOCKED
		), gone AS (
			DELETE FROM device_logins WHERE code IN (SELECT code FROM old UNION SELECT code FROM crowd)
		)
		INSERT INTO device_logins (code, user_code, name, address, asked, until)
		SELECT ?3, ?4, ?5, ?6, at, at + CAST(?7 AS bigint) * interval '1 microsecond' FROM (SELECT clock_timestamp() AS at) AS now
		ON CONFLICT (user_code) DO NOTHING RETURNING asked, until`
	for {
		asked, secret := auth.NewDevice(name, address, life)
		err := d.others.Apart(ctx, query, []any{
			sweptAtOnce, auth.MaxDevices, auth.Fingerprint(secret), asked.UserCode, name, address, life.Microseconds(),
		}, &asked.AskedAt, &asked.ExpiresAt)
		if errors.Is(err, sql.ErrNoRows) {
			continue // another terminal has this code
		}
		asked.AskedAt, asked.ExpiresAt = asked.AskedAt.UTC(), asked.ExpiresAt.UTC()
		return asked, secret, err
	}
}

// Get implements auth.Terminals.
func (d *terminals) Get(ctx context.Context, userCode string) (asked auth.Device, err error) {
	err = d.others.Apart(ctx, `SELECT user_code, name, address, asked, until FROM device_logins
		WHERE user_code = ? AND answer IS NULL AND until > clock_timestamp()`,
		[]any{userCode}, &asked.UserCode, &asked.Name, &asked.Address, &asked.AskedAt, &asked.ExpiresAt)
	asked.AskedAt, asked.ExpiresAt = asked.AskedAt.UTC(), asked.ExpiresAt.UTC()
	return asked, unknownIfNone(err)
}

// Answer implements auth.Terminals.
func (d *terminals) Answer(ctx context.Context, userCode string, who *auth.Identity, life time.Duration) error {
	var answer terminalAnswer
	if who != nil {
		answer = terminalAnswer{Who: new(standsFor(*who)), Life: int64(life)}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	var code string
	return unknownIfNone(d.others.Apart(ctx, `UPDATE device_logins SET answer = ?
		WHERE user_code = ? AND answer IS NULL AND until > clock_timestamp() RETURNING code`, []any{string(raw), userCode}, &code))
}

// Collect implements auth.Terminals.
func (d *terminals) Collect(ctx context.Context, deviceCode string) (allowed auth.Allowed, err error) {
	code := auth.Fingerprint(deviceCode)
	var raw string
	err = d.others.Apart(ctx, `DELETE FROM device_logins WHERE code = ? AND answer IS NOT NULL AND until > clock_timestamp()
		RETURNING name, answer`, []any{code}, &allowed.Name, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		err = d.others.Apart(ctx, "SELECT code FROM device_logins WHERE code = ? AND until > clock_timestamp()", []any{code}, &code)
		if err == nil {
			err = auth.ErrWaiting
		}
		return auth.Allowed{}, unknownIfNone(err)
	}
	var answer terminalAnswer
	if err == nil {
		err = json.Unmarshal([]byte(raw), &answer)
	}
	switch {
	case err != nil:
		return auth.Allowed{}, fmt.Errorf("store: %w", err)
	case answer.Who == nil:
		return auth.Allowed{}, auth.ErrRefused
	}
	allowed.Who, allowed.Life = auth.Identity(*answer.Who), time.Duration(answer.Life)
	return allowed, nil
}

func unknownIfNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return auth.ErrUnknown
	}
	return err
}
