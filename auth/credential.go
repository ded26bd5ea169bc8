package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lineclear/lineclear/internal/mask"
)

// ErrInvalid is returned for a credential that can't be as it is described.
var ErrInvalid = errors.New("auth: invalid")

// ErrNoCredential is returned for a credential that does not exist, or no more.
var ErrNoCredential = errors.New("auth: there is no such token or login")

// Kind says what a credential is. The zero Kind is none.
type Kind string

// The kinds.
const (
	KindLogin    Kind = "login"    // of a browser
	KindTerminal Kind = "terminal" // of a person at a terminal; ends with the login that allowed it
	KindToken    Kind = "token"    // of a program, or a person who logs in by it
	KindLocal    Kind = "local"    // of programs on the gateway's machine; it ends with the process
)

// Credential is what lets somebody in again and again.
type Credential struct {
	ID          string    `json:"id"` // the credential's id
	Kind        Kind      `json:"kind"`
	Name        string    `json:"name,omitempty"` // of a token: what people call it
	Subject     string    `json:"subject"`        // whom it is for
	Roles       []Role    `json:"roles"`
	Agents      []string  `json:"agents,omitempty"`   // the only ones that it is about; none: all
	By          string    `json:"by,omitempty"`       // who made it
	From        string    `json:"from,omitempty"`     // the credential that created it; both end together
	CreatedAt   time.Time `json:"createdAt"`          // when it was made
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // left out: until it is revoked
	Browser     string    `json:"browser,omitempty"`  // of a login: the browser, such as "Firefox on Linux"
	Address     string    `json:"address,omitempty"`  // where it was last used from
	UsedAt      time.Time `json:"usedAt,omitzero"`    // when it was last used, to the minute
	Fingerprint string    `json:"-"`
	Proof       string    `json:"-"` // of a login: the fingerprint of its proof, or the public key of its page
}

// Identity is whom the credential stands for.
func (c Credential) Identity() Identity {
	return Identity{Subject: c.Subject, Roles: c.Roles, Agents: c.Agents, Credential: c.ID, Root: c.ID}
}

// Check is ErrOver for a credential that has expired; otherwise Identity.Check.
func (c Credential) Check(now time.Time, agentID string, oneOf ...Right) error {
	if c.expired(now) {
		return ErrOver
	}
	return c.Identity().Check(agentID, oneOf...)
}

// EndedByItself reports whether it ends because its time is over, or its holder logs
// out: then nobody has taken the right to answer from them.
func (c Credential) EndedByItself(by string, now time.Time) bool {
	return c.expired(now) || c.Kind != KindToken && by == c.Subject
}

// expired reports whether the credential has expired.
func (c Credential) expired(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// CredentialStore keeps over restarts who has access; by is who changes it. The keyrings of several
// nodes may share one. So whoever changes something names the Version that they have seen, and is
// refused with ErrBehind where that is not the newest; the one after the change is returned.
type CredentialStore interface {
	// ReadAccess returns what is kept; with ids, only what has one of them. Some of it may be
	// newer than the version.
	ReadAccess(ctx context.Context, ids ...string) (Kept, error)
	// Behind reports whether there is a newer version.
	Behind(ctx context.Context, seen Version) (bool, error)
	// ProofKey returns the key of the proofs that are given to pages: the same for all who share the
	// store. The first one makes it.
	ProofKey(ctx context.Context, make func() string) (string, error)
	// SaveCredentials adds them, or puts each in the place of the one with its id:
	// all or none.
	SaveCredentials(ctx context.Context, seen Version, by string, saved ...Credential) (Version, error)
	// Invited writes down that a link was made that logs in as what c says.
	Invited(ctx context.Context, c Credential, by string) error
	// SaveUses stores when and from where these credentials were last used.
	SaveUses(ctx context.Context, used ...Credential) error
	// DropCredentials deletes credentials, and stores why logins ended (Credential.Ended).
	DropCredentials(ctx context.Context, seen Version, by string, why LoginEnd, dropped ...Credential) (Version, error)
	InvitationStore
}

// InvitationStore stores invitations, and why logins ended.
type InvitationStore interface {
	// SaveInvitations adds invitations, or replaces those with the same id: all or none.
	SaveInvitations(ctx context.Context, seen Version, by string, saved ...Invitation) (Version, error)
	// Forget deletes the invitations and the ends of logins with these ids.
	Forget(ctx context.Context, seen Version, ids ...string) (Version, error)
}

// Access is what an admin gives: to whom, as what, for which agents, until when.
type Access struct {
	Name      string    `json:"name,omitempty"`    // of a token; the subject where left out
	Subject   string    `json:"subject,omitempty"` // the name where left out
	Roles     []Role    `json:"roles"`
	Agents    Scope     `json:"agents,omitzero"`    // the only ones that it is for; absent: all
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // left out: until it is revoked
}

// Change is what is to be different about a credential; what is nil stays.
type Change struct {
	Name      *string    `json:"name,omitempty"` // another name; left out: as it is
	Roles     *[]Role    `json:"roles,omitempty"`
	Agents    Scope      `json:"agents,omitzero"`     // ["*"]: all
	ExpiresAt *time.Time `json:"expiresAt,omitempty"` // another end; left out: as it is
}

// filled puts in what follows from the rest, and says what can't be.
func (a Access) filled(now time.Time) (Access, error) {
	if a.Name == "" {
		a.Name = a.Subject
	}
	if a.Subject == "" {
		a.Subject = a.Name
	}
	for _, text := range []struct{ field, value string }{{"name", a.Name}, {"subject", a.Subject}} {
		if err := CheckSubject(text.value); err != nil {
			return a, fmt.Errorf("%w: %s: %w", ErrInvalid, text.field, err)
		}
	}
	return a, a.sound(now)
}

func (a Access) sound(now time.Time) error {
	if len(a.Roles) == 0 {
		return fmt.Errorf("%w: roles: missing; name one or more of viewer, approver, operator, admin, agent", ErrInvalid)
	}
	for _, r := range a.Roles {
		if err := new(Role).UnmarshalText([]byte(r)); err != nil {
			return fmt.Errorf("%w: roles: %w", ErrInvalid, err)
		}
	}
	if slices.Contains(a.Roles, Agent) && len(a.Roles) > 1 {
		return fmt.Errorf("%w: roles: agent stands alone: who asks does not answer", ErrInvalid)
	}
	if slices.Contains(a.Agents, "") {
		return fmt.Errorf("%w: agents: an agent's name is empty", ErrInvalid)
	}
	if !a.ExpiresAt.IsZero() && !now.Before(a.ExpiresAt) {
		return fmt.Errorf("%w: expiresAt: %s is over", ErrInvalid, a.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

// longestSubject bounds names, in characters.
const longestSubject = 64

// ownNames stand for the gateway itself, and for whoever started it.
var ownNames = []string{"system", "policy", "handler", "gateway", "owner"}

// withoutMarks drops separators and other marks from a name.
var withoutMarks = strings.NewReplacer(" ", "", ".", "", "_", "", "@", "", "-", "", ":", "", "/", "", "+", "")

// CheckSubject says what is wrong with a name: it stands in lists, logs and the
// audit log, and must be mistaken neither for the gateway nor for something else.
func CheckSubject(name string) error {
	switch {
	case name == "":
		return errors.New("missing; name who it is for")
	case utf8.RuneCountInString(name) > longestSubject:
		return fmt.Errorf("at most %d characters", longestSubject)
	case slices.ContainsFunc(ownNames, func(own string) bool { return mask.Skeleton(own) == mask.Skeleton(withoutMarks.Replace(name)) }):
		return fmt.Errorf("%q is the gateway's own name, or can be taken for it", name)
	}
	if hidden := mask.HiddenIn(name); len(hidden) > 0 {
		return fmt.Errorf("%q has an invisible character: U+%04X", name, hidden[0].Char)
	}
	if strings.Contains(name, "  ") {
		return fmt.Errorf("%q has two spaces in a row", name)
	}
	if odd := mask.Odd(name); odd != "" {
		return fmt.Errorf("%q has letters that look like others: %s", name, odd)
	}
	for i, r := range name {
		inner := i > 0 && i < len(name)-1
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (!inner || !slices.Contains([]rune(" ._@-:/+"), r)) {
			return fmt.Errorf("%q: use letters, digits and, between them, space . _ @ - : / +", name)
		}
	}
	return nil
}
