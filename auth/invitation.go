package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The errors for a link that no longer logs in: for its holder, and for an admin who tries to withdraw it.
var (
	ErrLinkUsed      = errors.New("auth: this login link has been used; each works once: ask for another one")
	ErrLinkWithdrawn = errors.New("auth: this login link was withdrawn or replaced: ask for another one")
	ErrLinkExpired   = errors.New("auth: this login link has expired: ask for another one")
	// ErrNoInvitation is returned for an invitation that doesn't exist, or no longer does.
	ErrNoInvitation = errors.New("auth: there is no such invitation")
)

// How long an invitation is kept after its ExpiresAt, and how many at most: open ones, and others.
const (
	keepInvitations = 7 * 24 * time.Hour
	maxInvitations  = 1000
)

// InvitationState says whether an invitation's link logs in. With the zero InvitationState it doesn't.
type InvitationState string

// The states.
const (
	InvitationOpen      InvitationState = "open"
	InvitationUsed      InvitationState = "used"
	InvitationWithdrawn InvitationState = "withdrawn"
	InvitationReplaced  InvitationState = "replaced" // by a newer link; not listed
	InvitationExpired   InvitationState = "expired"
	InvitationVoid      InvitationState = "void" // whoever made it may no longer manage access
)

// Invitation is a login link that was made for somebody. It logs one person in, once. The secret in the link is
// shown once, and only its fingerprint is stored.
type Invitation struct {
	ID          string          `json:"id"`      // the invitation's id
	Subject     string          `json:"subject"` // whom it is for
	Roles       []Role          `json:"roles"`
	Agents      []string        `json:"agents,omitempty"` // the only agents that the login is for; none: all
	By          string          `json:"by"`               // who made it
	CreatedAt   time.Time       `json:"createdAt"`        // when it was made
	ExpiresAt   time.Time       `json:"expiresAt"`        // when it expires if nobody uses it
	State       InvitationState `json:"state"`
	EndedAt     time.Time       `json:"endedAt,omitzero"`  // when it was used, withdrawn or replaced, or expired
	EndedBy     string          `json:"endedBy,omitempty"` // who withdrew or replaced it
	Fingerprint string          `json:"-"`
	Maker       string          `json:"-"` // the id of its maker's credential
}

func (i Invitation) access() Access {
	return Access{Name: i.Subject, Subject: i.Subject, Roles: i.Roles, Agents: Scope(i.Agents)}
}

// Invite makes a login link that is valid for the duration life. Whoever follows it first is logged in with the
// access that it gives.
func (k *Keyring) Invite(ctx context.Context, by Identity, a Access, life time.Duration) (made Invitation, secret string, err error) {
	err = k.change(ctx, func() error {
		made, secret, err = k.invite(ctx, by, a, life)
		return err
	})
	return made, secret, err
}

func (k *Keyring) invite(ctx context.Context, by Identity, a Access, life time.Duration) (made Invitation, secret string, err error) {
	seen := k.version()
	if err := k.requireAdmin(by); err != nil {
		return made, "", err
	}
	if !a.ExpiresAt.IsZero() {
		return made, "", fmt.Errorf("%w: expiresAt: belongs to a token; a login lasts %s", ErrInvalid, k.life)
	}
	if made, secret, err = k.invitation(by, a, life); err != nil {
		return made, "", err
	}
	_, err = k.saveInvitations(ctx, seen, by, made)
	return made, secret, err
}

// InviteAgain makes a new link for the person of an invitation. The old link no longer logs anybody in.
func (k *Keyring) InviteAgain(ctx context.Context, by Identity, id string, life time.Duration) (made Invitation, secret string, err error) {
	err = k.change(ctx, func() error {
		made, secret, err = k.inviteAgain(ctx, by, id, life)
		return err
	})
	return made, secret, err
}

func (k *Keyring) inviteAgain(ctx context.Context, by Identity, id string, life time.Duration) (made Invitation, secret string, err error) {
	seen := k.version()
	if err := k.requireAdmin(by); err != nil {
		return made, "", err
	}
	old, err := k.invited(id)
	if err != nil {
		return made, "", err
	}
	if made, secret, err = k.invitation(by, old.access(), life); err != nil {
		return made, "", err
	}
	list := []Invitation{made}
	if old.State != InvitationUsed {
		old.State, old.EndedAt, old.EndedBy = InvitationReplaced, made.CreatedAt, by.Subject
		list = []Invitation{old, made}
	}
	_, err = k.saveInvitations(ctx, seen, by, list...)
	return made, secret, err
}

// invitation makes an invitation without storing it.
func (k *Keyring) invitation(by Identity, a Access, life time.Duration) (made Invitation, secret string, err error) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	if a, err = a.filled(now); err != nil {
		return made, "", err
	}
	if err := k.checkSubject(a.Subject); err != nil {
		return made, "", err
	}
	open := k.findInvitations(func(i Invitation) bool { return i.State == InvitationOpen && now.Before(i.ExpiresAt) })
	if len(open) >= maxInvitations {
		return made, "", fmt.Errorf("%w: %d invitations are open: withdraw some first", ErrInvalid, maxInvitations)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return made, "", fmt.Errorf("auth: id: %w", err)
	}
	secret = LinkSecret.fresh()
	return Invitation{
		ID: id.String(), Subject: a.Subject, Roles: a.Roles, Agents: a.Agents.Named(), By: by.Subject, CreatedAt: now, ExpiresAt: now.Add(life),
		State: InvitationOpen, Fingerprint: Fingerprint(secret), Maker: by.Credential,
	}, secret, nil
}

// Withdraw ends an invitation that nobody has used.
func (k *Keyring) Withdraw(ctx context.Context, by Identity, id string) (i Invitation, err error) {
	err = k.change(ctx, func() error {
		i, err = k.withdraw(ctx, by, id)
		return err
	})
	return i, err
}

func (k *Keyring) withdraw(ctx context.Context, by Identity, id string) (Invitation, error) {
	seen := k.version()
	if err := k.requireAdmin(by); err != nil {
		return Invitation{}, err
	}
	i, err := k.invited(id)
	if err != nil {
		return i, err
	}
	if i.State != InvitationOpen {
		return i, i.over()
	}
	i = i.withdrawn(by)
	_, err = k.saveInvitations(ctx, seen, by, i)
	return i, err
}

func (i Invitation) withdrawn(by Identity) Invitation {
	i.State, i.EndedAt, i.EndedBy = InvitationWithdrawn, time.Now().UTC().Truncate(time.Microsecond), by.Subject
	return i
}

// Invitations lists the open invitations and those that ended recently, newest first.
func (k *Keyring) Invitations(by Identity) ([]Invitation, error) {
	if err := k.requireAdmin(by); err != nil {
		return nil, err
	}
	list := k.findInvitations(func(i Invitation) bool { return i.State != InvitationReplaced })
	slices.Reverse(list)
	return list, nil
}

// LookAt returns as whom a link logs in, without using it.
func (k *Keyring) LookAt(ctx context.Context, secret string) (Identity, error) {
	i, err := k.invitedBy(secret)
	if errors.Is(err, ErrUnknown) && LinkSecret.Is(secret) {
		if err := k.caughtUp(ctx); err != nil {
			return Identity{}, err
		}
		i, err = k.invitedBy(secret)
	}
	return i.identity(), err
}

// Redeem uses up a link and returns as whom it logs in.
func (k *Keyring) Redeem(ctx context.Context, secret string) (who Identity, err error) {
	err = k.change(ctx, func() error {
		seen := k.version()
		i, err := k.invitedBy(secret)
		if err != nil {
			return err
		}
		i.State, i.EndedAt = InvitationUsed, time.Now().UTC().Truncate(time.Microsecond)
		who = i.identity()
		_, err = k.saveInvitations(ctx, seen, who, i)
		return err
	})
	return who, err
}

func (i Invitation) identity() Identity {
	return Identity{Subject: i.Subject, Roles: i.Roles, Agents: i.Agents, Invited: i.Maker}
}

// over returns the error for an invitation that isn't open.
func (i Invitation) over() error {
	switch i.State {
	case InvitationOpen:
		return nil
	case InvitationUsed:
		return ErrLinkUsed
	case InvitationExpired:
		return ErrLinkExpired
	default:
		return ErrLinkWithdrawn
	}
}

// invitedBy returns the open invitation with a secret.
func (k *Keyring) invitedBy(secret string) (Invitation, error) {
	fingerprint := Fingerprint(secret)
	found := k.findInvitations(func(i Invitation) bool { return i.Fingerprint == fingerprint && LinkSecret.Is(secret) })
	if len(found) == 0 {
		return Invitation{}, ErrUnknown
	}
	return found[0], found[0].over()
}

func (k *Keyring) invited(id string) (Invitation, error) {
	found := k.findInvitations(func(i Invitation) bool { return i.ID == id && i.State != InvitationReplaced })
	if len(found) == 0 {
		return Invitation{}, ErrNoInvitation
	}
	return found[0], nil
}

// findInvitations returns the matching invitations with their current state, oldest first. is sees the stored state.
func (k *Keyring) findInvitations(is func(Invitation) bool) []Invitation {
	now := time.Now()
	list := []Invitation{}
	k.mu.Lock()
	for _, i := range k.invitations {
		if is(i) {
			list = append(list, i)
		}
	}
	k.mu.Unlock()
	for at, i := range list {
		switch {
		case i.State != InvitationOpen:
		case !now.Before(i.ExpiresAt):
			list[at].State, list[at].EndedAt = InvitationExpired, i.ExpiresAt
		case i.Maker != "" && k.requireAdmin(Identity{Credential: i.Maker}) != nil:
			list[at].State = InvitationVoid
		}
	}
	slices.SortFunc(list, func(a, b Invitation) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// oldInvitations returns the ids of the invitations to forget: expired long ago, or too many.
func (k *Keyring) oldInvitations(now time.Time) []string {
	over := k.findInvitations(func(i Invitation) bool { return i.State != InvitationOpen || !now.Before(i.ExpiresAt) })
	var old []string
	for at, i := range over {
		if len(over)-at > maxInvitations || now.Sub(i.ExpiresAt) > keepInvitations {
			old = append(old, i.ID)
		}
	}
	return old
}

// saveInvitations stores invitations, and then adds them to the keyring.
func (k *Keyring) saveInvitations(ctx context.Context, seen Version, by Identity, list ...Invitation) (Version, error) {
	version, err := k.store.SaveInvitations(ctx, seen, by.Subject, list...)
	if err != nil {
		return seen, err
	}
	k.stored(seen, version, func() {
		for _, i := range list {
			k.invitations[i.ID] = i
		}
	})
	return version, nil
}
