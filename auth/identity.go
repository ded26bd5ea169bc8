// Package auth says who is asking and as what.
//
// # What it promises
//
//   - What an Identity may do follows from its roles alone (May), and about
//     which agents from its scope (Covers); both come from the server, never
//     from what a client says of itself. An unknown role may do nothing.
//   - Secrets are kept as fingerprints. A Credential is shown once, when it is
//     made; a ticket or a login link works once, for a time.
//   - Whoever came in by a credential is out within a moment when it is revoked
//     or changed or its time is over: its context ends.
//   - Keyrings that share a CredentialStore, one on each node of a cluster, know the same: a
//     change rests on every one before it, whoever made it, and whoever loses their access by it
//     is out on the others once they hear of it (Refresh).
//   - When and from where a credential was last used is written at most once a minute,
//     and never by a request.
//   - Only a login's own page is told why the login ended.
//   - OriginCheck keeps other web pages away, also from a port of this machine.
//
// # How to use it
//
// OpenKeyring over a CredentialStore; Authenticate for each request or connection,
// Resume for a ticket that is redeemed later. Work under the context that they
// return, and call done when it is over.
package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrForbidden is returned to an identity that lacks the right to do something.
var ErrForbidden = errors.New("auth: your role does not allow this")

// ErrOutOfScope is returned to an identity that is for other agents.
var ErrOutOfScope = fmt.Errorf("%w: your access is for other agents", ErrForbidden)

// Role is what an identity is trusted with. The zero Role may do nothing.
type Role string

// The roles, from watching to ruling. Agent stands apart: it may only ask.
const (
	Viewer   Role = "viewer"
	Approver Role = "approver"
	Operator Role = "operator"
	Admin    Role = "admin"
	Agent    Role = "agent"
)

// Roles lists all roles.
func Roles() []Role { return []Role{Viewer, Approver, Operator, Admin, Agent} }

// UnmarshalText accepts the names above and nothing else.
func (r *Role) UnmarshalText(text []byte) error {
	role := Role(text)
	if !slices.Contains(Roles(), role) {
		return fmt.Errorf("unknown role %q: use %s", text, RoleWords(Roles(), " or "))
	}
	*r = role
	return nil
}

// Right is one thing that may be allowed.
type Right int

// The rights. The zero Right is held by nobody.
const (
	_      Right = iota
	See          // watch sessions and requests
	Answer       // decide an approval
	Talk         // send messages to agents, cancel their work
	Manage       // tokens, logins, modes
	Ask          // request an approval
	Halt         // stop agents, for whoever is there; only Manage lifts it
)

// Identity is who is asking.
type Identity struct {
	Subject    string   `json:"subject"` // whom the login or token is for
	Roles      []Role   `json:"roles"`
	Agents     []string `json:"agents,omitempty"` // the only ones that it is about; none: all
	Credential string   `json:"-"`                // the id of what let it in
	Root       string   `json:"-"`                // the id of the credential that it all began with, possibly its own
	Invited    string   `json:"-"`                // of a login link: the id of what its maker was let in by
}

// May reports whether the identity holds the right. The role agent shuts out
// everything but asking, whatever other roles stand beside it.
func (id Identity) May(right Right) bool {
	if slices.Contains(id.Roles, Agent) {
		return right == Ask
	}
	return slices.ContainsFunc(id.Roles, func(r Role) bool { return r.grants(right) })
}

// Forbidden is ErrForbidden with the roles that the identity has, and those that have one of the rights.
func (id Identity) Forbidden(oneOf ...Right) error {
	var able []Role
	for _, r := range Roles() {
		if slices.ContainsFunc(oneOf, Identity{Roles: []Role{r}}.May) {
			able = append(able, r)
		}
	}
	return fmt.Errorf("%w: %s is %s, and it takes %s", ErrForbidden, id.Subject, RoleWords(id.Roles, " and "), RoleWords(able, " or "))
}

// RoleWords lists roles for people.
func RoleWords(roles []Role, last string) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	if n := len(words) - 1; n > 0 {
		words = append(words[:n-1], words[n-1]+last+words[n])
	}
	return strings.Join(words, ", ")
}

// Covers reports whether the identity is for that agent.
func (id Identity) Covers(agentID string) bool {
	return len(id.Agents) == 0 || slices.Contains(id.Agents, agentID)
}

// Local reports whether it came in by the local key, which every program of the
// gateway's user can read.
func (id Identity) Local() bool { return id.Credential == string(KindLocal) }

// Check is ErrForbidden for an identity with none of the rights, and
// ErrOutOfScope for one that is for other agents.
func (id Identity) Check(agentID string, oneOf ...Right) error {
	switch {
	case !slices.ContainsFunc(oneOf, id.May):
		return ErrForbidden
	case !id.Covers(agentID):
		return ErrOutOfScope
	}
	return nil
}

// isGlobalAdmin reports whether the identity may manage access; one that is
// for some agents could otherwise make one that is for all.
func (id Identity) isGlobalAdmin() bool { return id.May(Manage) && len(id.Agents) == 0 }

func (r Role) grants(right Right) bool {
	switch r {
	case Viewer:
		return right == See
	case Approver:
		return right == See || right == Answer || right == Halt
	case Operator:
		return right == See || right == Talk || right == Ask || right == Halt
	case Admin:
		return right == See || right == Answer || right == Talk || right == Manage || right == Ask || right == Halt
	case Agent:
		return right == Ask
	default:
		return false
	}
}
