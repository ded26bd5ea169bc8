package auth

import (
	"context"
	"time"
)

// Login is a browser that has logged in, as it is kept: by fingerprint.
type Login struct {
	Fingerprint string
	Identity    Identity
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// LoginStore keeps logins over restarts. FindLogin returns ErrUnknown for a
// fingerprint that it does not hold.
type LoginStore interface {
	SaveLogin(ctx context.Context, l Login) error
	FindLogin(ctx context.Context, fingerprint string) (Login, error)
	DropLogin(ctx context.Context, fingerprint string) error
}

// Logins turns one-time links into lasting logins.
type Logins struct {
	store LoginStore
	life  time.Duration
}

// DefaultLoginLife is how long a login lasts when nothing else is said.
const DefaultLoginLife = 7 * 24 * time.Hour

// NewLogins keeps logins in store, each for life (DefaultLoginLife when zero).
func NewLogins(store LoginStore, life time.Duration) *Logins {
	if life <= 0 {
		life = DefaultLoginLife
	}
	return &Logins{store: store, life: life}
}

// Begin makes a login for id and returns the secret that the browser keeps.
func (l *Logins) Begin(ctx context.Context, id Identity) (secret string, expires time.Time, err error) {
	secret = newSecret()
	now := time.Now()
	login := Login{Fingerprint: Fingerprint(secret), Identity: id, CreatedAt: now, ExpiresAt: now.Add(l.life)}
	if err := l.store.SaveLogin(ctx, login); err != nil {
		return "", time.Time{}, err
	}
	return secret, login.ExpiresAt, nil
}

// Check returns whom the secret stands for, or ErrUnknown.
func (l *Logins) Check(ctx context.Context, secret string) (Identity, error) {
	login, err := l.store.FindLogin(ctx, Fingerprint(secret))
	if err != nil {
		return Identity{}, err
	}
	if !time.Now().Before(login.ExpiresAt) {
		return Identity{}, ErrUnknown
	}
	return login.Identity, nil
}

// End forgets the login.
func (l *Logins) End(ctx context.Context, secret string) error {
	return l.store.DropLogin(ctx, Fingerprint(secret))
}
