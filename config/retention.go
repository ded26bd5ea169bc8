package config

import (
	"time"

	"github.com/lineclear/lineclear/store"
)

// leastKept is longer than anything that is over may still be needed for.
const leastKept = 24 * time.Hour

func (r resolver) retention(f retentionFile, at []string) store.Retention {
	age := func(text duration, name string) time.Duration {
		place := append(at[:len(at):len(at)], name)
		d := r.duration(text, 0, place)
		if d > 0 && d < leastKept {
			r.fault(place, "%s is too short: want at least 24h", r.doc.given(place))
		}
		return d
	}
	kept := store.Retention{Sessions: age(f.Sessions, "sessions"), Requests: age(f.Requests, "requests"), Audit: age(f.Audit, "audit")}
	if kept.Sessions > 0 && kept.Requests > kept.Sessions {
		place := append(at[:len(at):len(at)], "requests")
		r.fault(place, "%s is longer than sessions, and requests go with their session", r.doc.given(place))
	}
	if f.AuditExports != "" {
		kept.Exports = r.path(f.AuditExports)
	}
	return kept
}
