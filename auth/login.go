package auth

import (
	"context"
	"fmt"
	"time"
)

// DefaultLoginLife is how long a login lasts when nothing else is said.
const DefaultLoginLife = 7 * 24 * time.Hour

// Logins that are kept, of one person by links or by one token, and in all; the
// oldest gives way.
const (
	maxLoginsEach = 20
	maxLogins     = 1000
)

// NewLogin makes a login for somebody who has shown a link or a token. One that
// was begun by a token is what that is, and ends with it.
func (k *Keyring) NewLogin(ctx context.Context, who Identity) (c Credential, secret string, err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	now := time.Now()
	c = Credential{Kind: KindLogin, Subject: who.Subject, Roles: who.Roles, Agents: who.Agents, ExpiresAt: now.Add(k.life)}
	switch from := k.get(who.Credential); {
	case from != nil && from.Kind == KindToken:
		// As it is now: it may have been changed since it was shown.
		c.From, c.Subject, c.Roles, c.Agents = from.ID, from.Subject, from.Roles, from.Agents
		c = c.within(*from)
	case who.Credential != "":
		return c, "", ErrUnknown // it was revoked just now
	case who.Invited != "" && k.get(who.Invited) == nil:
		return c, "", ErrUnknown // who made the link may say no more who comes in
	}
	if err := k.makeRoom(ctx, c, now); err != nil {
		return c, "", err
	}
	secret = newSecret()
	c, err = k.add(ctx, c, secret, now)
	return c, secret, err
}

// within is the credential with an end that is not after its token's.
func (c Credential) within(token Credential) Credential {
	if !token.ExpiresAt.IsZero() && (c.ExpiresAt.IsZero() || token.ExpiresAt.Before(c.ExpiresAt)) {
		c.ExpiresAt = token.ExpiresAt
	}
	return c
}

// makeRoom forgets what is over, and the oldest logins where there are too many:
// those by the same token first, so that nobody's token puts others out.
func (k *Keyring) makeRoom(ctx context.Context, next Credential, now time.Time) error {
	over := k.find(func(c Credential) bool { return c.expired(now) })
	surplus := func(most int, is func(Credential) bool) {
		if list := k.find(func(c Credential) bool { return c.Kind == KindLogin && !c.expired(now) && is(c) }); len(list) >= most {
			over = append(over, list[:len(list)-most+1]...)
		}
	}
	surplus(maxLoginsEach, func(c Credential) bool { return c.From == next.From && c.Subject == next.Subject })
	surplus(maxLogins, func(Credential) bool { return true })
	return k.drop(ctx, "system", over)
}

// Invite makes the token of a login link for somebody: whoever follows it first,
// in time, is logged in as what it says.
func (k *Keyring) Invite(ctx context.Context, by Identity, a Access, links *OneTime) (token string, err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.ruler(by); err != nil {
		return "", err
	}
	if !a.ExpiresAt.IsZero() {
		return "", fmt.Errorf("%w: expiresAt: belongs to a token; a login lasts %s", ErrInvalid, k.life)
	}
	if a, err = a.filled(time.Now()); err != nil {
		return "", err
	}
	c := Credential{Name: a.Name, Subject: a.Subject, Roles: a.Roles, Agents: a.Agents}
	if err := k.store.Invited(ctx, c, by.Subject); err != nil {
		return "", err
	}
	who := c.Identity()
	who.Invited, who.Root = by.Credential, ""
	return links.Issue(who), nil
}
