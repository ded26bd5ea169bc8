// Package auth says who is asking and as what.
//
// An Identity is a subject with roles; what it may do follows from Identity.May
// alone. Identities come from a login (a browser's cookie, kept as a hash) or a
// single-use ticket bound to one, never from what a client says of itself.
// Fence keeps other web pages away from a local port.
package auth

import (
	"errors"
	"fmt"
	"slices"
)

// ErrForbidden is returned to an identity that lacks the right to do something.
var ErrForbidden = errors.New("auth: your role does not allow this")

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

// UnmarshalText accepts the names above and nothing else.
func (r *Role) UnmarshalText(text []byte) error {
	switch role := Role(text); role {
	case Viewer, Approver, Operator, Admin, Agent:
		*r = role
		return nil
	default:
		return fmt.Errorf("unknown role %q: use viewer, approver, operator, admin or agent", text)
	}
}

// Right is one thing that may be allowed.
type Right int

// The rights. The zero Right is held by nobody.
const (
	_      Right = iota
	See          // watch sessions and requests
	Answer       // decide an approval
	Talk         // send messages to agents, cancel their work
	Manage       // tokens, modes, settings
	Ask          // request an approval
)

// Identity is who is asking.
type Identity struct {
	Subject string `json:"subject"`
	Roles   []Role `json:"roles"`
}

// May reports whether the identity holds the right. The role agent shuts out
// everything but asking, whatever other roles stand beside it.
func (id Identity) May(right Right) bool {
	if slices.Contains(id.Roles, Agent) {
		return right == Ask
	}
	return slices.ContainsFunc(id.Roles, func(r Role) bool { return r.grants(right) })
}

func (r Role) grants(right Right) bool {
	switch r {
	case Viewer:
		return right == See
	case Approver:
		return right == See || right == Answer
	case Operator:
		return right == See || right == Talk || right == Ask
	case Admin:
		return right == See || right == Answer || right == Talk || right == Manage || right == Ask
	case Agent:
		return right == Ask
	default:
		return false
	}
}
