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

// OneTime returns the one-time secrets that the nodes of a cluster share; nil without a cluster, where they are kept
// in memory. They do not go through the writer, since many pages may connect again at once.
func (s *Store) OneTime() auth.OneTimeEntries {
	if s.others == nil {
		return nil
	}
	return &oneTime{s.others}
}

type oneTime struct{ others others }

// standsFor is an auth.Identity as it is stored, with the fields that are never sent.
type standsFor struct {
	Subject    string      `json:"subject"`
	Roles      []auth.Role `json:"roles"`
	Agents     []string    `json:"agents,omitempty"`
	Credential string      `json:"credential,omitempty"`
	Root       string      `json:"root,omitempty"`
	Invited    string      `json:"invited,omitempty"`
}

// sweptAtOnce is how many expired entries one insert removes at most.
const sweptAtOnce = 100

// Add implements auth.OneTimeEntries.
func (o *oneTime) Add(ctx context.Context, kind auth.Secret, fingerprint string, id auth.Identity, life time.Duration) error {
	raw, err := json.Marshal(standsFor(id))
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	const query = `WITH old AS (
			SELECT fingerprint FROM one_time WHERE until <= clock_timestamp() ORDER BY until LIMIT ?1 FOR UPDATE SKIP LOCKED
		), gone AS (
			DELETE FROM one_time WHERE fingerprint IN (SELECT fingerprint FROM old)
		)
		INSERT INTO one_time (fingerprint, node, kind, identity, until)
		VALUES (?2, ?3, ?4, ?5, clock_timestamp() + CAST(?6 AS bigint) * interval '1 microsecond') RETURNING fingerprint`
	return o.others.Apart(ctx, query, []any{sweptAtOnce, fingerprint, o.others.Node(), string(kind), string(raw), life.Microseconds()}, &fingerprint)
}

// Take implements auth.OneTimeEntries.
func (o *oneTime) Take(ctx context.Context, kind auth.Secret, fingerprint string) (auth.Identity, error) {
	return o.find(ctx, "DELETE FROM one_time WHERE fingerprint = ? AND kind = ? AND until > clock_timestamp() RETURNING identity", kind, fingerprint)
}

// Look implements auth.OneTimeEntries.
func (o *oneTime) Look(ctx context.Context, kind auth.Secret, fingerprint string) (auth.Identity, error) {
	return o.find(ctx, "SELECT identity FROM one_time WHERE fingerprint = ? AND kind = ? AND until > clock_timestamp()", kind, fingerprint)
}

func (o *oneTime) find(ctx context.Context, query string, kind auth.Secret, fingerprint string) (auth.Identity, error) {
	var raw string
	err := o.others.Apart(ctx, query, []any{fingerprint, string(kind)}, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return auth.Identity{}, auth.ErrUnknown
	}
	var id standsFor
	if err == nil {
		err = json.Unmarshal([]byte(raw), &id)
	}
	if err != nil {
		return auth.Identity{}, fmt.Errorf("store: %w", err)
	}
	return auth.Identity(id), nil
}

// endLinks ends the unused login links of earlier processes of this node: each process prints its own.
func (s *Store) endLinks(ctx context.Context) error {
	var ended int64
	const query = "WITH gone AS (DELETE FROM one_time WHERE node = ? AND kind = ? RETURNING 1) SELECT count(*) FROM gone"
	return s.others.Apart(ctx, query, []any{s.others.Node(), string(auth.LinkSecret)}, &ended)
}
