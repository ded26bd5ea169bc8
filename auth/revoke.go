package auth

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Revoke ends a token or a login, with those created by it. An identity may end
// its own, whatever its role.
func (k *Keyring) Revoke(ctx context.Context, by Identity, id string) (c Credential, err error) {
	err = k.change(ctx, func() error {
		c, err = k.revoke(ctx, by, id)
		return err
	})
	return c, err
}

func (k *Keyring) revoke(ctx context.Context, by Identity, id string) (Credential, error) {
	seen := k.version()
	if err := k.requireAdmin(by); err != nil && by.Credential != id {
		return Credential{}, err
	}
	c := k.get(id)
	if c == nil || c.Kind == KindLocal {
		return Credential{}, ErrNoCredential
	}
	why := EndSignedOut
	switch {
	case by.Credential == id:
		why = "" // its holder ends it, and knows why
	case c.Kind == KindToken:
		why = EndTokenRevoked
	}
	_, err := k.drop(ctx, seen, by.Subject, why, []Credential{*c})
	return *c, err
}

// descendants returns the credentials that one created, directly or indirectly.
func (k *Keyring) descendants(id string) []Credential {
	begun := k.find(func(c Credential) bool { return c.From == id })
	for _, c := range begun {
		begun = append(begun, k.descendants(c.ID)...)
	}
	return begun
}

// drop ends credentials and their descendants. They stop working before the change is
// stored; if that fails, they are restored.
func (k *Keyring) drop(ctx context.Context, seen Version, by string, reason EndReason, list []Credential) (Version, error) {
	var ended []Credential
	for _, c := range list {
		for _, c := range append([]Credential{c}, k.descendants(c.ID)...) {
			if !slices.ContainsFunc(ended, func(known Credential) bool { return known.ID == c.ID }) {
				ended = append(ended, c)
			}
		}
	}
	if len(ended) == 0 {
		return seen, nil
	}
	k.removeAll(ended)
	why := LoginEnd{Reason: reason, At: time.Now().UTC().Truncate(time.Microsecond)}
	if by != systemSubject {
		why.By = by
	}
	// ctx may itself be an access that has ended just now.
	version, err := k.store.DropCredentials(context.WithoutCancel(ctx), seen, by, why, ended...)
	if err != nil {
		k.restore(seen, ended)
		return seen, err
	}
	k.stored(seen, version, func() {
		for _, c := range ended {
			k.removeLocked(c.ID)
		}
		k.keepEnds(ended, why)
	})
	return version, nil
}

// RemovePerson ends all logins and tokens in a person's name, and withdraws their invitations. Nobody can remove
// themselves: an admin could lock everybody out.
func (k *Keyring) RemovePerson(ctx context.Context, by Identity, subject string) (removed []Credential, err error) {
	err = k.change(ctx, func() error {
		removed, err = k.removePerson(ctx, by, subject)
		return err
	})
	return removed, err
}

func (k *Keyring) removePerson(ctx context.Context, by Identity, subject string) ([]Credential, error) {
	seen := k.version()
	if err := k.requireAdmin(by); err != nil {
		return nil, err
	}
	if by.Subject == subject {
		return nil, fmt.Errorf("%w: subject: you can't remove yourself: log out, or have another admin do it", ErrInvalid)
	}
	list := k.find(func(c Credential) bool { return c.Subject == subject && c.Kind != KindLocal })
	open := k.findInvitations(func(i Invitation) bool { return i.Subject == subject && i.State == InvitationOpen })
	if len(list)+len(open) == 0 {
		return nil, ErrNoCredential
	}
	if len(open) > 0 {
		for at := range open {
			open[at] = open[at].withdrawn(by)
		}
		var err error
		if seen, err = k.saveInvitations(ctx, seen, by, open...); err != nil {
			return nil, err
		}
	}
	_, err := k.drop(ctx, seen, by.Subject, EndRemoved, list)
	return list, err
}
