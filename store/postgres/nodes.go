package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/session"
)

// Say stores the position of the newest commit that this node has put on its bus, and its program's version. It does
// not lock the head: nothing is decided by it. It needs a schema that is up to date.
func (d *DB) Say(ctx context.Context, seen int64) error {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	_, err := d.reads.ExecContext(ctx, "UPDATE nodes SET seen = $1, version = $2 WHERE name = $3 AND process = $4",
		seen, d.o.Version, d.o.Node, d.lease.process.String())
	return unwritten(err)
}

// goneFor is how long a node stays listed that is gone without having left.
const goneFor = 24 * time.Hour

// settledAfter is how long after a commit every node that is not behind has read it, and said so.
const settledAfter = 2 * time.Second

// selectNodes lists the nodes. It counts only sessions with an open turn, so that old ones cost nothing.
const selectNodes = `SELECT n.name, n.turn <> 0 AND n.until > clock_timestamp(), n.until > clock_timestamp(), n.since, n.version, coalesce(w.sessions, 0),
		greatest(c.position - n.seen, 0), floor(extract(epoch FROM greatest(clock_timestamp() - n.until + $1::bigint * interval '1 microsecond', interval '0')))::bigint
	FROM (SELECT coalesce(max(position), 0) AS position FROM commits WHERE at < clock_timestamp() - $3::bigint * interval '1 microsecond') c CROSS JOIN nodes n LEFT JOIN (
		SELECT r.turn, count(*) AS sessions FROM sessions s JOIN runners r ON r.session_id = s.id WHERE s.turn_open = 1 AND s.removed = 0 GROUP BY r.turn
	) w ON w.turn = n.turn AND n.turn <> 0
	WHERE n.until > clock_timestamp() - $2::bigint * interval '1 microsecond' ORDER BY n.turn = 0, n.turn, n.since, n.name`

// Nodes lists the nodes, the one that has worked for the longest first; those that don't work come last.
func (d *DB) Nodes(ctx context.Context) ([]session.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Limit)
	defer cancel()
	rows, err := d.reads.QueryContext(ctx, selectNodes, d.o.Lease.Microseconds(), goneFor.Microseconds(), settledAfter.Microseconds())
	if err != nil {
		return nil, unwritten(err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	list := []session.Node{}
	for rows.Next() {
		var n session.Node
		var works, lives bool
		if err := rows.Scan(&n.Name, &works, &lives, &n.Since, &n.Version, &n.Sessions, &n.Behind, &n.Silent); err != nil {
			return nil, fmt.Errorf("store: nodes: %w", err)
		}
		n.Here, n.Since = n.Name == d.o.Node, n.Since.UTC()
		switch {
		case works:
			n.State = session.NodeWorks
		case lives:
			n.State, n.Behind = session.NodeStandsBy, 0
		default:
			n.State, n.Behind = session.NodeGone, 0
		}
		list = append(list, n)
	}
	if err := rows.Err(); err != nil {
		return nil, unwritten(err)
	}
	return list, d.differing(ctx, list)
}

// differing adds to each node the agents for which its file differs from what counts.
func (d *DB) differing(ctx context.Context, list []session.Node) error {
	rows, err := d.reads.QueryContext(ctx, `SELECT n.name, m.agent_id, m.digest, a.digest FROM nodes n JOIN node_agents m ON m.turn = n.turn
		JOIN agents a ON a.agent_id = m.agent_id WHERE n.turn <> 0 AND m.digest <> a.digest ORDER BY n.name, m.agent_id`)
	if err != nil {
		return unwritten(err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var name string
		var one session.Differing
		if err := rows.Scan(&name, &one.AgentID, &one.Digest, &one.Counts); err != nil {
			return fmt.Errorf("store: nodes: %w", err)
		}
		for i := range list {
			if list[i].Name == name {
				list[i].Differs = append(list[i].Differs, one)
			}
		}
	}
	return unwritten(rows.Err())
}
