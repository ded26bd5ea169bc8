package auth

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// DefaultLoginLife is how long a login lasts when nothing else is said.
const DefaultLoginLife = 7 * 24 * time.Hour

// ErrNotFirst is returned for a first link while an admin is logged in.
var ErrNotFirst = errors.New("auth: an admin is logged in: further links are made by them")

// firstLinkID marks a link for the first admin. It changes with each admin login, which
// so invalidates earlier links.
func (k *Keyring) firstLinkID() string { return fmt.Sprint("first ", k.version().Admins) }

// Logins that are kept, of one person by links or by one token, and in all; the
// oldest gives way.
const (
	maxLoginsEach = 20
	maxLogins     = 1000
)

// NewLogin makes a login for somebody who has shown a link or a token. One that
// was started with a token has the token's rights, and ends with it. If the page has no
// key, the login is short and its proof is a secret.
func (k *Keyring) NewLogin(ctx context.Context, who Identity, page Page) (c Credential, secret string, proof Proof, err error) {
	err = k.change(ctx, func() error {
		c, secret, proof, err = k.newLogin(ctx, who, page)
		return err
	})
	return c, secret, proof, err
}

func (k *Keyring) newLogin(ctx context.Context, who Identity, page Page) (c Credential, secret string, proof Proof, err error) {
	seen := k.version()
	c = Credential{Kind: KindLogin, Subject: who.Subject, Roles: who.Roles, Agents: who.Agents}
	switch from := k.get(who.Credential); {
	case from != nil && from.Kind == KindToken:
		c = from.child(KindLogin)
	case who.Credential != "":
		return c, "", proof, ErrUnknown // it was revoked just now
	case who.Invited == k.firstLinkID():
		if k.adminLoggedIn() {
			return c, "", proof, ErrUnknown // an admin has logged in meanwhile
		}
	case who.Invited != "" && k.requireAdmin(Identity{Credential: who.Invited}) != nil:
		return c, "", proof, ErrUnknown // its maker may no longer manage access, or another admin was first
	}
	c.Browser = page.Browser
	life, text := k.life, Secret("").fresh()
	if page.Key == "" {
		life = min(life, keylessLife)
		c.Proof = Fingerprint(text)
	} else if c.Proof, err = readKey(page.Key); err != nil {
		return c, "", proof, err
	}
	c, secret, err = k.start(ctx, seen, c, life)
	if err != nil {
		return c, "", proof, err
	}
	if proof = k.proofOf(c); page.Key == "" {
		proof = newProof(c, text, c.ExpiresAt)
	}
	return c, secret, proof, nil
}

// NewTerminal makes the credential of a terminal that somebody has approved in a
// browser. It has the rights of their login, and ends with it or after life.
func (k *Keyring) NewTerminal(ctx context.Context, who Identity, name string, life time.Duration) (c Credential, secret string, err error) {
	err = k.change(ctx, func() error {
		c, secret, err = k.newTerminal(ctx, who, name, life)
		return err
	})
	return c, secret, err
}

func (k *Keyring) newTerminal(ctx context.Context, who Identity, name string, life time.Duration) (c Credential, secret string, err error) {
	seen := k.version()
	from := k.get(who.Credential)
	if from == nil || from.Kind != KindLogin {
		return c, "", ErrUnknown
	}
	c = from.child(KindTerminal)
	c.Name = name
	return k.start(ctx, seen, c, life)
}

// child returns a credential with c's current rights, which may have changed since c
// was presented.
func (c Credential) child(kind Kind) Credential {
	return Credential{Kind: kind, From: c.ID, Subject: c.Subject, Roles: c.Roles, Agents: c.Agents, ExpiresAt: c.ExpiresAt}
}

// start stores a login or terminal that lasts for life at most.
func (k *Keyring) start(ctx context.Context, seen Version, c Credential, life time.Duration) (Credential, string, error) {
	now := time.Now()
	c = c.within(Credential{ExpiresAt: now.Add(life)})
	seen, err := k.makeRoom(ctx, seen, c, now)
	if err != nil {
		return c, "", err
	}
	secret := secretOf[c.Kind].fresh()
	c, err = k.add(ctx, seen, c, secret, now)
	return c, secret, err
}

// within returns the credential, ending no later than the other.
func (c Credential) within(other Credential) Credential {
	if !other.ExpiresAt.IsZero() && (c.ExpiresAt.IsZero() || other.ExpiresAt.Before(c.ExpiresAt)) {
		c.ExpiresAt = other.ExpiresAt
	}
	return c
}

// systemSubject is the name for what the gateway does by itself.
const systemSubject = "system"

// makeRoom forgets what is over, and the oldest logins where there are too many:
// those by the same token first, so that one token can't push out the logins of others.
func (k *Keyring) makeRoom(ctx context.Context, seen Version, next Credential, now time.Time) (Version, error) {
	over := k.find(func(c Credential) bool { return c.expired(now) })
	surplus := func(most int, is func(Credential) bool) {
		if list := k.find(func(c Credential) bool { return c.Kind == next.Kind && !c.expired(now) && is(c) }); len(list) >= most {
			over = append(over, list[:len(list)-most+1]...)
		}
	}
	surplus(maxLoginsEach, func(c Credential) bool { return c.From == next.From && c.Subject == next.Subject })
	surplus(maxLogins, func(Credential) bool { return true })
	return k.drop(ctx, seen, systemSubject, EndCrowded, over)
}

// InviteFirst makes the token of a link that logs in the first admin. Only the local
// credential may, and only while no admin is logged in; then the link ends, too.
func (k *Keyring) InviteFirst(ctx context.Context, by Identity, subject string, links *OneTime) (token string, err error) {
	err = k.change(ctx, func() error {
		who := Identity{Subject: subject, Roles: []Role{Admin}, Invited: k.firstLinkID()}
		switch {
		case !by.Local():
			return ErrForbidden
		case k.adminLoggedIn():
			return ErrNotFirst
		}
		if err := k.store.Invited(ctx, Credential{Name: subject, Subject: subject, Roles: who.Roles}, by.Subject); err != nil {
			return err
		}
		token, err = links.Issue(ctx, who)
		return err
	})
	return token, err
}

// adminLoggedIn reports whether somebody is logged in who may manage access. A login of
// an earlier version, without a proof, can change nothing and does not count.
func (k *Keyring) adminLoggedIn() bool {
	now := time.Now()
	return len(k.find(func(c Credential) bool {
		return (c.Kind == KindLogin && c.Proof != "" || c.Kind == KindTerminal) && !c.expired(now) && c.Identity().isGlobalAdmin()
	})) > 0
}
