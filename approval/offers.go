package approval

import (
	"fmt"
	"slices"
)

// maxGrantSeconds bounds how long a grant can be given for: a year.
const maxGrantSeconds = 365 * 24 * 60 * 60

// Offers refuses an approval of more than the request offers.
func (row Request) Offers(r Response) error {
	g := r.Grant
	if r.Scope.OrOnce() == Once {
		if g != (GrantTerms{}) {
			return fmt.Errorf("%w: grant: belongs to an approval with scope session", ErrInvalid)
		}
		return nil
	}
	if !slices.Contains(row.Scopes, row.Scope(r.Scope)) {
		return fmt.Errorf("%w: scope: %q is not offered here; use one of %v, and leave rememberChoice out", ErrInvalid, r.Scope, row.Scopes)
	}
	if _, ok := row.Covering(g.Covers); !ok {
		var kinds []CoverageKind
		for _, c := range row.Covers {
			kinds = append(kinds, c.Kind)
		}
		return fmt.Errorf("%w: grant.covers: %q is not offered here; use one of %v", ErrInvalid, g.Covers, kinds)
	}
	most := int64(maxGrantSeconds)
	if row.Stands(r) {
		most = row.StandingSeconds
	}
	switch {
	case g.Seconds < 0 || g.Seconds > most:
		return fmt.Errorf("%w: grant.seconds: want 1 to %d, or nothing for as long as is offered", ErrInvalid, most)
	case g.Uses < 0:
		return fmt.Errorf("%w: grant.uses: want 1 or more, or nothing for no limit", ErrInvalid)
	}
	return nil
}

// Stands reports whether an approval is one for every session.
func (row Request) Stands(r Response) bool { return r.Scope == Always && row.StandingSeconds > 0 }

// Scope is what a scope means for this request: always is session in other words,
// unless a standing approval is offered.
func (row Request) Scope(s Scope) Scope {
	if s == Always && !slices.Contains(row.Scopes, Always) {
		return Session
	}
	return s
}

// Covering finds the coverage that a request offers under a kind; exact is
// always offered, and meant where nothing is said.
func (row Request) Covering(kind CoverageKind) (Coverage, bool) {
	if kind == "" || kind == CoverExact {
		return Exactly(), true
	}
	i := slices.IndexFunc(row.Covers, func(c Coverage) bool { return c.Kind == kind })
	if i < 0 {
		return Coverage{}, false
	}
	return row.Covers[i], true
}
