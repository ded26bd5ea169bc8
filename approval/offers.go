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
	// always is session in other words: nothing is remembered beyond a session.
	if !slices.Contains(row.Scopes, r.Scope) && (r.Scope != Always || !slices.Contains(row.Scopes, Session)) {
		return fmt.Errorf("%w: scope: %q is not offered here; use one of %v, and leave rememberChoice out", ErrInvalid, r.Scope, row.Scopes)
	}
	if _, ok := row.Covering(g.Covers); !ok {
		var kinds []CoverageKind
		for _, c := range row.Covers {
			kinds = append(kinds, c.Kind)
		}
		return fmt.Errorf("%w: grant.covers: %q is not offered here; use one of %v", ErrInvalid, g.Covers, kinds)
	}
	switch {
	case g.Seconds < 0 || g.Seconds > maxGrantSeconds:
		return fmt.Errorf("%w: grant.seconds: want 1 to %d, or nothing for as long as the session lives", ErrInvalid, maxGrantSeconds)
	case g.Uses < 0:
		return fmt.Errorf("%w: grant.uses: want 1 or more, or nothing for no limit", ErrInvalid)
	}
	return nil
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
